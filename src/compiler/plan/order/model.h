// SPDX-License-Identifier: MIT
// OrderModel: the question "which order needs least" with sizes rounded to the alignment.
// Problem + class + taken views → OrderModel → search, placement.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/layout.h"
#include "compiler/plan/order/blocks.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

constexpr int kMaxCutSteps = 4000;  // beyond, a minimum cut per step would take too long

// A set of steps, a bit each.
using Words = std::vector<uint64_t>;
inline bool has_bit(const uint64_t* words, int i) {
  return (words[i >> 6] >> (i & 63)) & 1;
}
inline void set_bit(uint64_t* words, int i) {
  words[i >> 6] |= uint64_t{1} << (i & 63);
}

struct OrderBuffer {
  int tensor = 0;            // the root of the block
  int64_t bytes = 0;         // rounded up to the alignment
  int64_t slack = 0;         // what rounding added
  std::vector<int> touches;  // steps that read or write it, ascending
  Words touch_set;           // the same where they are many, else empty
  int writer = -1;           // the one step that all other touches follow; -1: none
  bool from_start = false;
  bool to_end = false;
};

// One admissible overlap of a step, as two buffers and its price.
struct OrderMode {
  int overlap = 0;            // index into Step::overlaps
  int in = 0, out = 0;        // buffers
  int64_t saving = 0;         // at most so many rounded bytes are shared
  int64_t scratch = 0;        // rounded
  int64_t scratch_slack = 0;  // what rounding added to it
};

struct OrderModel {
  const Problem* problem = nullptr;
  Blocks blocks;
  int64_t alignment = 1;
  std::vector<OrderBuffer> buffers;
  std::vector<int> tensor_buffer;               // per tensor, -1: none
  std::vector<std::vector<int>> step_buffers;   // per step, without repetition
  std::vector<std::vector<int>> preds, succs;   // per step, without repetition
  std::vector<Words> ancestors, descendants;    // per step, itself not included
  std::vector<int64_t> scratch, scratch_slack;  // of the plain mode, rounded; what that added
  std::vector<std::vector<OrderMode>> modes;    // empty in class plain
  bool has_slack = false;                       // some size is no multiple of the alignment
  std::vector<int> by_slack;                    // buffers with slack, the largest first
  int64_t unread_bytes = 0;  // of inputs that no step touches: there in the first step alone
  int step_count() const { return static_cast<int>(preds.size()); }
  int words() const { return (step_count() + 63) / 64; }
};

struct ModelOptions {
  PlanClass plan_class = PlanClass::kPlain;
  std::vector<char> outside;  // per tensor: 1 stands outside the arena
  bool keep_inputs = false;
  std::vector<ViewRef> views;
  bool fixed_order = false;  // the steps in the given order only
};

// The problem has passed check_problem.
OrderModel make_order_model(const Problem& problem, const ModelOptions& options);

// Ancestors and descendants anew, after edges were added.
void update_closures(OrderModel& model);

// by_slack anew, after slacks were changed.
void sort_by_slack(OrderModel& model);

// The same question asked from the end: an order of one, reversed, is an order of the other with
// the same need at each step, inputs that nothing reads left out.
OrderModel reversed(const OrderModel& model);

// What executing `step` after the executed set needs and leaves behind.
struct StepEffect {
  int64_t need = 0;   // rounded, the cheapest admissible mode, slack not yet taken off
  int64_t after = 0;  // rounded bytes alive after the step
  int mode = -1;      // index into OrderModel::modes of the cheapest; -1: plain
  int64_t freed_slack = 0, taken_slack = 0;  // largest of the freed and of the new buffers
};
StepEffect step_effect(const OrderModel& model, const uint64_t* executed, int64_t alive, int step);

// The largest slack of any buffer alive during `step`: placed on top, it saves so much.
int64_t live_slack(const OrderModel& model, const uint64_t* executed, int step);

// The same over all orders: of any buffer that can be alive at the step.
int64_t possible_slack(const OrderModel& model, int step);

// Rounded bytes alive before the first step.
int64_t start_bytes(const OrderModel& model);

// The largest need along an order, slack taken off: no placement of it is lower.
int64_t order_bound(const OrderModel& model, const std::vector<int>& order);

}  // namespace netkit::plan
