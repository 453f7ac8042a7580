// SPDX-License-Identifier: MIT
// Quantisation as ONNX states it: scale and zero point are inputs of the operators, tensors carry
// none. Host only.
#pragma once

#include "compiler/ir/lower_context.h"

namespace netkit {

// dtype of an ONNX TensorProto.DataType value; NK_DTYPE_NONE for what has no counterpart.
nk_dtype onnx_dtype(int64_t value);

struct OnnxQuant {
  Quant quant;
  nk_dtype zero_dtype = NK_DTYPE_NONE;  // of the zero point, where one is given
};

// From the constant inputs `scale` and `zero` of the node (zero may be absent). Several scales lie
// along attribute `axis` (1) of a tensor of shape `dims`.
Result<OnnxQuant> onnx_quant(const ForeignNode& node, const LowerContext& context, size_t scale,
                             size_t zero, const Dims& dims);

// x as a tensor with that quantisation: the same elements, another type.
Result<TensorId> with_quant(LowerContext& context, TensorId x, const Quant& quant);

}  // namespace netkit
