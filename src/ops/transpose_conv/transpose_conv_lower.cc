// SPDX-License-Identifier: MIT
// How foreign graphs say transpose_conv (transpose_conv_lower.h): sizes and paddings.
#include "ops/transpose_conv/transpose_conv_lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ops/common/host/op_helpers.h"
#include "ops/common/host/window.h"
#include "ops/composed/planes.h"

namespace netkit {
namespace {

constexpr int64_t kFar = int64_t{1} << 28;  // of every size, so that products stay in int64

// One axis: what the file states, then the result's size and the cells cut off before it.
struct Axis {
  int64_t in = 1, kernel = 1, stride = 1, dilation = 1, more = 0;  // more: output_padding
  int64_t out = 0, pad = 0;

  int64_t full() const { return (in - 1) * stride + more + (kernel - 1) * dilation + 1; }
};

Result<void> check_axis(const Axis& a, const std::string& where) {
  const std::pair<const char*, int64_t> positive[] = {{"an input size", a.in},
                                                      {"a kernel size", a.kernel},
                                                      {"a stride", a.stride},
                                                      {"a dilation", a.dilation}};
  for (const auto& [what, value] : positive) {
    NK_TRY(checked_int32(value, 1, kFar, what, where));
  }
  return {};
}

// The fewest cells cut off that leave `out` of the full result, the odd one at the begin or end.
void cut_to(Axis& a, int64_t out, bool odd_at_begin) {
  const int64_t total = std::max<int64_t>(0, a.full() - out);
  a.out = out;
  a.pad = odd_at_begin ? total - total / 2 : total / 2;
}

void set_axes(const Axis& h, const Axis& w, Attrs& attrs) {
  attrs.set("stride_h", h.stride);
  attrs.set("stride_w", w.stride);
  if (h.dilation != 1 || w.dilation != 1) {
    attrs.set("dilation_h", h.dilation);
    attrs.set("dilation_w", w.dilation);
  }
  if (h.pad != 0 || w.pad != 0) attrs.set("pads", std::vector<int64_t>{h.pad, w.pad});
  attrs.set("out_h", h.out);
  attrs.set("out_w", w.out);
}

Result<bool> is_same(const ForeignNode& node) {
  const std::string padding = node.attrs.get_string("padding", "SAME");
  if (padding == "SAME" || padding == "VALID") return padding == "SAME";
  return bad_input(fmt::format("unknown padding '{}'", padding), place_of(node));
}

// The constant output shape, or the one that the file states for the result.
Result<Dims> stated_shape(const ForeignNode& node, const LowerContext& context) {
  const std::string where = place_of(node);
  const TensorId id = context.input(node, 0);
  Dims dims;
  if (const auto values = context.const_ints(id)) {
    dims = *values;
  } else if (const ForeignTensor* stated = context.declared_output(node, 0)) {
    dims = stated->type.dims;
  }
  if (dims.size() != 4) {
    return bad_input(fmt::format("the output shape {} is not of rank 4", dims_text(dims)), where);
  }
  for (const int64_t dim : dims) NK_TRY(checked_int32(dim, 1, kFar, "an output size", where));
  return dims;
}

// TFLite's padding of the convolution that this one transposes, of `out` cells.
int64_t tflite_pad(const Axis& a, bool same) {
  const int64_t windows =
      same ? (a.out + a.stride - 1) / a.stride : (a.out + a.stride - a.kernel) / a.stride;
  return std::max<int64_t>(0, (windows - 1) * a.stride + a.kernel - a.out) / 2;
}

Result<std::array<const Dims*, 2>> rank_4(const ForeignNode& node, const LowerContext& context,
                                          TensorId x, TensorId w) {
  const Dims& xd = context.type(x).dims;
  const Dims& wd = context.type(w).dims;
  if (xd.size() == 4 && wd.size() == 4) return std::array{&xd, &wd};
  return bad_input(fmt::format("weights {} do not fit input {}", dims_text(wd), dims_text(xd)),
                   place_of(node));
}

Result<void> bind_nhwc(const ForeignNode& node, LowerContext& context, std::vector<TensorId> inputs,
                       const Attrs& attrs) {
  NK_ASSIGN(const TensorId y, context.add("transpose_conv", std::move(inputs), attrs,
                                          declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// Values of an ONNX list attribute for the two axes; `none` for the missing axis of a rank of 1.
Result<std::array<int64_t, 2>> pair_of(const ForeignNode& node, const char* name, size_t rank,
                                       int64_t none) {
  std::vector<int64_t> values = node.attrs.get_ints(name);
  if (values.empty()) values.assign(rank, none);
  if (values.size() != rank) {
    return bad_input(
        fmt::format("attribute {} has {} values, {} are needed", name, values.size(), rank),
        place_of(node));
  }
  for (const int64_t v : values) {
    NK_TRY(checked_int32(v, none, kFar, fmt::format("attribute {}", name), place_of(node)));
  }
  return std::array{rank == 2 ? values[0] : none, values[rank - 1]};
}

// auto_pad, pads, output_shape and output_padding: size and padding of both axes.
Result<void> cut_onnx(const ForeignNode& node, size_t rank, std::array<Axis, 2>& axes) {
  const std::string where = place_of(node);
  const std::string auto_pad = node.attrs.get_string("auto_pad", "NOTSET");
  const bool upper = auto_pad == "SAME_UPPER", lower = auto_pad == "SAME_LOWER";
  if (!upper && !lower && auto_pad != "NOTSET" && auto_pad != "VALID" && !auto_pad.empty()) {
    return bad_input(fmt::format("unknown auto_pad '{}'", auto_pad), where);
  }
  std::vector<int64_t> shape = node.attrs.get_ints("output_shape");
  if (shape.size() == rank + 2) shape.erase(shape.begin(), shape.begin() + 2);
  std::vector<int64_t> pads = node.attrs.get_ints("pads");
  if (pads.empty() || auto_pad == "VALID") pads.assign(2 * rank, 0);
  if ((!shape.empty() && shape.size() != rank) || pads.size() != 2 * rank) {
    return bad_input(fmt::format("{} sizes of output_shape and {} pads for {} axes", shape.size(),
                                 pads.size(), rank),
                     where);
  }
  for (size_t i = 0; i < rank; ++i) {
    Axis& a = axes[i + 2 - rank];
    const int64_t end = pads[rank + i];
    for (const int64_t pad : {pads[i], end}) {
      NK_TRY(checked_int32(pad, 0, kFar, "a padding", where));
    }
    if (!shape.empty() || upper || lower) {
      cut_to(a, shape.empty() ? a.in * a.stride : shape[i], !upper);
    } else {
      a.pad = pads[i];
      a.out = a.full() - a.pad - end;
    }
    NK_TRY(checked_int32(a.out, 1, kFar, "an output size", where));
  }
  return {};
}

// Weights [i, o / groups, spatial] as [o, h, w, i / groups].
Result<TensorId> to_ohwi(LowerContext& context, TensorId w, int64_t groups) {
  Dims d = context.type(w).dims;
  if (d.size() == 3) {
    d.insert(d.begin() + 2, 1);
    NK_ASSIGN(w, reshape_to(context, w, d));
  }
  if (groups == 1) return context.transpose(w, {1, 2, 3, 0});
  NK_ASSIGN(w, reshape_to(context, w, {groups, d[0] / groups, d[1], d[2], d[3]}));
  NK_ASSIGN(w, context.transpose(w, {0, 2, 3, 4, 1}));
  return reshape_to(context, w, {groups * d[1], d[2], d[3], d[0] / groups});
}

Result<std::array<Axis, 2>> onnx_axes(const ForeignNode& node, const Dims& x, const Dims& w) {
  const size_t rank = x.size() - 2;
  NK_ASSIGN(const auto strides, pair_of(node, "strides", rank, 1));
  NK_ASSIGN(const auto dilations, pair_of(node, "dilations", rank, 1));
  NK_ASSIGN(const auto more, pair_of(node, "output_padding", rank, 0));
  const Dims kernel(w.begin() + 2, w.end());
  if (node.attrs.get_ints("kernel_shape", kernel) != kernel) {
    return bad_input(fmt::format("kernel_shape is not that of the weights {}", dims_text(w)),
                     place_of(node));
  }
  std::array<Axis, 2> axes;
  axes[0].out = 1;
  for (size_t i = 2 - rank; i < 2; ++i) {
    const size_t at = i + rank;  // in x and w
    axes[i] = {x[at], w[at], strides[i], dilations[i], more[i]};
    NK_TRY(check_axis(axes[i], place_of(node)));
  }
  NK_TRY(cut_onnx(node, rank, axes));
  return axes;
}

}  // namespace

Result<void> lower_transpose_conv(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId w, need_foreign_input(context, node, 1));
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 2));
  NK_ASSIGN(const auto dims, rank_4(node, context, x, w));
  const auto& [xd, wd] = dims;
  NK_ASSIGN(const Dims out, stated_shape(node, context));
  if (out[0] != (*xd)[0] || out[3] != (*wd)[0]) {
    return bad_input(fmt::format("output shape {} does not fit input {} and weights {}",
                                 dims_text(out), dims_text(*xd), dims_text(*wd)),
                     where);
  }
  NK_ASSIGN(const bool same, is_same(node));
  Axis h{(*xd)[1], (*wd)[1], node.attrs.get_int("stride_h", 1)};
  Axis wide{(*xd)[2], (*wd)[2], node.attrs.get_int("stride_w", 1)};
  NK_TRY(check_axis(h, where));
  NK_TRY(check_axis(wide, where));
  h.out = out[1];
  wide.out = out[2];
  h.pad = tflite_pad(h, same);
  wide.pad = tflite_pad(wide, same);
  Attrs attrs;
  set_axes(h, wide, attrs);
  NK_TRY(set_fused_activation(node, attrs));
  return bind_nhwc(node, context, {x, w, context.input(node, 3)}, attrs);
}

Result<void> lower_transpose_conv_bias(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  const AttrValue* options = node.attrs.find("custom_options");
  const AttrTensor* bytes = options == nullptr ? nullptr : std::get_if<AttrTensor>(options);
  std::array<int32_t, 3> words{};
  if (bytes == nullptr || bytes->data == nullptr || bytes->data->size() < sizeof words) {
    return bad_input("the options hold no padding and strides", where);
  }
  std::memcpy(words.data(), bytes->data->data(), sizeof words);
  if (words[0] != 1 && words[0] != 2) {
    return bad_input(fmt::format("unknown padding {}", words[0]), where);
  }
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId w, need_foreign_input(context, node, 1));
  NK_ASSIGN(const auto dims, rank_4(node, context, x, w));
  const auto& [xd, wd] = dims;
  std::array<Axis, 2> axes = {Axis{(*xd)[1], (*wd)[1], words[2]},
                              Axis{(*xd)[2], (*wd)[2], words[1]}};
  for (Axis& a : axes) {
    NK_TRY(check_axis(a, where));
    const int64_t cut = std::max<int64_t>(0, a.kernel - (a.in - 1) % a.stride - 1);
    cut_to(a, a.full() - (words[0] == 1 ? cut : 0), false);
  }
  Attrs attrs;
  set_axes(axes[0], axes[1], attrs);
  return bind_nhwc(node, context, {x, w, context.input(node, 2)}, attrs);
}

namespace {

// ConvTranspose over one or two axes.
Result<TensorId> transposed(const ForeignNode& node, LowerContext& context, TensorId x, TensorId w,
                            TensorId bias) {
  const std::string where = place_of(node);
  const Dims xd = context.type(x).dims;
  const Dims wd = context.type(w).dims;
  if (xd.size() < 3 || xd.size() > 4 || wd.size() != xd.size()) {
    return bad_input(
        fmt::format("weights {} on input {} are not supported", dims_text(wd), dims_text(xd)),
        where, "inputs of rank 3 and 4 are supported");
  }
  const int64_t groups = node.attrs.get_int("group", 1);
  if (groups < 1 || wd[0] != xd[1] || wd[0] % groups != 0 || wd[1] < 1 || groups > kFar / wd[1]) {
    return bad_input(fmt::format("weights {} in {} groups do not fit input {}", dims_text(wd),
                                 groups, dims_text(xd)),
                     where);
  }
  NK_ASSIGN(const auto axes, onnx_axes(node, xd, wd));
  Attrs attrs;
  set_axes(axes[0], axes[1], attrs);
  if (groups > 1) attrs.set("groups", groups);
  NK_ASSIGN(const TensorId nhwc, to_nhwc(context, x, where));
  NK_ASSIGN(w, to_ohwi(context, w, groups));
  NK_ASSIGN(const TensorId y, context.add("transpose_conv", {nhwc, w, bias}, attrs));
  return from_nhwc(context, y, xd.size());
}

}  // namespace

Result<void> lower_conv_transpose(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId w, need_foreign_input(context, node, 1));
  const TensorId bias = context.input(node, 2);
  if (context.type(x).dims.size() == 5) {
    NK_ASSIGN(const Planes planes, as_planes(node, context, x, w, true));
    NK_ASSIGN(const TensorId flat, transposed(planes.node, context, planes.x, planes.w, bias));
    NK_ASSIGN(const TensorId y, from_planes(context, planes, flat));
    return context.bind(node, 0, y);
  }
  NK_ASSIGN(const TensorId y, transposed(node, context, x, w, bias));
  return context.bind(node, 0, y);
}

}  // namespace netkit
