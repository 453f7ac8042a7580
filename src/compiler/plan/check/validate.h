// SPDX-License-Identifier: MIT
// The plain truth about a layout, computed from the problem alone; shares nothing with the search.
#pragma once

#include "base/result.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// The order is topological; every tensor in the arena is alive from its writer to its last reader
// (inputs from the start, outputs and states to the end); what is alive together is disjoint but
// for a taken view or a stated overlap that the step's kernel allows; offsets are aligned; scratch
// is as large as the chosen mode asks; sums and bounds agree. The error names step and buffers.
// Simple on purpose: quadratic in the number of buffers.
Result<void> validate(const Problem& problem, const Layout& layout);

}  // namespace netkit::plan
