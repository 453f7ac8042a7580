// SPDX-License-Identifier: MIT
#include "compiler/plan/given_order.h"

namespace netkit::plan {

Result<void> check_given_order(const Problem& problem) {
  std::vector<int> writer(problem.tensors.size(), -1);
  for (size_t s = 0; s < problem.steps.size(); ++s) {
    for (const int t : problem.steps[s].outputs) writer[t] = static_cast<int>(s);
  }
  for (const int t : problem.states) writer[t] = -1;
  for (size_t s = 0; s < problem.steps.size(); ++s) {
    for (const int t : problem.steps[s].inputs) {
      if (writer[t] <= static_cast<int>(s)) continue;
      return fail(ErrorCode::kUsage,
                  "the given order runs a step before its inputs are there: '" +
                      problem.tensors[t].name + "' is written by '" +
                      problem.steps[writer[t]].name + "', which stands after it",
                  problem.steps[s].name,
                  "plan without --order given, or list operators after those that they read from");
    }
  }
  return {};
}

}  // namespace netkit::plan
