// SPDX-License-Identifier: MIT
// Sliding-window geometry on the host (window.h).
#include "ops/common/host/window.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/common/host/op_helpers.h"

namespace netkit {
namespace {

constexpr int64_t kMaxCells = int64_t{1} << 30;  // of any single window quantity

Result<void> finish_axis(WindowAxis& axis, bool ceil_mode, const char* name,
                         const std::string& where) {
  const std::pair<const char*, int64_t> positive[] = {
      {"kernel", axis.kernel}, {"stride", axis.stride}, {"dilation", axis.dilation}};
  for (const auto& [what, value] : positive) {
    NK_TRY(checked_int32(value, 1, kMaxCells, fmt::format("{} of axis {}", what, name), where));
  }
  for (const int64_t pad : {axis.pad_begin, axis.pad_end}) {
    NK_TRY(checked_int32(pad, 0, kMaxCells, fmt::format("padding of axis {}", name), where));
  }
  NK_TRY(checked_int32(axis.in, 0, kMaxCells, fmt::format("input size of axis {}", name), where));
  if (axis.extent() > kMaxCells) {
    return bad_input(fmt::format("the window of axis {} spans {} cells", name, axis.extent()),
                     where);
  }
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.extent();
  if (room < 0) {
    return bad_input(fmt::format("the window of axis {} spans {} cells, the padded input has {}",
                                 name, axis.extent(), room + axis.extent()),
                     where);
  }
  axis.out = room / axis.stride + 1;
  if (ceil_mode && room % axis.stride != 0 &&
      axis.out * axis.stride < axis.in + axis.pad_begin) {
    ++axis.out;
  }
  return {};
}

// Entries of an ONNX list attribute for two axes; a one-dimensional window gets `first` before.
Result<std::array<int64_t, 2>> axis_pair(const ForeignNode& node, const char* name, size_t rank) {
  std::vector<int64_t> values = node.attrs.get_ints(name);
  if (values.empty()) values.assign(rank, 1);
  if (values.size() != rank) {
    return bad_input(fmt::format("attribute {} has {} values, {} are needed", name, values.size(),
                                 rank),
                     place_of(node));
  }
  return std::array<int64_t, 2>{rank == 2 ? values[0] : 1, values[rank - 1]};
}

void set_axes(const WindowAxis& h, const WindowAxis& w, Attrs& attrs) {
  attrs.set("stride_h", h.stride);
  attrs.set("stride_w", w.stride);
  if (h.dilation != 1 || w.dilation != 1) {
    attrs.set("dilation_h", h.dilation);
    attrs.set("dilation_w", w.dilation);
  }
  const std::vector<int64_t> pads = {h.pad_begin, w.pad_begin, h.pad_end, w.pad_end};
  if (pads != std::vector<int64_t>(4, 0)) attrs.set("pads", pads);
}

// Zero strides and the like are refused by window_of; here they must only do no harm.
bool plausible(const WindowAxis& axis) {
  return axis.stride >= 1 && axis.stride <= kMaxCells && axis.kernel >= 1 &&
         axis.kernel <= kMaxCells && axis.dilation >= 1 && axis.dilation <= kMaxCells &&
         axis.in >= 0 && axis.in <= kMaxCells;
}

}  // namespace

void pad_same(WindowAxis& axis, bool lower) {
  axis.pad_begin = axis.pad_end = 0;
  if (!plausible(axis)) return;
  const int64_t out = (axis.in + axis.stride - 1) / axis.stride;
  const int64_t total = std::max<int64_t>(0, (out - 1) * axis.stride + axis.extent() - axis.in);
  axis.pad_begin = lower ? total - total / 2 : total / 2;
  axis.pad_end = total - axis.pad_begin;
}

Result<Window> window_of(const Attrs& attrs, int64_t in_h, int64_t in_w, int64_t kernel_h,
                         int64_t kernel_w, const std::string& where) {
  const std::vector<int64_t> pads = attrs.get_ints("pads", {0, 0, 0, 0});
  if (pads.size() != 4) {
    return bad_input(fmt::format("pads has {} values, 4 are needed", pads.size()), where);
  }
  Window window{{in_h, kernel_h, attrs.get_int("stride_h", 1), attrs.get_int("dilation_h", 1),
                 pads[0], pads[2]},
                {in_w, kernel_w, attrs.get_int("stride_w", 1), attrs.get_int("dilation_w", 1),
                 pads[1], pads[3]}};
  const bool ceil_mode = attrs.get_int("ceil_mode") != 0;
  NK_TRY(finish_axis(window.h, ceil_mode, "h", where));
  NK_TRY(finish_axis(window.w, ceil_mode, "w", where));
  return window;
}

Result<void> set_tflite_window(const ForeignNode& node, int64_t in_h, int64_t in_w,
                               int64_t kernel_h, int64_t kernel_w, Attrs& attrs) {
  WindowAxis h{in_h, kernel_h, node.attrs.get_int("stride_h", 1),
               node.attrs.get_int("dilation_h_factor", 1)};
  WindowAxis w{in_w, kernel_w, node.attrs.get_int("stride_w", 1),
               node.attrs.get_int("dilation_w_factor", 1)};
  const std::string padding = node.attrs.get_string("padding", "SAME");
  if (padding != "SAME" && padding != "VALID") {
    return bad_input(fmt::format("unknown padding '{}'", padding), place_of(node));
  }
  if (padding == "SAME") {
    pad_same(h, false);
    pad_same(w, false);
  }
  set_axes(h, w, attrs);
  return {};
}

Result<void> set_onnx_window(const ForeignNode& node, std::span<const int64_t> spatial,
                             std::span<const int64_t> kernel, Attrs& attrs) {
  const size_t rank = spatial.size();
  if (rank < 1 || rank > 2 || kernel.size() != rank) {
    return bad_input(fmt::format("a window of {} axes on {} is not supported", kernel.size(), rank),
                     place_of(node), "inputs of rank 3 and 4 are supported");
  }
  NK_ASSIGN(const auto strides, axis_pair(node, "strides", rank));
  NK_ASSIGN(const auto dilations, axis_pair(node, "dilations", rank));
  WindowAxis h{rank == 2 ? spatial[0] : 1, rank == 2 ? kernel[0] : 1, strides[0], dilations[0]};
  WindowAxis w{spatial[rank - 1], kernel[rank - 1], strides[1], dilations[1]};
  const std::string auto_pad = node.attrs.get_string("auto_pad", "NOTSET");
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    pad_same(h, auto_pad == "SAME_LOWER");
    pad_same(w, auto_pad == "SAME_LOWER");
  } else if (auto_pad == "NOTSET" || auto_pad.empty()) {
    const std::vector<int64_t> pads =
        node.attrs.get_ints("pads", std::vector<int64_t>(2 * rank, 0));
    if (pads.size() != 2 * rank) {
      return bad_input(fmt::format("attribute pads has {} values, {} are needed", pads.size(),
                                   2 * rank),
                       place_of(node));
    }
    if (rank == 2) {
      h.pad_begin = pads[0];
      h.pad_end = pads[2];
    }
    w.pad_begin = pads[rank - 1];
    w.pad_end = pads[2 * rank - 1];
  } else if (auto_pad != "VALID") {
    return bad_input(fmt::format("unknown auto_pad '{}'", auto_pad), place_of(node));
  }
  set_axes(h, w, attrs);
  if (node.attrs.get_int("ceil_mode") != 0) attrs.set("ceil_mode", int64_t{1});
  return {};
}

Result<TensorId> to_nhwc(LowerContext& context, TensorId x, const std::string& where) {
  const Dims dims = context.type(x).dims;
  if (dims.size() == 4) return context.transpose(x, {0, 2, 3, 1});
  if (dims.size() != 3) {
    return bad_input(fmt::format("the input has shape {}, rank 3 or 4 is needed", dims_text(dims)),
                     where);
  }
  NK_ASSIGN(const TensorId last, context.transpose(x, {0, 2, 1}));
  return reshape_to(context, last, {dims[0], 1, dims[2], dims[1]});
}

Result<TensorId> from_nhwc(LowerContext& context, TensorId y, size_t rank) {
  if (rank == 4) return context.transpose(y, {0, 3, 1, 2});
  const Dims dims = context.type(y).dims;
  NK_ASSIGN(const TensorId last, reshape_to(context, y, {dims[0], dims[2], dims[3]}));
  return context.transpose(last, {0, 2, 1});
}

}  // namespace netkit
