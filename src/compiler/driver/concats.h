// SPDX-License-Identifier: MIT
// Which concatenations of channels are made, and which are read in parts: decided by the memory.
#pragma once

#include "compiler/driver/compile.h"

namespace netkit::driver {

// Passes, select and plan of c.lowered, as far as options.last says.
Result<void> compile_lowered(const Target& target, const CompileOptions& options, Compilation& c);

// `c` was compiled with `options`, all concatenations read in parts that can be. Tries them made,
// each for itself where they are few, else one after the other as long as the plan gets better;
// keeps the smallest plan, of equals the one with most kernels of the target, and lets `options`
// say which it is. Never worse than all of them read in parts or all made. With a time limit only
// these two are tried. The number of plans is bounded. layout.verdict is about every choice.
Result<void> choose_concats(const Target& target, CompileOptions& options, Compilation& c);

}  // namespace netkit::driver
