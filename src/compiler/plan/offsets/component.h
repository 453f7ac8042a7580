// SPDX-License-Identifier: MIT
// One group of buffers whose lives hang together: the portfolio that places it.
// Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/plan/offsets/place.h"
#include "compiler/plan/offsets/search/search.h"

namespace netkit::plan {

struct ComponentGoal {
  int64_t enough_bytes = 0;         // a lower height is of no use
  std::optional<int64_t> capacity;  // a higher one neither
  uint64_t node_budget = 0;
  bool greedy = false;  // one greedy order and no more
};

struct ComponentPlan {
  bool placed = false;
  bool impossible = false;       // the address ranges leave no placement of any height
  std::vector<int64_t> offsets;  // one per item in units; from place_component: bytes,
                                 // one per member
  int64_t height_bytes = 0;
  int64_t lower_bound_bytes = 0;
  uint64_t nodes = 0;
};

// members: buffers of more than 0 bytes with connected lives. Exact within the budget.
ComponentPlan place_component(const PlacementProblem& problem, const std::vector<int>& members,
                              const ComponentGoal& goal, const Deadline& deadline);

}  // namespace netkit::plan
