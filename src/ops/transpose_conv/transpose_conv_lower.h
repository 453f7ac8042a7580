// SPDX-License-Identifier: MIT
// How foreign graphs say transpose_conv. Host only.
#pragma once

#include "compiler/ir/lower_context.h"

namespace netkit {

// TFLite TRANSPOSE_CONV: output shape (constant, or as the file states it), weights, x, bias.
Result<void> lower_transpose_conv(const ForeignNode& node, LowerContext& context);

// MediaPipe's Convolution2DTransposeBias: x, weights, bias; its options are a TfLiteTransposeConv-
// Params as C lays it out: padding (1 SAME, 2 VALID), stride_width, stride_height.
Result<void> lower_transpose_conv_bias(const ForeignNode& node, LowerContext& context);

// ONNX ConvTranspose on inputs of rank 3 and 4.
Result<void> lower_conv_transpose(const ForeignNode& node, LowerContext& context);

}  // namespace netkit
