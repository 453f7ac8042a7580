// SPDX-License-Identifier: MIT
// pad: ONNX Pad of every opset and mode (negative pads are slices), TFLite PAD, PADV2, MIRROR_PAD.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "ops/common/host/op_quant.h"
#include "ops/move/move_host.h"

namespace netkit {

void pad_modes(const nk_pad_params*, std::vector<KernelMode>& out) { add_plain_mode(out); }

namespace {

NK_PARAM_TABLE(kTable, nk_pad_params, NK_PAD_FIELDS);

struct ModeName {
  std::string_view name;
  int32_t mode;
};
constexpr ModeName kModes[] = {{"constant", 0},
                               {"reflect", NK_PAD_REFLECT},
                               {"symmetric", NK_PAD_SYMMETRIC},
                               {"edge", NK_PAD_EDGE},
                               {"wrap", NK_PAD_WRAP}};

Result<int32_t> mode_of(const Node& node) {
  const std::string name = node.attrs.get_string("mode", "constant");
  const auto* row = std::ranges::find(kModes, name, &ModeName::name);
  if (row != std::end(kModes)) return row->mode;
  return bad_input(fmt::format("unknown mode '{}'", name), place_of(node),
                   "constant, reflect, symmetric, edge and wrap are supported");
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  NK_ASSIGN(const int32_t mode, mode_of(node));
  const Dims before = node.attrs.get_ints("before"), after = node.attrs.get_ints("after");
  if (before.size() != x->dims.size() || after.size() != x->dims.size()) {
    return bad_input(fmt::format("before and after do not fit shape {}", dims_text(x->dims)),
                     where);
  }
  TensorType y = *x;
  for (size_t i = 0; i < y.dims.size(); ++i) {
    NK_TRY(checked_int32(before[i], 0, INT32_MAX, "padding", where));
    NK_TRY(checked_int32(after[i], 0, INT32_MAX, "padding", where));
    if (mode != 0 && x->dims[i] == 0 && before[i] + after[i] > 0) {
      return bad_input("there is nothing to repeat along an empty axis", where);
    }
    y.dims[i] += before[i] + after[i];
  }
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  NK_TRY(byte_count(y.dtype, y.dims));
  return std::vector{std::move(y)};
}

template <typename T>
void store(nk_pad_params& p, T value) {
  std::memcpy(p.value, &value, sizeof value);
}

// `value` as an element of the output.
Result<void> set_value(const TensorType& y, double value, const std::string& where,
                       nk_pad_params& p) {
  if (!y.quant.empty() && y.quant.scale.size() == 1 && !is_float(y.dtype)) {
    if (y.dtype == NK_INT32) {
      store(p, static_cast<int32_t>(y.quant.zero_point.empty() ? 0 : y.quant.zero_point[0]));
      return {};
    }
    NK_ASSIGN(const TensorQuant quant, tensor_quant(y, "the output", where));
    NK_ASSIGN(const IntRange range, value_range(y.dtype, where));
    const int32_t q = std::clamp(quantized_value(static_cast<float>(value), quant), range.lo,
                                 range.hi);
    store(p, q);  // little-endian: the low bytes are the element
    return {};
  }
  if (y.dtype == NK_FLOAT32) {
    store(p, static_cast<float>(value));
  } else if (!is_float(y.dtype)) {
    store(p, static_cast<int64_t>(std::clamp(value, -0x1p62, 0x1p62)));
  } else if (value != 0.0) {
    return bad_input(fmt::format("padding {} with a value", name_of(y.dtype)), where);
  }
  return {};
}

// Axes as the kernels want them (move.h).
void set_axes(const Dims& dims, const Dims& before, const Dims& after, nk_pad_params& p) {
  size_t end = dims.size();
  if (p.pad_mode != 0) {
    while (end > 1 && before[end - 1] == 0 && after[end - 1] == 0) {
      p.width *= static_cast<int32_t>(dims[--end]);
    }
  }
  for (size_t i = 0; i < end; ++i) {
    const bool joins = p.pad_mode == 0 && p.rank > 0 && before[i] == 0 && after[i] == 0;
    if (joins) {
      const auto last = static_cast<size_t>(p.rank - 1);
      const auto n = static_cast<int32_t>(dims[i]);
      p.dims[last] *= n;
      p.before[last] *= n;
      p.after[last] *= n;
      continue;
    }
    const auto at = static_cast<size_t>(p.rank++);
    p.dims[at] = static_cast<int32_t>(dims[i]);
    p.before[at] = static_cast<int32_t>(before[i]);
    p.after[at] = static_cast<int32_t>(after[i]);
  }
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  const std::string where = place_of(node);
  const TensorType& x = *input_type(graph, node, 0);
  nk_pad_params p{};
  NK_ASSIGN(p.pad_mode, mode_of(node));
  NK_ASSIGN(p.width, element_bytes(x.dtype, where));
  NK_TRY(set_value(y[0], node.attrs.get_float("value", 0.0), where, p));
  set_axes(x.dims, node.attrs.get_ints("before"), node.attrs.get_ints("after"), p);
  if (p.rank == 0) p.rank = p.dims[0] = 1;
  return StepParams{bytes_of(p), "any"};
}

Result<void> add_pad(const ForeignNode& node, LowerContext& context, TensorId x, Dims before,
                     Dims after, std::string mode, double value) {
  const auto positive = [](int64_t pad) { return pad > 0; };
  if (std::ranges::any_of(before, positive) || std::ranges::any_of(after, positive)) {
    Attrs attrs;
    attrs.set("before", std::move(before));
    attrs.set("after", std::move(after));
    if (mode != "constant") attrs.set("mode", std::move(mode));
    if (value != 0.0) attrs.set("value", value);
    NK_ASSIGN(x, context.add("pad", {x}, std::move(attrs), declared_type(context, node, 0)));
  }
  return context.bind(node, 0, x);
}

// Negative pads cut; what remains is padded.
Result<TensorId> cropped(const ForeignNode& node, LowerContext& context, TensorId x, Dims& before,
                         Dims& after) {
  const Dims dims = context.type(x).dims;
  Dims starts(dims.size(), 0), steps(dims.size(), 1), sizes = dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t front = std::min(std::max(-before[i], int64_t{0}), dims[i]);
    const int64_t back = std::min(std::max(-after[i], int64_t{0}), dims[i]);
    sizes[i] -= front + back;
    if (sizes[i] < 0 || before[i] < -dims[i] || after[i] < -dims[i]) {
      return bad_input(fmt::format("pads {} and {} leave nothing of axis {} of shape {}",
                                   before[i], after[i], i, dims_text(dims)),
                       place_of(node));
    }
    starts[i] = sizes[i] == 0 ? 0 : front;
    before[i] = std::max(before[i], int64_t{0});
    after[i] = std::max(after[i], int64_t{0});
  }
  if (sizes == dims) return x;
  Attrs attrs;
  attrs.set("starts", std::move(starts));
  attrs.set("steps", std::move(steps));
  attrs.set("sizes", std::move(sizes));
  return context.add("slice", {x}, std::move(attrs));
}

// The constant scalar of input i as a real number; 0 where it is absent. A quantised one carries
// its own scale.
Result<double> pad_value(const ForeignNode& node, const LowerContext& context, size_t i) {
  const TensorId id = context.input(node, i);
  if (id == kNoTensor) return 0.0;
  const TensorType& type = context.type(id);
  double value = 0.0;
  if (const auto reals = context.const_floats(id); reals.has_value() && reals->size() == 1) {
    value = (*reals)[0];
  } else if (const auto whole = context.const_ints(id);
             whole.has_value() && whole->size() == 1) {
    value = static_cast<double>((*whole)[0]);
  } else {
    return bad_input("the padding value is not a constant scalar", place_of(node));
  }
  if (type.quant.scale.size() != 1 || is_float(type.dtype)) return value;
  const int64_t zero = type.quant.zero_point.empty() ? 0 : type.quant.zero_point[0];
  return (value - static_cast<double>(zero)) * double{type.quant.scale[0]};
}

// ONNX Pad: pads as attribute (to opset 10) or input, the axes they speak of from opset 18.
Result<void> lower_onnx(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const size_t rank = context.type(x).dims.size();
  Dims pads = node.attrs.get_ints(node.version < 2 ? "paddings" : "pads");
  double value = node.attrs.get_float("value", 0.0);
  if (pads.empty() && context.input(node, 1) != kNoTensor) {
    NK_ASSIGN(pads, constant_ints(context, node, 1, "pads"));
    NK_ASSIGN(value, pad_value(node, context, 2));
  }
  Dims axes;
  if (context.input(node, 3) != kNoTensor) {
    NK_ASSIGN(axes, constant_ints(context, node, 3, "axis list"));
  } else {
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (pads.size() != 2 * axes.size()) {
    return bad_input(fmt::format("{} pads for {} axes", pads.size(), axes.size()), where);
  }
  Dims before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    NK_ASSIGN(const int64_t axis, normal_axis(axes[i], rank, where));
    before[static_cast<size_t>(axis)] = pads[i];
    after[static_cast<size_t>(axis)] = pads[axes.size() + i];
    if (std::max(std::abs(pads[i] / 2), std::abs(pads[axes.size() + i] / 2)) > INT32_MAX) {
      return bad_input(fmt::format("pad of axis {} is out of range", axis), where);
    }
  }
  NK_ASSIGN(x, cropped(node, context, x, before, after));
  return add_pad(node, context, x, std::move(before), std::move(after),
                 node.attrs.get_string("mode", "constant"), value);
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const size_t rank = context.type(x).dims.size();
  NK_ASSIGN(const Dims pads, constant_ints(context, node, 1, "paddings"));
  if (pads.size() != 2 * rank) {
    return bad_input(fmt::format("{} paddings for rank {}", pads.size(), rank), place_of(node));
  }
  Dims before, after;
  for (size_t i = 0; i < rank; ++i) {
    before.push_back(pads[2 * i]);
    after.push_back(pads[2 * i + 1]);
  }
  if (node.op == "MIRROR_PAD") {
    const bool reflect = node.attrs.get_string("mode", "REFLECT") == "REFLECT";
    return add_pad(node, context, x, std::move(before), std::move(after),
                   reflect ? "reflect" : "symmetric", 0.0);
  }
  NK_ASSIGN(const double value, pad_value(node, context, 2));
  return add_pad(node, context, x, std::move(before), std::move(after), "constant", value);
}

constexpr ForeignRule kRules[] = {{SourceFormat::kOnnx, "Pad", "", lower_onnx},
                                  {SourceFormat::kTflite, "PAD", "", lower_tflite},
                                  {SourceFormat::kTflite, "PADV2", "", lower_tflite},
                                  {SourceFormat::kTflite, "MIRROR_PAD", "", lower_tflite}};

}  // namespace

extern const OpDef nk_op_pad =
    with_quant({"pad", kRules,      kTable::fields, kTable::bytes,
                infer, make_params, one_arg,        no_macs},
               {QuantRule::kSame});

}  // namespace netkit
