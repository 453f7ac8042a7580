// SPDX-License-Identifier: MIT
#include "ops/quantize/quantize_lower.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/onnx_quant.h"
#include "ops/common/host/op_helpers.h"

namespace netkit {
namespace {

Result<void> bind_cast(const ForeignNode& node, LowerContext& context, TensorId x, nk_dtype to) {
  Attrs attrs;
  attrs.set("to", std::string(name_of(to)));
  NK_ASSIGN(const TensorId y, context.add("cast", {x}, std::move(attrs)));
  return context.bind(node, 0, y);
}

// TFLite QUANTIZE: of float32, or between quantised types.
Result<void> lower_quantize_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const auto declared = declared_type(context, node, 0);
  if (!declared.has_value()) return bad_input("the output has no type", place_of(node));
  Attrs attrs;
  attrs.set("to", std::string(name_of(declared->dtype)));
  const bool real = context.type(x).dtype == NK_FLOAT32;
  NK_ASSIGN(const TensorId y, context.add(real ? "quantize" : "requantize", {x}, std::move(attrs),
                                          declared));
  return context.bind(node, 0, y);
}

Result<void> lower_dequantize_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  if (context.type(x).dtype == NK_FLOAT16) return bind_cast(node, context, x, NK_FLOAT32);
  NK_ASSIGN(const TensorId y, context.add("dequantize", {x}, {}));
  return context.bind(node, 0, y);
}

// ONNX QuantizeLinear: the type is the zero point's, output_dtype, or uint8.
Result<void> lower_quantize_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  if (context.type(x).dtype != NK_FLOAT32) {
    return bad_input(fmt::format("quantising {} is not supported", name_of(context.type(x).dtype)),
                     place_of(node));
  }
  NK_ASSIGN(const OnnxQuant q, onnx_quant(node, context, 1, 2, context.type(x).dims));
  nk_dtype dtype = q.zero_dtype;
  if (dtype == NK_DTYPE_NONE && node.attrs.get_int("output_dtype", 0) != 0) {
    dtype = onnx_dtype(node.attrs.get_int("output_dtype"));
  }
  if (dtype == NK_DTYPE_NONE) dtype = NK_UINT8;
  Attrs attrs;
  attrs.set("to", std::string(name_of(dtype)));
  attrs.set("round", std::string("even"));
  NK_ASSIGN(const TensorId y, context.add("quantize", {x}, std::move(attrs),
                                          TensorType{dtype, context.type(x).dims, q.quant}));
  return context.bind(node, 0, y);
}

Result<void> lower_dequantize_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const OnnxQuant q, onnx_quant(node, context, 1, 2, context.type(x).dims));
  if (q.zero_dtype != NK_DTYPE_NONE && q.zero_dtype != context.type(x).dtype) {
    return bad_input(fmt::format("zero point of type {} for {}", name_of(q.zero_dtype),
                                 name_of(context.type(x).dtype)),
                     place_of(node));
  }
  NK_ASSIGN(x, with_quant(context, x, q.quant));
  NK_ASSIGN(const TensorId y, context.add("dequantize", {x}, {}));
  return context.bind(node, 0, y);
}

Result<void> lower_cast_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  nk_dtype to = NK_DTYPE_NONE;
  if (node.op == "CastLike") {
    NK_ASSIGN(const TensorId like, need_foreign_input(context, node, 1));
    to = context.type(like).dtype;
  } else if (const AttrValue* value = node.attrs.find("to");
             value != nullptr && std::holds_alternative<std::string>(*value)) {
    std::string name = std::get<std::string>(*value);  // opset 1: "FLOAT"
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    to = name == "float" ? NK_FLOAT32 : dtype_from_name(name);
  } else {
    to = onnx_dtype(node.attrs.get_int("to", 0));
  }
  if (to == NK_DTYPE_NONE) {
    return bad_input(fmt::format("target type {} is not supported", node.attrs.get_int("to", 0)),
                     place_of(node));
  }
  if (to == context.type(x).dtype) return context.bind(node, 0, x);
  return bind_cast(node, context, x, to);
}

Result<void> lower_cast_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const auto declared = declared_type(context, node, 0);
  if (!declared.has_value()) return bad_input("the output has no type", place_of(node));
  if (declared->dtype == context.type(x).dtype) return context.bind(node, 0, x);
  return bind_cast(node, context, x, declared->dtype);
}

constexpr ForeignRule kQuantize[] = {
    {SourceFormat::kOnnx, "QuantizeLinear", "", lower_quantize_onnx},
    {SourceFormat::kTflite, "QUANTIZE", "", lower_quantize_tflite}};
constexpr ForeignRule kDequantize[] = {
    {SourceFormat::kOnnx, "DequantizeLinear", "", lower_dequantize_onnx},
    {SourceFormat::kTflite, "DEQUANTIZE", "", lower_dequantize_tflite}};
constexpr ForeignRule kCast[] = {{SourceFormat::kOnnx, "Cast", "", lower_cast_onnx},
                                 {SourceFormat::kOnnx, "CastLike", "", lower_cast_onnx},
                                 {SourceFormat::kTflite, "CAST", "", lower_cast_tflite}};

}  // namespace

std::span<const ForeignRule> quantize_rules() { return kQuantize; }
std::span<const ForeignRule> dequantize_rules() { return kDequantize; }
std::span<const ForeignRule> cast_rules() { return kCast; }

}  // namespace netkit
