// SPDX-License-Identifier: MIT
#include "ops/pool2d/pool2d_onnx.h"

#include <fmt/format.h>

#include <cmath>

#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/window.h"

namespace netkit {
namespace {

constexpr int64_t kMostTaps = int64_t{1} << 22;  // of all windows of an image together

bool wants(const ForeignNode& node, size_t output) {
  return output < node.outputs.size() && node.outputs[output] != kAbsent;
}

Result<Attrs> window_attrs(const ForeignNode& node, std::span<const int64_t> spatial,
                           const std::vector<int64_t>& kernel) {
  Attrs attrs;
  NK_TRY(set_onnx_window(node, spatial, kernel, attrs));
  if (node.attrs.get_int("count_include_pad") != 0) attrs.set("count_include_pad", int64_t{1});
  attrs.set("kernel_h", kernel.size() == 2 ? kernel[0] : int64_t{1});
  attrs.set("kernel_w", kernel.back());
  return attrs;
}

// The node as one over the two axes `axes` of its three; -1 is an axis whose window is one cell.
Result<ForeignNode> over_axes(const ForeignNode& node, std::array<int, 2> axes) {
  ForeignNode part = node;
  const auto pick = [&](const char* name, size_t sides, int64_t none) {
    const auto values = node.attrs.get_ints(name);
    if (values.empty()) return true;
    if (values.size() != 3 * sides) return false;
    std::vector<int64_t> picked;
    for (size_t side = 0; side < sides; ++side) {
      for (const int axis : axes) {
        picked.push_back(axis < 0 ? none : values[side * 3 + static_cast<size_t>(axis)]);
      }
    }
    part.attrs.set(name, std::move(picked));
    return true;
  };
  if (node.attrs.get_ints("kernel_shape").size() == 3 && pick("kernel_shape", 1, 1) &&
      pick("strides", 1, 1) && pick("dilations", 1, 1) && pick("pads", 2, 0)) {
    return part;
  }
  return bad_input("its window has other than three axes", place_of(node));
}

Result<void> lower_three_axes(const ForeignNode& node, LowerContext& context, TensorId x,
                              const char* op) {
  const Dims dims = context.type(x).dims;
  NK_ASSIGN(const ForeignNode plane, over_axes(node, {1, 2}));
  NK_ASSIGN(const ForeignNode depth, over_axes(node, {0, -1}));
  NK_ASSIGN(const Attrs in_plane,
            window_attrs(plane, std::span(dims).subspan(3), plane.attrs.get_ints("kernel_shape")));
  Chain chain(context);
  TensorId y = chain.reshape(chain.transpose(x, {0, 2, 3, 4, 1}),
                             {dims[0] * dims[2], dims[3], dims[4], dims[1]});
  y = chain.add(op, {y}, in_plane);
  if (chain.error()) return std::unexpected(*chain.error());
  const Dims made = context.type(y).dims;
  const int64_t rest[] = {dims[2], made[1] * made[2]};
  NK_ASSIGN(const Attrs in_depth, window_attrs(depth, rest, depth.attrs.get_ints("kernel_shape")));
  y = chain.add(op, {chain.reshape(y, {dims[0], dims[2], rest[1], dims[1]})}, in_depth);
  if (chain.error()) return std::unexpected(*chain.error());
  const int64_t layers = context.type(y).dims[1];
  y = chain.transpose(chain.reshape(y, {dims[0], layers, made[1], made[2], dims[1]}),
                      {0, 4, 1, 2, 3});
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

// Of every window of an image h x w, per tap: the cell in memory order, h * w for one outside, and
// the number that the operator gives it.
struct Taps {
  std::vector<int32_t> cells;
  std::vector<int64_t> places;
  int64_t windows = 0, taps = 0;
};

Result<Taps> taps_of(const Window& window, bool columns_first, const std::string& where) {
  const WindowAxis &h = window.h, &w = window.w;
  Taps t;
  t.windows = h.out * w.out;
  t.taps = h.kernel * w.kernel;
  if (t.taps > kMostTaps || t.windows > kMostTaps / t.taps || h.in * w.in >= kMostTaps) {
    return bad_input("an image of that size with indices is not supported", where);
  }
  for (int64_t i = 0; i < t.windows * t.taps; ++i) {
    const int64_t place = i / t.taps, tap = i % t.taps;
    const int64_t y = place / w.out * h.stride - h.pad_begin + tap / w.kernel * h.dilation;
    const int64_t x = place % w.out * w.stride - w.pad_begin + tap % w.kernel * w.dilation;
    const bool inside = y >= 0 && y < h.in && x >= 0 && x < w.in;
    t.cells.push_back(static_cast<int32_t>(inside ? y * w.in + x : h.in * w.in));
    t.places.push_back(!inside ? 0 : columns_first ? x * h.in + y : y * w.in + x);
  }
  return t;
}

// The taps of all windows side by side, their greatest, and the place that stands for it.
Result<void> bind_places(const ForeignNode& node, LowerContext& context, TensorId x,
                         const Window& window) {
  const std::string where = place_of(node);
  const TensorType type = context.type(x);
  if (type.dtype != NK_FLOAT32) {
    return bad_input(fmt::format("indices of {} are not supported", name_of(type.dtype)), where);
  }
  NK_ASSIGN(const Taps taps, taps_of(window, node.attrs.get_int("storage_order", 0) != 0, where));
  const int64_t images = type.dims[0] * type.dims[1];
  const int64_t cells = window.h.in * window.w.in;
  const auto numbers = [&](Dims dims, int64_t step) {
    std::vector<int64_t> values(static_cast<size_t>(product_of(dims, 0, dims.size())));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i) * step;
    return context.add_constant("steps", {NK_INT64, std::move(dims), {}}, *constant_of(values));
  };
  Attrs pad, along, greatest, first;
  pad.set("before", Dims{0, 0});
  pad.set("after", Dims{0, 1});
  pad.set("mode", std::string("constant"));
  pad.set("value", -INFINITY);
  along.set("axis", int64_t{1});
  greatest.set("axis", int64_t{2});
  greatest.set("keepdims", int64_t{0});
  first.set("axis", int64_t{0});
  Chain chain(context);
  TensorId y = chain.add("pad", {chain.reshape(x, {images, cells})}, std::move(pad));
  y = chain.add("gather",
                {y, context.add_constant("taps", {NK_INT32, {taps.windows * taps.taps}, {}},
                                         *constant_of(taps.cells))},
                std::move(along));
  y = chain.add("arg_max", {chain.reshape(y, {images, taps.windows, taps.taps})},
                std::move(greatest));
  y = chain.add("add", {y, numbers({1, taps.windows}, taps.taps)});
  const TensorId places = context.add_constant("places", {NK_INT64, {taps.windows * taps.taps}, {}},
                                               *constant_of(taps.places));
  y = chain.add("gather", {places, y}, std::move(first));
  y = chain.add("add", {y, numbers({images, 1}, cells)});
  Dims dims{type.dims[0], type.dims[1], window.h.out, window.w.out};
  if (type.dims.size() == 3) dims.erase(dims.begin() + 2);
  y = chain.reshape(y, std::move(dims));
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 1, y);
}

}  // namespace

Result<void> lower_onnx_pool(const ForeignNode& node, LowerContext& context, const char* op,
                             bool global) {
  const std::string where = place_of(node);
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const Dims whole = context.type(x).dims;
  // All axes of a global pool are alike: those beyond two count as one.
  const bool joins = global && whole.size() > 4;
  if (!global && whole.size() == 5 && !wants(node, 1)) {
    return lower_three_axes(node, context, x, op);
  }
  if (joins) {
    NK_ASSIGN(
        x, reshape_to(context, x,
                      {whole[0], whole[1], product_of(whole, 2, whole.size() - 1), whole.back()}));
  }
  const Dims dims = context.type(x).dims;
  if (dims.size() < 3 || dims.size() > 4) {
    return bad_input(fmt::format("input shape {} is not of rank 3 or 4", dims_text(dims)), where);
  }
  const auto spatial = std::span(dims).subspan(2);
  Attrs attrs;
  if (global) {
    attrs.set("kernel_h", dims.size() == 4 ? spatial[0] : int64_t{1});
    attrs.set("kernel_w", spatial.back());
  } else {
    NK_ASSIGN(attrs, window_attrs(node, spatial, node.attrs.get_ints("kernel_shape")));
  }
  NK_ASSIGN(const TensorId nhwc, to_nhwc(context, x, where));
  NK_ASSIGN(TensorId y, context.add(op, {nhwc}, attrs));
  NK_ASSIGN(y, from_nhwc(context, y, dims.size()));
  if (joins) {
    Dims single(whole.size(), 1);
    single[0] = whole[0];
    single[1] = whole[1];
    NK_ASSIGN(y, reshape_to(context, y, std::move(single)));
  }
  if (wants(node, 1)) {
    NK_ASSIGN(const Window window,
              window_of(attrs, dims.size() == 4 ? spatial[0] : 1, spatial.back(),
                        attrs.get_int("kernel_h"), attrs.get_int("kernel_w"), where));
    NK_TRY(bind_places(node, context, x, window));
  }
  return context.bind(node, 0, y);
}

}  // namespace netkit
