// SPDX-License-Identifier: MIT
// One class of plans as a whole: the order search, then addresses, then the way back from
// addresses to orders where an order's need cannot be placed.
#pragma once

#include "compiler/plan/joint/order_place.h"
#include "compiler/plan/plan.h"

namespace netkit::plan {

struct ClassAnswer {
  PlacedOrder placed;             // always found, in an order of problem steps
  int64_t lower_bound_bytes = 0;  // over all orders, modes and addresses
};

struct ClassLimits {
  bool fixed_order = false;
  uint64_t order_nodes = 0;
  int64_t enough_bytes = 0;  // stop at a plan of at most this size
};

// The order question alone: the best order found and what no order goes below.
std::vector<int> search_order(const OrderModel& model, const ClassLimits& limits, Effort& effort,
                              int64_t& lower_bound_bytes);

// The bound alone, without placing anything.
int64_t class_bound(const OrderModel& model, const ClassLimits& limits, Effort& effort);

// With a deadline something is placed at once, and the best is returned when it has passed.
ClassAnswer solve_class(const OrderModel& model, const ClassLimits& limits, Effort& effort);

// Every order of a small graph against every placement, in order of discovery: improves
// answer.placed and raises answer.lower_bound_bytes to it where the search ends.
void search_orders_and_places(const OrderModel& model, const ClassLimits& limits, Effort& effort,
                              ClassAnswer& answer);

}  // namespace netkit::plan
