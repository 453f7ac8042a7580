// SPDX-License-Identifier: MIT
// What the parts of the certificate checker share: the network as the certificate's graph states
// it. They share no code with the planner; nothing else includes this.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/plan/check/certificate_check.h"

namespace netkit::plan::checker {

using Json = nlohmann::json;

constexpr int64_t kNever = int64_t{1} << 62;  // of a distance: the mode does not allow it

// Unwinds the checker only; never leaves check_certificate.
struct Wrong {
  std::string why;
};
void demand(bool good, const std::string& why);

// Fields of the certificate. Wrong where they are missing or of another type.
const Json& get(const Json& object, const char* key);
int64_t number(const Json& value);  // 0 to 2^53
int64_t number_or(const Json& object, const char* key, int64_t other);
std::string text(const Json& value);
const Json& list(const Json& object, const char* key);  // an empty one where it is missing
std::vector<int> ids(const Json& names, const std::map<std::string, int>& index);

// An output may overwrite an input at these distances.
struct Mode {
  int in, out;  // tensors
  int64_t forward, backward, scratch;
};

// A view: `inner` lies in `outer` at byte `at`.
struct Inside {
  int inner, outer;
  int64_t at;
};

struct Op {
  std::string name;
  std::vector<int> in, out;  // tensors
  int64_t scratch;
  std::vector<Mode> modes;
  std::vector<Inside> views;
};

struct Tensor {
  std::string name;
  int64_t bytes = 0;
  bool first = false, last = false, state = false;  // graph input, output, state
  bool placed = true, kept = false;                 // in the arena; to the end
  std::vector<int> uses = {};                       // ops that touch it
  int writer = -1;
  bool used() const { return !uses.empty() || first || last || state; }
};

struct Net {
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  std::map<std::string, int> tensor_ids, op_ids;
  std::vector<std::set<int>> before;  // per op: the ops that come directly before it
  int64_t align = 1;
  int64_t up(int64_t x) const { return (x + align - 1) / align * align; }
};
Net read_net(const Json& certificate);

// The order of a plan, and what each position has chosen.
struct Order {
  std::vector<int> ops, at;  // op by position, position by op
  std::vector<int> modes;    // by position; -1: plain
  std::vector<int64_t> scratch;
  std::map<int, Inside> inside;  // the views taken, by their inner tensor
};
Order read_order(const Net& net, const Json& plan);

struct Box {
  std::string name;
  int tensor;  // -1: scratch
  int64_t bytes, offset, first, last;
};

// First and last position of each tensor in this order, with what lies in it as a view: {n, -1}
// where it is never there.
std::vector<std::pair<int64_t, int64_t>> lives(const Net& net, const Order& order);

// The plan's buffers, in its own sequence: sizes, lives and addresses hold.
std::vector<Box> check_buffers(const Net& net, const Order& order, const Json& plan);

// What the plan says of them beside their places: kinds, views, overlaps, live lists and sums; and
// of the classes, whose plans are all in the certificate.
void check_words(const Net& net, const Order& order, const std::vector<Box>& boxes,
                 const Json& plan);
void check_classes(const Json& plans, const Json& plan);

// Sets bound_verified and how.
void verify_bound(const Net& net, const std::vector<int>& order, const Json& witness,
                  PlanVerdict& verdict);

}  // namespace netkit::plan::checker
