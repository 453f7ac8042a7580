// SPDX-License-Identifier: MIT
// Inputs that stay as they are, made constants: shapes and axes that a file leaves to its caller.
#pragma once

#include "compiler/driver/compile.h"

namespace netkit::driver {

// Gives each input of options.fixed its values and takes it off the inputs; a shape in
// options.shapes closes its dimensions and is used up. kUsage: no such input, or its shape is open.
Result<void> fix_inputs(ForeignGraph& foreign, CompileOptions& options);

}  // namespace netkit::driver
