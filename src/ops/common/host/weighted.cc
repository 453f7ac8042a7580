// SPDX-License-Identifier: MIT
// Operators with weights, bias and requantisation (weighted.h).
#include "ops/common/host/weighted.h"

#include <fmt/format.h>

#include <cmath>

#include "compiler/ir/const_values.h"
#include "ops/common/wide.h"

namespace netkit {
namespace {

const TensorType& output_type(const Graph& graph, const Node& node) {
  return graph.tensor(node.outputs[0]).type;
}

// One scale per tensor or per output channel, each finite and not negative; one zero point.
Result<void> check_filter_quant(const Quant& quant, int64_t out_c, int channel_axis,
                                const std::string& where) {
  const auto scales = static_cast<int64_t>(quant.scale.size());
  if (scales != 1 && (scales != out_c || quant.axis != channel_axis)) {
    return bad_input(fmt::format("the weights have {} scales on axis {}; 1, or {} on axis {}, are "
                                 "needed",
                                 scales, quant.axis, out_c, channel_axis),
                     where);
  }
  for (const float scale : quant.scale) {
    if (!std::isfinite(scale) || scale < 0.0f) {
      return bad_input(fmt::format("the weights have a scale of {}", scale), where);
    }
  }
  for (const int64_t zero_point : quant.zero_point) {
    if (zero_point != quant.zero_point[0]) {
      return bad_input("the weights have different zero points per channel", where);
    }
  }
  return {};
}

// int16 has no zero points.
Result<WeightedFields> checked_wide(const WeightedFields& f, const std::string& where) {
  if (f.input_offset == 0 && f.filter_offset == 0 && f.output_offset == 0) return f;
  return bad_input("int16 activations with a zero point that is not 0", where);
}

// The bias of int16 activations as 64-bit constants; zeros where there is none.
Result<StepArg> wide_bias(const Graph& graph, const Node& node, int64_t out_c) {
  const std::string where = place_of(node);
  std::vector<int64_t> values(static_cast<size_t>(out_c), 0);
  if (const TensorType* type = input_type(graph, node, 2)) {
    if (type->dtype != NK_INT64 && type->dtype != NK_INT16 && type->dtype != NK_INT32) {
      return bad_input(fmt::format("the bias is {}, int64 or int32 is needed beside int16",
                                   name_of(type->dtype)),
                       where);
    }
    const auto given = ints_of(graph.tensor(node.inputs[2]));
    if (!given) return bad_input("the bias is not constant", where);
    values = *given;
  }
  return StepArg{kNoTensor, constant_of(values), NK_INT64, 8, "bias"};
}

Result<void> check_wide_shifts(const std::vector<int32_t>& shifts, const std::string& where) {
  for (const int32_t shift : shifts) {
    NK_TRY(checked_int32(shift, NK_WIDE_MIN_SHIFT, NK_WIDE_MAX_SHIFT, "the power of two of a scale",
                         where));
  }
  return {};
}

}  // namespace

Result<void> check_weighted(const Graph& graph, const Node& node, int64_t out_c) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_ASSIGN(const TensorType* weights, need_input(graph, node, 1, -1));
  const TensorType* bias = input_type(graph, node, 2);
  if (bias == nullptr) return check_sizes(std::array{x, weights}, where);
  if (bias->dims != Dims{out_c}) {
    return bad_input(
        fmt::format("the bias has shape {}, {} is needed", dims_text(bias->dims), out_c), where);
  }
  return check_sizes(std::array{x, weights, bias}, where);
}

std::string weighted_signature(const Graph& graph, const Node& node) {
  const nk_dtype x = input_type(graph, node, 0)->dtype;
  const nk_dtype weights = input_type(graph, node, 1)->dtype;
  const nk_dtype y = output_type(graph, node).dtype;
  std::string text(signature_of(x));
  if (weights == x && y == x) return text;
  if (weights != x) text += fmt::format("_{}", signature_of(weights));
  return text + fmt::format("_{}", signature_of(y));
}

bool makes_sums(const Graph& graph, const Node& node) {
  const std::string signature = weighted_signature(graph, node);
  return signature == "s8_s32" || signature == "u8_s32";
}

Result<WeightedFields> weighted_fields(const Graph& graph, const Node& node, int64_t out_c,
                                       int channel_axis) {
  const std::string where = place_of(node);
  WeightedFields f;
  NK_ASSIGN(const RealRange clamp, activation_clamp(node.attrs, where));
  f.clamp_min = clamp.lo;
  f.clamp_max = clamp.hi;
  const std::string signature = weighted_signature(graph, node);
  const TensorType& weights = *input_type(graph, node, 1);
  if (makes_sums(graph, node)) {
    NK_ASSIGN(const int32_t x, zero_point_of(*input_type(graph, node, 0), "the input", where));
    NK_ASSIGN(const int32_t w, zero_point_of(weights, "the weights", where));
    f.input_offset = -x;
    f.filter_offset = -w;
    return f;
  }
  if (signature != "s8" && signature != "u8" && signature != kWideSignature) return f;
  NK_ASSIGN(const TensorQuant x, tensor_quant(*input_type(graph, node, 0), "the input", where));
  NK_ASSIGN(const TensorQuant y, tensor_quant(output_type(graph, node), "the output", where));
  NK_TRY(check_filter_quant(weights.quant, out_c, channel_axis, where));
  const int64_t filter_zero = weights.quant.zero_point.empty() ? 0 : weights.quant.zero_point[0];
  NK_ASSIGN(const IntRange range, value_range(weights.dtype, where));
  NK_ASSIGN(f.filter_offset,
            checked_int32(-filter_zero, -range.hi, -range.lo, "filter offset", where));
  NK_ASSIGN(const IntRange act, activation_range(node.attrs, output_type(graph, node), where));
  f.input_offset = -x.zero_point;
  f.output_offset = y.zero_point;
  f.act_min = act.lo;
  f.act_max = act.hi;
  f.per_channel = weights.quant.scale.size() > 1 ? 1 : 0;
  const TensorType* bias = input_type(graph, node, 2);
  if (signature == kWideSignature) {
    f.narrow_weights = bias != nullptr && bias->dtype == NK_INT32 ? 1 : 0;  // wide.h
    return checked_wide(f, where);
  }
  const auto values = channel_weights(graph, node, channel_axis);
  f.narrow_weights = values && are_narrow(*values) ? 1 : 0;
  return f;
}

std::optional<ChannelWeights> channel_weights(const Graph& graph, const Node& node,
                                              int channel_axis) {
  const Tensor& tensor = graph.tensor(node.inputs[1]);
  const TensorType* bias = input_type(graph, node, 2);
  if (!tensor.is_constant() || tensor.type.dtype != NK_INT8) return std::nullopt;
  if (bias != nullptr && !graph.tensor(node.inputs[2]).is_constant()) return std::nullopt;
  ChannelWeights w;
  w.values = {reinterpret_cast<const int8_t*>(tensor.data->data()), tensor.data->size()};
  w.channels = channel_axis == 0 ? tensor.type.dims.front() : tensor.type.dims.back();
  w.count = static_cast<int64_t>(w.values.size()) / std::max<int64_t>(1, w.channels);
  w.channel_stride = channel_axis == 0 ? w.count : 1;
  w.stride = channel_axis == 0 ? 1 : w.channels;
  return w;
}

Result<std::vector<StepArg>> weighted_args(const Graph& graph, const Node& node, int64_t out_c,
                                           ScaleProduct product) {
  const std::string where = place_of(node);
  std::vector<StepArg> args = {tensor_arg(node, 0, "input"), tensor_arg(node, 1, "weights"),
                               tensor_arg(node, 2, "bias")};
  args.resize(5);
  if (makes_sums(graph, node)) {
    if (args[2].tensor == kNoTensor) return args;
    return bad_input("sums with a bias are not supported", where);
  }
  const std::string signature = weighted_signature(graph, node);
  const bool wide = signature == kWideSignature, unsigned_x8 = signature == "u8";
  const bool quantised = wide || unsigned_x8 || signature == "s8";
  const nk_dtype bias_dtype = quantised ? NK_INT32 : NK_FLOAT32;
  if (const TensorType* bias = input_type(graph, node, 2);
      bias != nullptr && bias->dtype != bias_dtype && !wide) {
    return bad_input(
        fmt::format("the bias is {}, {} is needed", name_of(bias->dtype), name_of(bias_dtype)),
        where);
  }
  if (!quantised) return args;
  if (wide) {
    NK_ASSIGN(args[2], wide_bias(graph, node, out_c));
  } else if (args[2].tensor == kNoTensor) {
    args[2].constant = constant_of(std::vector<int32_t>(static_cast<size_t>(out_c), 0));
    args[2].dtype = NK_INT32;
  }
  NK_ASSIGN(const TensorQuant x, tensor_quant(*input_type(graph, node, 0), "the input", where));
  NK_ASSIGN(const TensorQuant y, tensor_quant(output_type(graph, node), "the output", where));
  const std::vector<float>& scales = input_type(graph, node, 1)->quant.scale;
  std::vector<int32_t> mantissas, shifts;
  for (const float scale : scales) {
    const bool in_float = (product == ScaleProduct::kFloat || unsigned_x8) && scales.size() == 1;
    const double numerator = in_float ? double{x.scale * scale} : double{x.scale} * double{scale};
    NK_ASSIGN(const QuantizedMultiplier m, quantize_multiplier(numerator / double{y.scale}, where));
    mantissas.push_back(m.mantissa);
    shifts.push_back(m.shift);
  }
  if (wide) NK_TRY(check_wide_shifts(shifts, where));
  args[3] = {kNoTensor, constant_of(mantissas), NK_INT32, 4, "multiplier"};
  args[4] = {kNoTensor, constant_of(shifts), NK_INT32, 4, "shift"};
  return args;
}

Result<TensorType> spatial_input(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* first, need_input(graph, node, 0, 4));
  if (!reads_parts(node)) return *first;
  if (node.inputs.size() < part_input(1) + 1 || node.inputs.size() > NK_MAX_PARTS + 2) {
    return bad_input(fmt::format("{} inputs are not 2 to {} parts, weights and bias",
                                 node.inputs.size(), NK_MAX_PARTS),
                     where);
  }
  TensorType joined = *first;
  if (joined.quant.scale.size() > 1) return bad_input("parts have scales per axis", where);
  for (size_t i = part_input(1); i < node.inputs.size(); ++i) {
    NK_ASSIGN(const TensorType* part, need_input(graph, node, i, 4));
    TensorType expected = *first;
    expected.dims[3] = part->dims[3];
    if (*part != expected || part->dims[3] == 0 || first->dims[3] == 0) {
      return bad_input(fmt::format("input {} of {} is no part beside {}", i, type_text(*part),
                                   type_text(*first)),
                       where);
    }
    joined.dims[3] += part->dims[3];
  }
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&joined}, where));
  return joined;
}

std::vector<StepArg> with_parts(const Node& node, std::vector<StepArg> args) {
  std::vector<StepArg> others;
  if (!reads_parts(node)) return args;
  for (size_t i = part_input(1); i < node.inputs.size(); ++i) {
    others.push_back(tensor_arg(node, i, fmt::format("part{}", others.size() + 1)));
  }
  args.insert(args.begin() + 1, others.begin(), others.end());
  return args;
}

}  // namespace netkit
