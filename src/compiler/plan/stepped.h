// SPDX-License-Identifier: MIT
// A plan of given lives (a buffer list) as one with steps, for pictures and certificates.
#pragma once

#include <optional>

#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

struct SteppedPlan {
  Problem problem;  // a step per time at which a life begins or ends, named by that time
  Layout layout;    // lives in those steps; the addresses and figures are kept
};

// `layout` has buffers and no steps; its first_step and last_step are times. Each buffer is written
// by the step at which its life begins and read by the last one of it, so that, in the given order
// and class plain, the lives are the given ones. nullopt: no buffers, or more than 100,000 steps or
// 4,000,000 pairs of a step and a live buffer.
std::optional<SteppedPlan> stepped(const Layout& layout);

}  // namespace netkit::plan
