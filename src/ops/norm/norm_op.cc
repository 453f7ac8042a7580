// SPDX-License-Identifier: MIT
// The host face of the normalisations (norm.h): ONNX LayerNormalization, RMSNormalization,
// GroupNormalization, InstanceNormalization, BatchNormalization.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/composed/composed.h"
#include "ops/norm/norm.h"

namespace netkit {

// Slabs in the order of memory, each read before it is written.
void norm_modes(const nk_norm_params* p, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  if (p->groups == 1 || p->spatial == 1) add_forward_mode({0}, out);
}

void batch_norm_modes(const nk_norm_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_norm_params, NK_NORM_FIELDS);

// x seen as [batch, spatial, groups, channels].
Result<nk_norm_params> view_of(const Node& node, const TensorType& x) {
  const std::string where = place_of(node);
  const size_t rank = x.dims.size();
  nk_norm_params p{};
  const double epsilon = node.op == "l2_norm" ? 1e-6 : 1e-5;
  p.epsilon = static_cast<float>(node.attrs.get_float("epsilon", epsilon));
  p.subtract_mean = node.op == "rms_norm" ? 0 : 1;
  p.batch = p.spatial = p.groups = p.channels = 1;
  const auto product = [&](size_t begin, size_t end) {
    return static_cast<int32_t>(product_of(x.dims, begin, end));
  };
  if (rank == 0) return bad_input("a scalar cannot be normalised", where);
  if (node.op == "batch_norm" || node.op == "l2_norm") {
    p.batch = product(0, rank - 1);
    p.channels = product(rank - 1, rank);
    return p;
  }
  if (node.op == "layer_norm" || node.op == "rms_norm") {
    NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis", -1), rank, where));
    p.batch = product(0, static_cast<size_t>(axis));
    p.channels = product(static_cast<size_t>(axis), rank);
    return p;
  }
  if (rank < 2) return bad_input(fmt::format("shape {} has no channels", dims_text(x.dims)), where);
  const int64_t channels = x.dims[rank - 1];
  const int64_t groups = node.op == "group_norm" ? node.attrs.get_int("groups", 0) : channels;
  if (channels == 0 || groups < 1 || channels % groups != 0) {
    return bad_input(fmt::format("{} channels in {} groups", channels, groups), where);
  }
  p.batch = product(0, 1);
  p.spatial = product(1, rank - 1);
  p.groups = static_cast<int32_t>(groups);
  p.channels = static_cast<int32_t>(channels / groups);
  return p;
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, where));
  NK_ASSIGN(const nk_norm_params p, view_of(node, *x));
  const int64_t count = int64_t{p.groups} * p.channels;
  for (size_t i = 1; i < 3; ++i) {
    const TensorType* factor = input_type(graph, node, i);
    if (factor == nullptr && node.op == "batch_norm") {
      return bad_input(fmt::format("input {} is missing", i), where);
    }
    if (factor == nullptr) continue;
    NK_ASSIGN(const int64_t have, element_count(factor->dims));
    if (have != count || factor->dtype != x->dtype) {
      return bad_input(fmt::format("input {} is {}, {} values of {} are needed", i,
                                   type_text(*factor), count, name_of(x->dtype)),
                       where);
    }
  }
  return std::vector{TensorType{x->dtype, x->dims, {}}};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_TRY(infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  NK_ASSIGN(const nk_norm_params p, view_of(node, x));
  return StepParams{bytes_of(p), std::string(signature_of(x.dtype))};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x"), tensor_arg(node, 1, "scale"),
                     tensor_arg(node, 2, "bias")};
}

uint64_t no_macs(const Graph&, const Node&) { return 0; }

Result<void> only_first_output(const ForeignNode& node) {
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kAbsent) continue;
    return bad_input(fmt::format("output {} (statistics) is not supported", i), place_of(node));
  }
  return {};
}

Attrs reduction_of(Dims axes) {
  Attrs attrs;
  attrs.set("axes", std::move(axes));
  attrs.set("keepdims", int64_t{1});
  return attrs;
}

// A constant vector of x's channels, kept as float32.
Result<std::vector<double>> vector_of(const ForeignNode& node, const LowerContext& context,
                                      size_t i, size_t count) {
  NK_ASSIGN(const TensorId id, need_foreign_input(context, node, i));
  auto values = context.const_floats(id);
  if (values.has_value() && values->size() == count) return *values;
  return bad_input(fmt::format("input {} is not a constant of {} values", i, count),
                   place_of(node));
}

// Channels of an ONNX tensor [n, c, spatial ...] to the end and back.
Dims channels_last(size_t rank) {
  Dims perm{0};
  for (size_t i = 2; i < rank; ++i) perm.push_back(static_cast<int64_t>(i));
  perm.push_back(1);
  return perm;
}
Dims channels_first(size_t rank) {
  Dims perm{0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 1; i + 1 < rank; ++i) perm.push_back(static_cast<int64_t>(i));
  return perm;
}

Result<void> lower_batch_norm(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const TensorType type = context.type(x);
  const size_t rank = type.dims.size();
  if (rank < 2) return bad_input(fmt::format("shape {}", dims_text(type.dims)), where);
  if (node.attrs.get_int("training_mode", 0) != 0) return lower_batch_norm_training(node, context);
  if (node.attrs.get_int("spatial", 1) == 0) {
    return bad_input("per-element statistics are not supported", where,
                     "export the model for inference");
  }
  const auto count = static_cast<size_t>(type.dims[1]);
  std::vector<double> values[4];
  for (size_t i = 0; i < 4; ++i) {
    NK_ASSIGN(values[i], vector_of(node, context, i + 1, count));
  }
  const double epsilon = node.attrs.get_float("epsilon", 1e-5);
  std::vector<float> scale(count), shift(count);
  for (size_t c = 0; c < count; ++c) {
    const double factor = values[0][c] / std::sqrt(values[3][c] + epsilon);
    scale[c] = static_cast<float>(factor);
    shift[c] = static_cast<float>(values[1][c] - values[2][c] * factor);
  }
  const TensorType vector{NK_FLOAT32, {type.dims[1]}, {}};
  const TensorId s = context.add_constant(node.name + "_scale", vector, *constant_of(scale));
  const TensorId b = context.add_constant(node.name + "_shift", vector, *constant_of(shift));
  if (rank > 2) {
    NK_ASSIGN(x, context.transpose(x, channels_last(rank)));
  }
  NK_ASSIGN(TensorId y, context.add("batch_norm", {x, s, b}, {}));
  if (rank > 2) {
    NK_ASSIGN(y, context.transpose(y, channels_first(rank)));
  }
  return context.bind(node, 0, y);
}

// Mean and 1 / sqrt(variance + epsilon) over the axes from `axis` on, where they are asked for.
Result<void> bind_statistics(const ForeignNode& node, LowerContext& context, TensorId x,
                             int64_t axis, double epsilon) {
  const auto asked = [&](size_t i) {
    return node.outputs.size() > i && node.outputs[i] != kAbsent;
  };
  if (!asked(1) && !asked(2)) return {};
  Dims axes;
  const auto rank = static_cast<int64_t>(context.type(x).dims.size());
  for (int64_t i = axis; i < rank; ++i) axes.push_back(i);
  NK_ASSIGN(const TensorId mean, context.add("reduce_mean", {x}, reduction_of(axes)));
  if (asked(1)) NK_TRY(context.bind(node, 1, mean));
  if (!asked(2)) return {};
  const TensorId small =
      context.add_constant(node.name + "_epsilon", {NK_FLOAT32, {}, {}},
                           *constant_of(std::vector<float>{static_cast<float>(epsilon)}));
  NK_ASSIGN(TensorId y, context.add("sub", {x, mean}, {}));
  NK_ASSIGN(y, context.add("square", {y}, {}));
  NK_ASSIGN(y, context.add("reduce_mean", {y}, reduction_of(axes)));
  NK_ASSIGN(y, context.add("add", {y, small}, {}));
  NK_ASSIGN(y, context.add("rsqrt", {y}, {}));
  return context.bind(node, 2, y);
}

Result<void> lower_layer_norm(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const double epsilon = node.attrs.get_float("epsilon", 1e-5);
  NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis", -1),
                                            context.type(x).dims.size(), place_of(node)));
  Attrs attrs;
  attrs.set("axis", axis);
  attrs.set("epsilon", epsilon);
  const bool rms = node.op != "LayerNormalization";
  if (rms) {
    NK_TRY(only_first_output(node));
  } else {
    NK_TRY(bind_statistics(node, context, x, axis, epsilon));
  }
  NK_ASSIGN(const TensorId y,
            context.add(rms ? "rms_norm" : "layer_norm",
                        {x, context.input(node, 1), rms ? kNoTensor : context.input(node, 2)},
                        std::move(attrs)));
  return context.bind(node, 0, y);
}

// A per-group factor (GroupNormalization before opset 21) as one value per channel.
Result<TensorId> per_channel(const ForeignNode& node, LowerContext& context, size_t i,
                             int64_t channels, int64_t groups) {
  NK_ASSIGN(const TensorId id, need_foreign_input(context, node, i));
  if (context.type(id).dims == Dims{channels} || channels == groups) return id;
  NK_ASSIGN(const std::vector<double> values,
            vector_of(node, context, i, static_cast<size_t>(groups)));
  std::vector<float> wide;
  for (int64_t c = 0; c < channels; ++c) {
    wide.push_back(static_cast<float>(values[static_cast<size_t>(c / (channels / groups))]));
  }
  return context.add_constant(fmt::format("{}_{}", node.name, i), {NK_FLOAT32, {channels}, {}},
                              *constant_of(wide));
}

Result<void> lower_group_norm(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  if (dims.size() < 3) return bad_input(fmt::format("shape {}", dims_text(dims)), where);
  const bool instance = node.op == "InstanceNormalization";
  const int64_t groups = instance ? dims[1] : node.attrs.get_int("num_groups", 0);
  if (groups < 1 || dims[1] == 0 || dims[1] % groups != 0) {
    return bad_input(fmt::format("{} channels in {} groups", dims[1], groups), where);
  }
  NK_ASSIGN(const TensorId scale, per_channel(node, context, 1, dims[1], groups));
  NK_ASSIGN(const TensorId bias, per_channel(node, context, 2, dims[1], groups));
  Attrs attrs;
  attrs.set("epsilon", node.attrs.get_float("epsilon", 1e-5));
  if (!instance) attrs.set("groups", groups);
  NK_ASSIGN(x, context.transpose(x, channels_last(dims.size())));
  NK_ASSIGN(TensorId y, context.add(instance ? "instance_norm" : "group_norm", {x, scale, bias},
                                    std::move(attrs)));
  NK_ASSIGN(y, context.transpose(y, channels_first(dims.size())));
  return context.bind(node, 0, y);
}

Result<void> lower_l2_norm(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  if (node.attrs.get_string("fused_activation_function", "NONE") != "NONE") {
    return bad_input("a fused activation is not supported", place_of(node));
  }
  NK_ASSIGN(const TensorId y, context.add("l2_norm", {x}, {}, declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// x / (sum of |x|^p)^(1/p) along one axis, p 1 or 2.
Result<void> lower_lp(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const int64_t p = node.attrs.get_int("p", 2);
  if (p != 1 && p != 2) return bad_input("only p = 1 and p = 2 exist", place_of(node));
  NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis", -1),
                                            context.type(x).dims.size(), place_of(node)));
  NK_ASSIGN(const TensorId size,
            context.add(p == 1 ? "reduce_l1" : "reduce_l2", {x}, reduction_of({axis})));
  NK_ASSIGN(const TensorId y, context.add("div", {x, size}, {}));
  return context.bind(node, 0, y);
}

// (x - mean) / (sqrt(mean of squares of that) + 1e-9).
Result<void> lower_mean_variance(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const Dims axes, normal_axes(node.attrs.get_ints("axes", {0, 2, 3}),
                                         context.type(x).dims.size(), place_of(node)));
  const TensorId tiny = context.add_constant(node.name + "_tiny", {NK_FLOAT32, {}, {}},
                                             *constant_of(std::vector<float>{1e-9f}));
  NK_ASSIGN(const TensorId mean, context.add("reduce_mean", {x}, reduction_of(axes)));
  NK_ASSIGN(const TensorId centred, context.add("sub", {x, mean}, {}));
  NK_ASSIGN(const TensorId squares, context.add("square", {centred}, {}));
  NK_ASSIGN(const TensorId variance, context.add("reduce_mean", {squares}, reduction_of(axes)));
  NK_ASSIGN(const TensorId root, context.add("sqrt", {variance}, {}));
  NK_ASSIGN(const TensorId divisor, context.add("add", {root, tiny}, {}));
  NK_ASSIGN(const TensorId y, context.add("div", {centred, divisor}, {}));
  return context.bind(node, 0, y);
}

constexpr ForeignRule kRules_l2_norm[] = {
    {SourceFormat::kOnnx, "LpNormalization", "", lower_lp},
    {SourceFormat::kOnnx, "MeanVarianceNormalization", "", lower_mean_variance},
    {SourceFormat::kTflite, "L2_NORMALIZATION", "", lower_l2_norm}};
constexpr RulePair kRules_layer_norm = rule_pair("LayerNormalization", "", lower_layer_norm);
constexpr ForeignRule kRules_rms_norm[] = {
    {SourceFormat::kOnnx, "RMSNormalization", "", lower_layer_norm},
    {SourceFormat::kOnnx, "SimplifiedLayerNormalization", "", lower_layer_norm}};
constexpr RulePair kRules_group_norm = rule_pair("GroupNormalization", "", lower_group_norm);
constexpr RulePair kRules_instance_norm = rule_pair("InstanceNormalization", "", lower_group_norm);
constexpr RulePair kRules_batch_norm = rule_pair("BatchNormalization", "", lower_batch_norm);

}  // namespace

#define NK_NORM_DEF(op)                                                               \
  extern const OpDef nk_op_##op = {#op,   kRules_##op, kTable::fields, kTable::bytes, \
                                   infer, make_params, make_args,      no_macs,       \
                                   false, false,       "nk_norm_params"};
NK_NORM_OPS(NK_NORM_DEF)
#undef NK_NORM_DEF

}  // namespace netkit
