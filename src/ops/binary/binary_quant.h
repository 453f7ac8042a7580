// SPDX-License-Identifier: MIT
// Multipliers of quantised functions of two tensors, prepared exactly as TensorFlow Lite prepares
// its reference kernels (double for some, float for others: the last bit can differ).
#pragma once

#include "compiler/ir/op_def.h"
#include "ops/binary/binary.h"

namespace netkit {

// Fills the quantisation fields of p for an int8, uint8 or int16 node; y is the output's type.
Result<void> set_binary_quant(const Node& node, const TensorType& a, const TensorType& b,
                              const TensorType& y, nk_binary_params& p);

// The same for comparisons of quantised tensors: both sides on one scale.
Result<void> set_compare_quant(const Node& node, const TensorType& a, const TensorType& b,
                               nk_binary_params& p);

}  // namespace netkit
