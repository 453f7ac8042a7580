// SPDX-License-Identifier: MIT
// The host face of the elementwise functions of one tensor (unary.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/ir/const_values.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/unary/unary.h"
#include "ops/unary/unary_real.h"

namespace netkit {

void unary_modes(const nk_unary_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_unary_params, NK_UNARY_FIELDS);

bool gives_bool(std::string_view op) { return op == "is_nan" || op == "is_inf"; }

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  return std::vector{TensorType{gives_bool(node.op) ? NK_BOOL : x->dtype, x->dims, {}}};
}

Result<void> set_piecewise(const Graph& graph, const Node& node, const UnaryFunction& function,
                           nk_unary_params& p) {
  const std::string where = place_of(node);
  const TensorType& y = graph.tensor(node.outputs[0]).type;
  Piecewise piecewise{};
  if (!is_piecewise(node.op, unary_attrs(function, node.attrs), piecewise)) return {};
  NK_ASSIGN(const TensorQuant in, tensor_quant(*input_type(graph, node, 0), "the input", where));
  NK_ASSIGN(const TensorQuant out, tensor_quant(y, "the output", where));
  NK_ASSIGN(const IntRange limits, value_range(y.dtype, where));
  NK_ASSIGN(const PiecewiseSteps s, piecewise_steps(piecewise, in, out, limits, where));
  p.in_zero_point = in.zero_point;
  p.zero_point = out.zero_point;
  p.multiplier = s.positive.mantissa;
  p.shift = s.positive.shift;
  p.multiplier_neg = s.negative.mantissa;
  p.shift_neg = s.negative.shift;
  p.act_min = s.range.lo;
  p.act_max = s.range.hi;
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  nk_unary_params p{};
  p.count = static_cast<int32_t>(product_of(x.dims, 0, x.dims.size()));
  if (const UnaryFunction* function = find_unary_function(node.op); function != nullptr) {
    const UnaryAttrs attrs = unary_attrs(*function, node.attrs);
    p.alpha = static_cast<float>(attrs.alpha);
    p.beta = static_cast<float>(attrs.beta);
    if (x.dtype == NK_INT16) NK_TRY(set_piecewise(graph, node, *function, p));
  } else {
    p.alpha = static_cast<float>(node.attrs.get_int("detect_negative", 1));
    p.beta = static_cast<float>(node.attrs.get_int("detect_positive", 1));
  }
  return StepParams{bytes_of(p), std::string(signature_of(x.dtype))};
}

Result<std::vector<StepArg>> make_args(const Graph& graph, const Node& node,
                                       const KernelRow& row) {
  std::vector<StepArg> args{tensor_arg(node, 0, "x")};
  if (row.layout != "table256") return args;
  const UnaryFunction& function = *find_unary_function(node.op);
  NK_ASSIGN(Bytes table, unary_table(function, unary_attrs(function, node.attrs),
                                     *input_type(graph, node, 0),
                                     graph.tensor(node.outputs[0]).type, place_of(node)));
  StepArg arg;
  arg.constant = std::make_shared<const Bytes>(std::move(table));
  arg.dtype = NK_UINT8;
  arg.label = "table";
  args.push_back(std::move(arg));
  return args;
}

uint64_t no_macs(const Graph&, const Node&) { return 0; }

Result<TensorId> cast_to(LowerContext& context, TensorId x, nk_dtype to) {
  Attrs attrs;
  attrs.set("to", std::string(name_of(to)));
  return context.add("cast", {x}, std::move(attrs));
}

// Plain tensors of types that have no kernels are computed in a wider one.
nk_dtype computed_in(const TensorType& type) {
  if (!type.quant.empty()) return type.dtype;
  if (type.dtype == NK_INT8 || type.dtype == NK_INT16 || type.dtype == NK_UINT8) return NK_INT32;
  return type.dtype == NK_FLOAT16 ? NK_FLOAT32 : type.dtype;
}

Result<void> bind_unary(std::string_view op, const ForeignNode& node, Attrs attrs,
                        LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const nk_dtype own = context.type(x).dtype, wide = computed_in(context.type(x));
  if (wide == own) {
    NK_ASSIGN(const TensorId y,
              context.add(op, {x}, std::move(attrs), declared_type(context, node, 0)));
    return context.bind(node, 0, y);
  }
  NK_ASSIGN(TensorId y, cast_to(context, x, wide));
  NK_ASSIGN(y, context.add(op, {y}, std::move(attrs)));
  if (!gives_bool(op)) {
    NK_ASSIGN(y, cast_to(context, y, own));
  }
  return context.bind(node, 0, y);
}

bool is_plain_integer(const TensorType& type) {
  return type.quant.empty() && !is_float(type.dtype) && type.dtype != NK_BOOL;
}

// Plain integers are clipped by maximum and minimum with scalars of their type.
Result<void> lower_integer_clip(const ForeignNode& node, LowerContext& context,
                                std::optional<int64_t> lo, std::optional<int64_t> hi) {
  const struct {
    const char* op;
    std::optional<int64_t> bound;
  } steps[] = {{"maximum", lo}, {"minimum", hi}};
  TensorId y = context.input(node, 0);
  const nk_dtype dtype = context.type(y).dtype;
  for (const auto& step : steps) {
    if (!step.bound.has_value()) continue;
    const ConstData bytes = constant_ints(dtype, std::array{*step.bound});
    if (bytes == nullptr) {
      return bad_input(fmt::format("bound {} of {}", *step.bound, name_of(dtype)), place_of(node));
    }
    const TensorId bound = context.add_constant(node.name + "_bound", {dtype, {}, {}}, *bytes);
    NK_ASSIGN(y, context.add(step.op, {y, bound}, {}));
  }
  return context.bind(node, 0, y);
}

// ONNX Clip: bounds as attributes (opset 6) or inputs (11 and later), each optional.
Result<void> lower_clip(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const char* const names[2] = {"min", "max"};
  double bounds[2] = {-INFINITY, INFINITY};
  std::optional<int64_t> whole[2];
  for (size_t i = 0; i < 2; ++i) {
    bounds[i] = node.attrs.get_float(names[i], bounds[i]);
    const TensorId id = context.input(node, i + 1);
    if (id == kNoTensor) continue;
    if (is_plain_integer(context.type(x))) {
      const auto values = context.const_ints(id);
      if (values.has_value() && values->size() == 1) whole[i] = (*values)[0];
      if (whole[i].has_value()) continue;
    } else if (const auto values = context.const_floats(id);
               values.has_value() && values->size() == 1) {
      bounds[i] = (*values)[0];
      continue;
    }
    return bad_input(fmt::format("input {} is not a constant scalar", names[i]), place_of(node),
                     "export the model with fixed bounds");
  }
  if (is_plain_integer(context.type(x))) {
    return lower_integer_clip(node, context, whole[0], whole[1]);
  }
  if (std::isnan(bounds[0]) || std::isnan(bounds[1])) {
    return bad_input("a bound is NaN", place_of(node));
  }
  if (bounds[0] == 0.0 && bounds[1] == INFINITY) return bind_unary("relu", node, {}, context);
  if (bounds[0] == 0.0 && bounds[1] == 6.0) return bind_unary("relu6", node, {}, context);
  Attrs attrs;
  attrs.set("min", bounds[0]);
  attrs.set("max", bounds[1]);
  return bind_unary("clip", node, std::move(attrs), context);
}

Result<void> lower_real(const ForeignNode& node, LowerContext& context) {
  const UnaryFunction* function = find_foreign_unary(context.format(), node.op);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  if (function->op == "relu" && is_plain_integer(context.type(x))) {
    return lower_integer_clip(node, context, 0, std::nullopt);
  }
  const UnaryAttrs values = unary_attrs(*function, node.attrs);
  Attrs attrs;
  if (!function->alpha.empty()) attrs.set(std::string(function->alpha), values.alpha);
  if (!function->beta.empty()) attrs.set(std::string(function->beta), values.beta);
  if (function->op == "selu" && node.version < 6 && context.format() == SourceFormat::kOnnx) {
    attrs.set("alpha", node.attrs.get_float("alpha", 1.6732));
    attrs.set("gamma", node.attrs.get_float("gamma", 1.0507));
  }
  return bind_unary(function->op, node, std::move(attrs), context);
}

Result<void> lower_gelu(const ForeignNode& node, LowerContext& context) {
  const bool tanh = context.format() == SourceFormat::kOnnx
                        ? node.attrs.get_string("approximate", "none") == "tanh"
                        : node.attrs.get_int("approximate", 0) != 0;
  return bind_unary(tanh ? "gelu_tanh" : "gelu", node, {}, context);
}

Result<void> lower_other(const ForeignNode& node, LowerContext& context) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"Not", "logical_not"},   {"LOGICAL_NOT", "logical_not"}, {"BitwiseNot", "bitwise_not"},
      {"IsNaN", "is_nan"},      {"IsInf", "is_inf"}};
  for (const auto& [foreign, op] : kNames) {
    if (foreign != node.op) continue;
    Attrs attrs;
    if (op == "is_inf") {
      attrs.set("detect_negative", node.attrs.get_int("detect_negative", 1));
      attrs.set("detect_positive", node.attrs.get_int("detect_positive", 1));
    }
    return bind_unary(op, node, std::move(attrs), context);
  }
  return bad_input("unknown function", place_of(node));
}

#define NK_UNARY_RULES(op, onnx, tflite, a, a0, b, b0) \
  constexpr RulePair kRules_##op = rule_pair(onnx, tflite, lower_real);
NK_UNARY_NAMED_OPS(NK_UNARY_RULES)
#undef NK_UNARY_RULES
constexpr RulePair kRules_clip = rule_pair("Clip", "", lower_clip);
constexpr ForeignRule kRules_gelu[] = {{SourceFormat::kOnnx, "Gelu", "", lower_gelu},
                                       {SourceFormat::kOnnx, "Gelu", "com.microsoft", lower_gelu},
                                       {SourceFormat::kTflite, "GELU", "", lower_gelu}};
constexpr RulePair kRules_gelu_tanh = rule_pair("", "", nullptr);
constexpr RulePair kRules_logical_not = rule_pair("Not", "LOGICAL_NOT", lower_other);
constexpr RulePair kRules_bitwise_not = rule_pair("BitwiseNot", "", lower_other);
constexpr RulePair kRules_is_nan = rule_pair("IsNaN", "", lower_other);
constexpr RulePair kRules_is_inf = rule_pair("IsInf", "", lower_other);

// The slope of these has no bound: a step of an 8-bit input may be any change of the result.
constexpr std::string_view kSteep[] = {"reciprocal", "sqrt", "rsqrt", "log", "tan", "acosh",
                                       "atanh"};
constexpr std::string_view kNotReal[] = {"logical_not", "bitwise_not", "is_nan", "is_inf"};

constexpr QuantForm quant_form(std::string_view op) {
  if (op == "sigmoid") return {QuantRule::kFixed, 0, 1.0f / 256, -128};
  if (op == "tanh") return {QuantRule::kFixed, 0, 1.0f / 128, 0};
  const bool steep = std::ranges::find(kSteep, op) != std::end(kSteep);
  const bool not_real = std::ranges::find(kNotReal, op) != std::end(kNotReal);
  return {steep || not_real ? QuantRule::kNone : QuantRule::kRange};
}

}  // namespace

#define NK_UNARY_DEF(op)                                                              \
  extern const OpDef nk_op_##op = with_quant(                                                     \
      {#op,   kRules_##op, kTable::fields, kTable::bytes,                                         \
       infer, make_params, make_args,      no_macs,                                               \
       false, true,        "nk_unary_params"},                                                    \
      quant_form(#op));
#define NK_UNARY_REAL_DEF(op, onnx, tflite, a, a0, b, b0) NK_UNARY_DEF(op)
NK_UNARY_REAL_OPS(NK_UNARY_REAL_DEF)
NK_UNARY_OTHER_OPS(NK_UNARY_DEF)
#undef NK_UNARY_REAL_DEF
#undef NK_UNARY_DEF

}  // namespace netkit
