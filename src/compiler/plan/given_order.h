// SPDX-License-Identifier: MIT
// Can the steps of a problem run in the order in which they stand?
#pragma once

#include "base/result.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// Of a problem that passes check_problem. Errors (kUsage) name a step, the tensor that it reads
// too early and that tensor's writer.
Result<void> check_given_order(const Problem& problem);

}  // namespace netkit::plan
