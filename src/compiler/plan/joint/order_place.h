// SPDX-License-Identifier: MIT
// The modes and addresses of one order: the least arena that this order allows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "compiler/plan/offsets/place.h"
#include "compiler/plan/order/model.h"

namespace netkit::plan {

// Counts down over a whole class of plans, so that the result does not depend on the machine.
struct Effort {
  uint64_t place_nodes = 0;   // per placement
  uint64_t joint_nodes = 0;   // placements left
  uint64_t search_nodes = 0;  // of all placements together, left
  Deadline deadline;
  bool time_limited = false;  // the deadline cut something short
  bool spent() const { return joint_nodes == 0 || search_nodes == 0 || deadline.passed(); }
  // Places with what is left of the effort.
  Result<Placement> run(PlacementProblem problem);
};

struct PlacedOrder {
  std::vector<int> order;
  std::vector<int> modes;                // per step: index into OrderModel::modes, -1 plain
  std::vector<int64_t> offsets;          // per buffer of the model
  std::vector<int64_t> scratch_offsets;  // per step, 0 where there is none
  int64_t height_bytes = 0;
  bool found = false;
};

struct OrderVerdict {
  PlacedOrder placed;             // found: within the capacity
  int64_t lower_bound_bytes = 0;  // of this order, over modes and addresses
};

// Best modes and addresses of a whole order. Stops at the first placement of at most enough_bytes;
// only placements of at most `capacity` (where given) count.
OrderVerdict place_order(const OrderModel& model, const std::vector<int>& order,
                         std::optional<int64_t> capacity, int64_t enough_bytes, Effort& effort);

// One placement of the order, made at once: the plain modes, the buffers one by one.
PlacedOrder place_greedily(const OrderModel& model, const std::vector<int>& order);

// A lower bound for every order that begins with `prefix`; stops being exact above `capacity`,
// where the answer is only known to be larger than it.
int64_t prefix_bound(const OrderModel& model, const std::vector<int>& prefix, int64_t capacity,
                     Effort& effort);

}  // namespace netkit::plan
