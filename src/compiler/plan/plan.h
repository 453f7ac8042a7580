// SPDX-License-Identifier: MIT
// The planner: the least arena over orders, aliasing, scratch and addresses together.
// Problem → plan() → Layout.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "compiler/plan/deadline.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

enum class OrderChoice {
  kBest,
  kGiven,  // the order of Problem::steps, which must be topological
};

enum class InOut {
  kInside,       // inputs and outputs stand in the arena
  kCallerOwned,  // they stand elsewhere and get no buffer
  kKeepInputs,   // inside, and inputs stay readable to the end
};

struct PlanOptions {
  OrderChoice order = OrderChoice::kBest;
  PlanClass class_limit = PlanClass::kOverlap;  // the most permissive class to use
  InOut in_out = InOut::kInside;
  std::optional<int64_t> ram_bytes;          // stop at the first plan of at most this size
  uint64_t order_nodes = 2'000'000;          // executed sets to look at, per class
  uint64_t place_nodes = 1'000'000;          // search nodes per placement
  uint64_t joint_nodes = 20'000;             // orders and modes to place, per class
  uint64_t search_nodes = 4'000'000;         // search nodes of all its placements, per class
  std::optional<double> time_limit_seconds;  // of clock; the result then depends on it
  Clock clock = nullptr;                     // the wall clock
};

// The best layout of each class up to options.class_limit, the narrowest first; a plan of a class
// is one of every wider class, so that bytes only fall. With ram_bytes the wider classes are left
// out once a plan fits. Every layout has passed validate(). Errors: kInput for a problem that
// breaks check_problem, kUsage for an order that is not topological.
Result<std::vector<Layout>> plan_classes(const Problem& problem, const PlanOptions& options = {});

// The smallest of them, the narrowest class of equals, with the verdict on options.ram_bytes.
Layout best_layout(const std::vector<Layout>& layouts, const PlanOptions& options);

// Both in one.
Result<Layout> plan(const Problem& problem, const PlanOptions& options = {});

struct LeastOrder {
  std::vector<int> order;         // indices into Problem::steps
  int64_t peak_bytes = 0;         // largest live sum along it, sizes as they stand, class plain
  int64_t lower_bound_bytes = 0;  // of every order
  bool proven_minimal = false;
};

// The order alone, addresses and alignment aside. Uses order_nodes and time_limit_seconds. Errors:
// kInput for a problem that breaks check_problem.
Result<LeastOrder> least_order(const Problem& problem, const PlanOptions& options = {});

// Per step, bytes that no order runs it in, whichever views are taken: tensors without views and
// sizes as they stand, in class options.class_limit. 0: not computed, as in nets of too many steps.
Result<std::vector<int64_t>> step_bounds(const Problem& problem, const PlanOptions& options);

struct OrderListing {
  std::vector<int> order;           // indices into Problem::steps
  std::vector<int64_t> live_bytes;  // per position, scratch included, plain class
  int64_t peak_bytes = 0;
};

// Every topological order, lexicographic by step index. Errors (kUsage): more than 12 steps, or
// more than 100,000 orders.
Result<std::vector<OrderListing>> list_orders(const Problem& problem);

}  // namespace netkit::plan
