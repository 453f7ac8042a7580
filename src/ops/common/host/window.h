// SPDX-License-Identifier: MIT
// Sliding-window geometry on the host: padding arithmetic of ONNX and TFLite, the canonical
// attributes, output sizes, and the nk_spatial fields of parameter structs. Host only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "compiler/ir/lower_context.h"
#include "compiler/ir/op_def.h"
#include "ops/common/spatial.h"

namespace netkit {

// One spatial axis. pad_begin and pad_end are 0 or more.
struct WindowAxis {
  int64_t in = 0, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0, out = 0;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

struct Window {
  WindowAxis h, w;
};

// "SAME": out = ceil(in / stride), the odd cell of padding at the end (or, `lower`, at the begin).
void pad_same(WindowAxis& axis, bool lower);

// Reads stride_*, dilation_*, pads and ceil_mode of a canonical node and works out the output size.
// An error where a value is out of range or the window is larger than the padded input.
// ceil_mode 1 rounds the size up, but no window starts behind the input and its leading padding.
Result<Window> window_of(const Attrs& attrs, int64_t in_h, int64_t in_w, int64_t kernel_h,
                         int64_t kernel_w, const std::string& where);

// Canonical attributes from TFLite's padding, stride_* and dilation_*_factor.
Result<void> set_tflite_window(const ForeignNode& node, int64_t in_h, int64_t in_w,
                               int64_t kernel_h, int64_t kernel_w, Attrs& attrs);

// Canonical attributes from ONNX's strides, dilations, pads, auto_pad (and ceil_mode). An input of
// rank 3 counts as one of height 1. `spatial` are the input's sizes behind n and c, `kernel` the
// window's, both of rank - 2 entries.
Result<void> set_onnx_window(const ForeignNode& node, std::span<const int64_t> spatial,
                             std::span<const int64_t> kernel, Attrs& attrs);

// ONNX [n, c, spatial] of rank 3 or 4 as [n, h, w, c], and back to that rank.
Result<TensorId> to_nhwc(LowerContext& context, TensorId x, const std::string& where);
Result<TensorId> from_nhwc(LowerContext& context, TensorId y, size_t rank);

// Fills the nk_spatial part of a parameter struct (whole tensors, plain mode).
template <typename Params>
void fill_spatial(Params& p, const Window& window, const Dims& in, const Dims& out) {
  const auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  p.batch = i32(in[0]);
  p.in_h = p.in_ring_h = i32(in[1]);
  p.in_w = i32(in[2]);
  p.in_c = i32(in[3]);
  p.out_h = p.out_ring_h = p.out_y1 = i32(out[1]);
  p.out_w = i32(out[2]);
  p.out_c = i32(out[3]);
  p.out_y0 = 0;
  p.kernel_h = i32(window.h.kernel);
  p.kernel_w = i32(window.w.kernel);
  p.stride_h = i32(window.h.stride);
  p.stride_w = i32(window.w.stride);
  p.dilation_h = i32(window.h.dilation);
  p.dilation_w = i32(window.w.dilation);
  p.pad_top = i32(window.h.pad_begin);
  p.pad_left = i32(window.w.pad_begin);
  p.mode = NK_MODE_PLAIN;
}

// The leading fields of a spatial parameter struct.
template <typename Params>
const nk_spatial& spatial_of(const Params* p) {
  static_assert(offsetof(Params, mode) == offsetof(nk_spatial, mode));
  return *reinterpret_cast<const nk_spatial*>(p);
}

}  // namespace netkit
