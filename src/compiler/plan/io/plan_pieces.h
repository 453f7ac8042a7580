// SPDX-License-Identifier: MIT
// The head of netkit-plan/1: what is written, and what a plan that was read back is compared with.
#pragma once

#include "compiler/plan/io/json_fields.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// All fields but steps, buffers, time_limited and seconds.
Json head_json(const Problem& problem, const Layout& layout);

}  // namespace netkit::plan
