// SPDX-License-Identifier: MIT
// ONNX pools as max_pool2d and avg_pool2d. Host only.
#pragma once

#include "compiler/ir/lower_context.h"

namespace netkit {

// One, two or three spatial axes (three: two and then the first one, which is the same maximum or
// mean); of a `global` pool any number. MaxPool's second output, the places of the maxima in the
// flattened input: one or two axes of float32.
Result<void> lower_onnx_pool(const ForeignNode& node, LowerContext& context, const char* op,
                             bool global);

}  // namespace netkit
