// SPDX-License-Identifier: MIT
// ONNX operators on quantised tensors that state every scale themselves: QLinearAdd and its kin
// (com.microsoft), and DynamicQuantizeLinear, whose scale is computed from the data.
#include <array>

#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/onnx_quant.h"
#include "ops/common/host/op_helpers.h"
#include "ops/quantize/quantize_lower.h"

namespace netkit {
namespace {

Result<void> bind_quantised(const ForeignNode& node, LowerContext& context, std::string_view op,
                            std::vector<TensorId> inputs, Attrs attrs, size_t scale_at) {
  const TensorType& x = context.type(inputs[0]);
  NK_ASSIGN(const OnnxQuant q, onnx_quant(node, context, scale_at, scale_at + 1, x.dims));
  NK_ASSIGN(const TensorId y,
            context.add(op, std::move(inputs), std::move(attrs), TensorType{x.dtype, {}, q.quant}));
  return context.bind(node, 0, y);
}

// a, its scale and zero point, b, its scale and zero point, scale and zero point of the result.
Result<void> lower_binary(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, quantised_input(node, context, 0, 1));
  NK_ASSIGN(const TensorId b, quantised_input(node, context, 3, 1));
  return bind_quantised(node, context, node.op == "QLinearAdd" ? "add" : "mul", {a, b}, {}, 6);
}

Result<void> lower_unary(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, quantised_input(node, context, 0, 1));
  Attrs attrs;
  const bool leaky = node.op == "QLinearLeakyRelu";
  if (leaky) attrs.set("alpha", node.attrs.get_float("alpha", 0.01));
  return bind_quantised(node, context, leaky ? "leaky_relu" : "sigmoid", {x}, std::move(attrs), 3);
}

// y_scale = (max(x, 0) - min(x, 0)) / 255, y_zero_point = round(-min / scale) in uint8, y =
// round(x / scale) + zero point in uint8; rounding to even.
Result<void> lower_dynamic(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Attrs all, byte, clip;
  Dims axes;
  for (size_t i = 0; i < context.type(x).dims.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
  all.set("axes", std::move(axes));
  all.set("keepdims", int64_t{0});
  byte.set("to", std::string("uint8"));
  clip.set("min", 0.0);
  clip.set("max", 255.0);
  Chain chain(context);
  const TensorId zero = chain.number(0.0f);
  const TensorId most = chain.add("maximum", {chain.add("reduce_max", {x}, all), zero});
  const TensorId least = chain.add("minimum", {chain.add("reduce_min", {x}, all), zero});
  const TensorId scale = chain.add("div", {chain.add("sub", {most, least}), chain.number(255.0f)});
  const TensorId point = chain.add("neg", {chain.add("div", {least, scale})});
  const TensorId rounded = chain.add("round", {chain.add("clip", {point}, clip)});
  const TensorId steps = chain.add("round", {chain.add("div", {x, scale})});
  const TensorId y =
      chain.add("cast", {chain.add("clip", {chain.add("add", {steps, rounded})}, clip)}, byte);
  const TensorId zero_point = chain.add("cast", {rounded}, byte);
  if (chain.error()) return std::unexpected(*chain.error());
  const TensorId results[] = {y, scale, zero_point};
  for (size_t i = 0; i < node.outputs.size() && i < std::size(results); ++i) {
    if (node.outputs[i] != kAbsent) NK_TRY(context.bind(node, i, results[i]));
  }
  return {};
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "QLinearAdd", "com.microsoft", lower_binary},
    {SourceFormat::kOnnx, "QLinearMul", "com.microsoft", lower_binary},
    {SourceFormat::kOnnx, "QLinearSigmoid", "com.microsoft", lower_unary},
    {SourceFormat::kOnnx, "QLinearLeakyRelu", "com.microsoft", lower_unary},
    {SourceFormat::kOnnx, "DynamicQuantizeLinear", "", lower_dynamic}};

}  // namespace

std::span<const ForeignRule> requantize_rules() {
  return kRules;
}

}  // namespace netkit
