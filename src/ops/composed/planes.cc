// SPDX-License-Identifier: MIT
#include "ops/composed/planes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/common/host/chain.h"
#include "ops/common/host/window.h"

namespace netkit {
namespace {

constexpr int64_t kMostTaps = int64_t{1} << 20;  // of all windows along the axis

// The attributes of the last two of three axes; false where a list has another length.
bool keep_two(const char* name, size_t sides, ForeignNode& node, std::vector<int64_t>& first) {
  const auto values = node.attrs.get_ints(name);
  if (values.empty()) return true;
  if (values.size() != 3 * sides) return false;
  std::vector<int64_t> rest;
  first.clear();
  for (size_t i = 0; i < values.size(); ++i) (i % 3 == 0 ? first : rest).push_back(values[i]);
  node.attrs.set(name, std::move(rest));
  return true;
}

// The axis, and output_padding.
Result<std::pair<WindowAxis, int64_t>> split_axis(ForeignNode& node, int64_t in, int64_t kernel) {
  std::vector<int64_t> size{kernel}, stride{1}, dilation{1}, pads{0, 0}, more{0};
  if (!keep_two("kernel_shape", 1, node, size) || !keep_two("strides", 1, node, stride) ||
      !keep_two("dilations", 1, node, dilation) || !keep_two("pads", 2, node, pads) ||
      !keep_two("output_padding", 1, node, more) || size[0] != kernel) {
    return bad_input("the window does not have three axes or is not that of the weights");
  }
  const auto inside = [](int64_t v, int64_t least) { return v >= least && v <= kMostTaps; };
  if (!inside(in, 1) || !inside(kernel, 1) || !inside(stride[0], 1) || !inside(dilation[0], 1) ||
      !inside(pads[0], 0) || !inside(pads[1], 0) || !inside(more[0], 0)) {
    return bad_input("a size of the first axis is out of range");
  }
  WindowAxis axis{in, kernel, stride[0], dilation[0]};
  axis.pad_begin = pads[0];
  axis.pad_end = pads[1];
  return std::pair{axis, more[0]};
}

// For each place of the result and tap of the window the place in the input; `in` where it is none.
std::vector<int32_t> taps_of(const WindowAxis& a, bool transposed) {
  std::vector<int32_t> taps;
  for (int64_t i = 0; i < a.out * a.kernel; ++i) {
    const int64_t o = i / a.kernel, k = i % a.kernel * a.dilation;
    const int64_t at = transposed ? o + a.pad_begin - k : o * a.stride - a.pad_begin + k;
    const bool between = transposed && at % a.stride != 0;
    const int64_t place = transposed ? at / a.stride : at;
    taps.push_back(static_cast<int32_t>(at < 0 || between || place >= a.in ? a.in : place));
  }
  return taps;
}

Result<WindowAxis> finished_axis(ForeignNode& plane, const Dims& xd, const Dims& wd,
                                 bool transposed) {
  NK_ASSIGN(auto split, split_axis(plane, xd[2], wd[2]));
  WindowAxis axis = split.first;
  const std::string pad = plane.attrs.get_string("auto_pad", "NOTSET");
  if (pad == "VALID") axis.pad_begin = axis.pad_end = 0;
  if (transposed) {
    if (pad.starts_with("SAME") || plane.attrs.has("output_shape")) {
      return bad_input("auto_pad and output_shape of three axes are not supported");
    }
    axis.out =
        (axis.in - 1) * axis.stride + split.second + axis.extent() - axis.pad_begin - axis.pad_end;
  } else {
    if (pad.starts_with("SAME")) pad_same(axis, pad == "SAME_LOWER");
    const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.extent();
    axis.out = room < 0 ? 0 : room / axis.stride + 1;
  }
  if (axis.out < 1 || axis.out > kMostTaps / axis.kernel) {
    return bad_input("the first axis of the window does not fit the input");
  }
  return axis;
}

}  // namespace

Result<Planes> as_planes(const ForeignNode& node, LowerContext& context, TensorId x, TensorId w,
                         bool transposed) {
  const Dims xd = context.type(x).dims, wd = context.type(w).dims;
  if (xd.size() != 5 || wd.size() != 5 || context.type(x).dtype != NK_FLOAT32) {
    return bad_input(fmt::format("weights {} on input {} are not supported", dims_text(wd),
                                 type_text(context.type(x))),
                     place_of(node));
  }
  Planes planes{x, w, node, xd[0], 0};
  NK_ASSIGN(const WindowAxis axis, finished_axis(planes.node, xd, wd, transposed));
  planes.depth = axis.out;
  const TensorId taps = context.add_constant("taps", {NK_INT32, {axis.out * axis.kernel}, {}},
                                             *constant_of(taps_of(axis, transposed)));
  Attrs pad, along;
  pad.set("before", Dims(5, 0));
  pad.set("after", Dims{0, 0, 1, 0, 0});
  pad.set("mode", std::string("constant"));
  pad.set("value", 0.0);
  along.set("axis", int64_t{2});
  Chain chain(context);
  TensorId y = chain.add("gather", {chain.add("pad", {x}, std::move(pad)), taps}, std::move(along));
  y = chain.reshape(y, {xd[0], xd[1], axis.out, axis.kernel, xd[3], xd[4]});
  y = chain.transpose(y, {0, 2, 1, 3, 4, 5});
  planes.x = chain.reshape(y, {xd[0] * axis.out, xd[1] * axis.kernel, xd[3], xd[4]});
  // Weights [o, i, taps, h, w], of a transposed convolution [i, o, taps, h, w].
  if (transposed) {
    planes.w =
        chain.reshape(chain.transpose(w, {0, 2, 1, 3, 4}), {wd[0] * wd[2], wd[1], wd[3], wd[4]});
  } else {
    planes.w = chain.reshape(w, {wd[0], wd[1] * wd[2], wd[3], wd[4]});
  }
  if (chain.error()) return std::unexpected(*chain.error());
  return planes;
}

Result<TensorId> from_planes(LowerContext& context, const Planes& planes, TensorId y) {
  const Dims dims = context.type(y).dims;
  Chain chain(context);
  y = chain.reshape(y, {planes.batch, planes.depth, dims[1], dims[2], dims[3]});
  y = chain.transpose(y, {0, 2, 1, 3, 4});
  if (chain.error()) return std::unexpected(*chain.error());
  return y;
}

}  // namespace netkit
