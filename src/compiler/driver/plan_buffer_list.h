// SPDX-License-Identifier: MIT
// The plan of a CSV buffer list: offsets alone, the lives are given.
#pragma once

#include <string>

#include "base/result.h"
#include "compiler/driver/verbs/plan_file.h"

namespace netkit::driver {

// path: a CSV file as plan/io/buffer_list_csv.h reads it; the plan has no steps. Errors (kInput)
// name file and line.
Result<Planned> plan_buffer_list(const std::string& path, const plan::PlanOptions& options);

}  // namespace netkit::driver
