// SPDX-License-Identifier: MIT
// Convolutions over three spatial axes as ones over two: what a window takes along the first axis
// stands side by side as channels. Exact but for the order of summation; float32. Host only.
#pragma once

#include "compiler/ir/lower_context.h"

namespace netkit {

struct Planes {
  TensorId x, w;     // [n * depth, c * taps, h, w] and weights to match
  ForeignNode node;  // with the attributes of the last two axes
  int64_t batch, depth;
};

// x [n, c, d, h, w] and weights of ONNX Conv, or ConvTranspose where `transposed`. An error for
// other ranks and types, auto_pad or output_shape beside `transposed`, and too large windows.
Result<Planes> as_planes(const ForeignNode& node, LowerContext& context, TensorId x, TensorId w,
                         bool transposed);

// y [n * depth, c, h, w] as [n, c, depth, h, w].
Result<TensorId> from_planes(LowerContext& context, const Planes& planes, TensorId y);

}  // namespace netkit
