// SPDX-License-Identifier: MIT
// The check of a plan that was read back, from the plan alone: there is no problem beside it.
#pragma once

#include "base/result.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// `problem` holds names and sizes only. Indices are in range and lives inside the steps, as
// parse_plan sees to. Errors (kInput) name a buffer, a step or a field: buffers that are alive
// together and share bytes but for a view or a stated overlap at its distance; live lists, live
// bytes and totals that do not follow from the buffers. The lower bound is not provable from a
// plan: that is what certificates are for. Near linear in the size of the plan.
Result<void> check_saved(const Problem& problem, const Layout& layout, const BufferGaps& gaps);

}  // namespace netkit::plan
