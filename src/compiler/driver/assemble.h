// SPDX-License-Identifier: MIT
// The two ends of the planner: Schedule → plan::Problem, and Schedule + plan::Layout → Program.
#pragma once

#include "base/result.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"
#include "compiler/select/program.h"

namespace netkit::driver {

// Problem::tensors are Schedule::buffers, Problem::steps are Schedule::steps, index for index.
// Constants are no tensors. Overlap::mode is the index into ScheduleStep::modes.
plan::Problem to_problem(const Schedule& schedule, int64_t alignment);

// Offsets, order and modes written into a program; the parameter field `mode` is set. With
// `caller_io` the layout is one without inputs and outputs: they lie outside the arena.
Program assemble(Schedule schedule, const plan::Layout& layout, bool caller_io = false);

}  // namespace netkit::driver
