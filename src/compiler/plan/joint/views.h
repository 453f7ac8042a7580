// SPDX-License-Identifier: MIT
// Which views to take, as a search of its own: a bound over all sets of views, by deciding one view
// after the other (best first) and counting what is undecided as free.
#pragma once

#include <functional>
#include <vector>

#include "compiler/plan/joint/orders.h"

namespace netkit::plan {

enum class ViewChoice : char { kOpen, kTaken, kLeft };

struct ViewQuestion {
  const Problem& problem;
  ModelOptions options;  // its views are not read
  std::vector<ViewRef> views;
  ClassLimits limits;  // of the bound of each partial decision
  Deadline deadline;
};

// The order question of all plans whose views are chosen like this, a choice per view of the
// question: views are counted only where both tensors stand for certain.
struct ChosenViews {
  Problem problem;  // a tensor that may yet come to lie in another one has no bytes
  ModelOptions options;
};
ChosenViews with_choices(const ViewQuestion& question, const std::vector<ViewChoice>& choices);

// No plan goes below it whose views are chosen like this.
int64_t bound_of_choices(const ViewQuestion& question, const std::vector<ViewChoice>& choices);

// No plan goes below it, whichever of the views it takes. best(): bytes of the best plan known;
// solve(): tries a whole set of views, which may improve that, and returns a bound of this set.
// Ends once no set can be better than best(), or after a fixed number of partial decisions.
int64_t bound_of_all_sets(const ViewQuestion& question, const std::function<int64_t()>& best,
                          const std::function<int64_t(const std::vector<ViewRef>&)>& solve);

}  // namespace netkit::plan
