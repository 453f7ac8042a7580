// SPDX-License-Identifier: MIT
#include "compiler/lower/builtin_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/const_values.h"

namespace netkit {
namespace {

constexpr int64_t kMaxFilledBytes = int64_t{1} << 26;

Result<void> bind_ints(const ForeignNode& node, LowerContext& context, nk_dtype dtype, Dims dims,
                       const std::vector<int64_t>& values) {
  const ConstData data = constant_ints(dtype, values);
  if (data == nullptr) {
    return bad_input(fmt::format("a value does not fit into {}", name_of(dtype)));
  }
  return context.bind(node, 0,
                      context.add_constant(node.name, {dtype, std::move(dims), {}}, *data));
}

// ONNX Constant: one of its attributes holds the value.
Result<void> lower_constant(const ForeignNode& node, LowerContext& context) {
  if (const AttrValue* value = node.attrs.find("value")) {
    const auto* tensor = std::get_if<AttrTensor>(value);
    if (tensor == nullptr || tensor->data == nullptr) return bad_input("'value' is no tensor");
    NK_ASSIGN(const int64_t bytes, byte_count(tensor->type.dtype, tensor->type.dims));
    if (static_cast<uint64_t>(bytes) != tensor->data->size()) {
      return bad_input(fmt::format("'value' has {} bytes, not {}", tensor->data->size(), bytes));
    }
    return context.bind(node, 0, context.add_constant(node.name, tensor->type, *tensor->data));
  }
  const auto bind_floats = [&](Dims dims, const std::vector<double>& values) {
    return context.bind(node, 0,
                        context.add_constant(node.name, {NK_FLOAT32, std::move(dims), {}},
                                             *constant_floats(NK_FLOAT32, values)));
  };
  if (node.attrs.has("value_float")) return bind_floats({}, {node.attrs.get_float("value_float")});
  if (const AttrValue* value = node.attrs.find("value_floats")) {
    const auto* values = std::get_if<std::vector<double>>(value);
    if (values == nullptr) return bad_input("'value_floats' is no list of floats");
    return bind_floats({static_cast<int64_t>(values->size())}, *values);
  }
  if (node.attrs.has("value_int")) {
    return bind_ints(node, context, NK_INT64, {}, {node.attrs.get_int("value_int")});
  }
  if (node.attrs.has("value_ints")) {
    const auto values = node.attrs.get_ints("value_ints");
    return bind_ints(node, context, NK_INT64, {static_cast<int64_t>(values.size())}, values);
  }
  return bad_input("only tensor, float and integer values are supported");
}

Result<const TensorType*> input_type(const ForeignNode& node, const LowerContext& context) {
  const TensorId x = context.input(node, 0);
  if (x == kNoTensor) return bad_input("input 0 is missing");
  return &context.type(x);
}

// ONNX Shape (start and end from opset 15): negative ones count from the rank, then are clamped.
Result<void> lower_shape(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorType* type, input_type(node, context));
  const auto rank = static_cast<int64_t>(type->dims.size());
  const auto position = [&](std::string_view name, int64_t fallback) {
    const int64_t at = node.attrs.get_int(name, fallback);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t start = position("start", 0);
  const int64_t end = std::max(start, position("end", rank));
  const std::vector<int64_t> values(type->dims.begin() + start, type->dims.begin() + end);
  return bind_ints(node, context, NK_INT64, {end - start}, values);
}

Result<void> lower_size(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorType* type, input_type(node, context));
  NK_ASSIGN(const int64_t count, element_count(type->dims));
  return bind_ints(node, context, NK_INT64, {}, {count});
}

Result<void> lower_constant_of_shape(const ForeignNode& node, LowerContext& context) {
  const auto dims = context.const_ints(context.input(node, 0));
  if (!dims) return bad_input("the shape depends on the data");
  Tensor fill{"", {NK_FLOAT32, {1}, {}}, constant_floats(NK_FLOAT32, std::vector<double>{0.0})};
  if (const AttrValue* value = node.attrs.find("value")) {
    const auto* tensor = std::get_if<AttrTensor>(value);
    if (tensor == nullptr || tensor->data == nullptr) return bad_input("'value' is no tensor");
    fill = {"", tensor->type, tensor->data};
  }
  NK_ASSIGN(const int64_t bytes, byte_count(fill.type.dtype, *dims));
  const auto size = static_cast<size_t>(bits_of(fill.type.dtype)) / 8;
  if (size == 0 || fill.data->size() != size) return bad_input("'value' must be one element");
  if (bytes > kMaxFilledBytes) return bad_input("the constant is too large");
  Bytes filled(static_cast<size_t>(bytes));
  for (size_t i = 0; i < filled.size(); ++i) filled[i] = (*fill.data)[i % size];
  return context.bind(
      node, 0, context.add_constant(node.name, {fill.type.dtype, *dims, {}}, std::move(filled)));
}

nk_dtype declared_dtype(const ForeignNode& node, const LowerContext& context, nk_dtype fallback) {
  const ForeignTensor* declared = context.declared_output(node, 0);
  return declared == nullptr || declared->type.dtype == NK_DTYPE_NONE ? fallback
                                                                      : declared->type.dtype;
}

Result<void> lower_tflite_shape(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorType* type, input_type(node, context));
  const std::vector<int64_t> values = type->dims;
  return bind_ints(node, context, declared_dtype(node, context, NK_INT32),
                   {static_cast<int64_t>(values.size())}, values);
}

Result<void> lower_tflite_rank(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorType* type, input_type(node, context));
  return bind_ints(node, context, NK_INT32, {}, {static_cast<int64_t>(type->dims.size())});
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "Constant", "", lower_constant},
    {SourceFormat::kOnnx, "ConstantOfShape", "", lower_constant_of_shape},
    {SourceFormat::kOnnx, "Shape", "", lower_shape},
    {SourceFormat::kOnnx, "Size", "", lower_size},
    {SourceFormat::kTflite, "SHAPE", "", lower_tflite_shape},
    {SourceFormat::kTflite, "RANK", "", lower_tflite_rank},
};

}  // namespace

const ForeignRule* find_builtin_rule(SourceFormat format, std::string_view domain,
                                     std::string_view op) {
  for (const ForeignRule& rule : kRules) {
    if (rule.format == format && rule.domain == domain && rule.op == op) return &rule;
  }
  return nullptr;
}

}  // namespace netkit
