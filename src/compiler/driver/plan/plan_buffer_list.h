// SPDX-License-Identifier: MIT
// The plan of a CSV buffer list: offsets alone, the lives are given.
#pragma once

#include <string>

#include "base/result.h"
#include "compiler/driver/verbs/plan_file.h"

namespace netkit::driver {

// path: a CSV file as plan/io/buffer_list_csv.h reads it; the plan has no steps, class plain.
// Errors (kInput) name file and line; kNo: no placement was found within the node budget.
Result<Planned> plan_buffer_list(const std::string& path, const plan::PlanOptions& options);

// Lives and sizes are all that the list says, and its buffers agree in their alignment; else the
// first buffer that says more (kUsage). `what` is what needs that.
Result<void> demand_bare_lives(const plan::BufferList& list, const std::string& what);

}  // namespace netkit::driver
