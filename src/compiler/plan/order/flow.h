// SPDX-License-Identifier: MIT
// Maximum flow in small networks, and through it the least memory between two executed sets.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/deadline.h"
#include "compiler/plan/order/model.h"

namespace netkit::plan {

// Dinic's algorithm; node 0 is the source, node 1 the sink. Buffers are kept between uses.
class Flow {
 public:
  static constexpr int64_t kUnbounded = int64_t{1} << 62;
  void reset();
  int add_node();
  int add_edge(int from, int to, int64_t capacity);  // its number
  // At most limit is asked for: the answer is min(limit, maximum flow), or less once the deadline
  // has passed.
  int64_t run(int64_t limit, const Deadline& deadline);
  // After run: takes one unit path out of the flow, as the edges along it, and how much flows on
  // all of it (0: no flow is left). Edges have the numbers that add_edge gave them.
  int64_t take_path(std::vector<int>& edges);

 private:
  struct Edge {
    int to;
    int next;
    int64_t capacity;
  };
  bool level_nodes();
  int64_t push(int node, int64_t amount);
  std::vector<Edge> edges_;
  std::vector<int> head_, level_, at_, queue_;
  int nodes_ = 0;
};

// Executed sets lie between two of them; what is alive after a set is a cut (a buffer is cut when
// some but not all of its steps are inside), so that the least over all sets is a maximum flow.
// Once the deadline has passed, bounds are lower than they could be, and nothing is a valley.
class SetCut {
 public:
  explicit SetCut(const OrderModel& model, const Deadline& deadline = {});

  // The least rounded bytes alive after any set between low and high (closed under predecessors,
  // low within high); buffers that `skip` (a step, or -1) touches do not count.
  int64_t least_alive(const uint64_t* low, const uint64_t* high, int skip);

  // Are all sets from low up to high, high left out, at least (strict: more than) alive_high?
  bool is_valley(const uint64_t* low, const uint64_t* high, int64_t alive_high, bool strict);

  // No order can run `step` in less (rounded bytes; slack not taken off).
  int64_t step_bound(int step);

  // Why the rest of step_bound is alive: at any moment at which the step can run, a buffer of each
  // chain is. Chains take no more of a buffer than its bytes; what is alive in every order by
  // itself, and what the step touches, is in none. For models without shared blocks.
  struct Chain {
    int64_t bytes = 0;
    std::vector<int> buffers;
  };
  std::vector<Chain> chains(int step);

 private:
  int64_t others(int step);
  int64_t build(const uint64_t* low, const uint64_t* high, int skip, int64_t scale, bool count);
  const OrderModel& model_;
  Deadline deadline_;
  int64_t total_ = 0;  // rounded bytes of all buffers
  Flow flow_;
  std::vector<int> node_, free_;
  std::vector<int> edge_buffer_;  // per edge of the flow, -1: none
  std::vector<char> seen_;
};

}  // namespace netkit::plan
