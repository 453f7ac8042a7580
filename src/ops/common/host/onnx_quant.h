// SPDX-License-Identifier: MIT
// Quantisation as ONNX states it: scale and zero point are inputs of the operators, tensors carry
// none. Host only.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir/lower_context.h"

namespace netkit {

// dtype of an ONNX TensorProto.DataType value; NK_DTYPE_NONE for what has no counterpart.
nk_dtype onnx_dtype(int64_t value);

struct OnnxQuant {
  Quant quant;
  nk_dtype zero_dtype = NK_DTYPE_NONE;  // of the zero point, where one is given
};

// From the constant inputs `scale` and `zero` of the node (zero may be absent). Several scales lie
// along `axis`, or attribute `axis` (1), of a tensor of shape `dims`.
Result<OnnxQuant> onnx_quant(const ForeignNode& node, const LowerContext& context, size_t scale,
                             size_t zero, const Dims& dims, std::optional<int64_t> axis = {});

// x as a tensor with that quantisation: the same elements, another type.
Result<TensorId> with_quant(LowerContext& context, TensorId x, const Quant& quant);

// Input `at` with the scale and zero point that follow it; several scales lie along `axis`.
Result<TensorId> quantised_input(const ForeignNode& node, LowerContext& context, size_t at,
                                 int64_t axis);
// Input `at` with scale 1 and the zero point that input `zero` states (0 where it is absent).
Result<TensorId> offset_input(const ForeignNode& node, LowerContext& context, size_t at,
                              size_t zero, int64_t axis);

bool is_x8(nk_dtype dtype);  // int8 or uint8
// A type of 8-bit elements as int8 or uint8: zero points 128 more or less. Of another dtype: as it
// is.
TensorType as_x8(TensorType type, nk_dtype dtype);
// The elements that go with it.
ConstData flipped_x8(const ConstData& data);

// x, int8 or uint8, as the other of the two: elements and zero points 128 more or less, the same
// real values. x itself where it is of that type.
Result<TensorId> as_x8(LowerContext& context, TensorId x, nk_dtype dtype, const std::string& where);

// What a node makes whose scale and zero point are inputs `at` and at + 1 (per tensor): as stated,
// and with elements of the type that its kernel makes.
struct QuantisedOutput {
  TensorType stated, made;
};
Result<QuantisedOutput> quantised_output(const ForeignNode& node, const LowerContext& context,
                                         size_t at, nk_dtype made);

}  // namespace netkit
