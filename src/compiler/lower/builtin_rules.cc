// SPDX-License-Identifier: MIT
#include "compiler/lower/builtin_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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
  const auto size = static_cast<size_t>(bits_of(fill.type.dtype)) / 8;
  if (size == 0 || fill.data->size() != size) return bad_input("'value' must be one element");
  NK_ASSIGN(const TensorId filled,
            context.add_repeated(node.name, {fill.type.dtype, *dims, {}}, *fill.data));
  return context.bind(node, 0, filled);
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

// Elements of a progression (Range, RANGE) as ONNX counts them.
Result<int64_t> range_count(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  if (!std::isfinite(count)) return bad_input("the range has no end");
  if (count > static_cast<double>(kMaxFilledBytes / 8)) return bad_input("the range is too large");
  return std::max<int64_t>(static_cast<int64_t>(count), 0);
}

Result<void> lower_range(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorType* type, input_type(node, context));
  const nk_dtype dtype = type->dtype;
  std::vector<double> reals;
  std::vector<int64_t> whole;
  for (size_t i = 0; i < 3; ++i) {
    const TensorId id = context.input(node, i);
    const auto ints = id == kNoTensor ? std::nullopt : context.const_ints(id);
    const auto floats = id == kNoTensor ? std::nullopt : context.const_floats(id);
    if (ints && ints->size() == 1) whole.push_back((*ints)[0]);
    if (floats && floats->size() == 1) reals.push_back((*floats)[0]);
  }
  if (whole.size() == 3) {
    NK_ASSIGN(const int64_t count,
              range_count(static_cast<double>(whole[0]), static_cast<double>(whole[1]),
                          static_cast<double>(whole[2])));
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(whole[0] + i * whole[2]);
    return bind_ints(node, context, dtype, {count}, values);
  }
  if (reals.size() != 3 || dtype != NK_FLOAT32) return bad_input("the range is not constant");
  NK_ASSIGN(const int64_t count, range_count(reals[0], reals[1], reals[2]));
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(reals[0] + static_cast<double>(i) * reals[2]);
  return context.bind(node, 0,
                      context.add_constant(node.name, {NK_FLOAT32, {count}, {}},
                                           *constant_floats(NK_FLOAT32, values)));
}

// ONNX EyeLike: ones on diagonal k of a matrix of the input's shape.
Result<void> lower_eye_like(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorType* type, input_type(node, context));
  const TensorType x = *type;
  // The operator's dtype is one of ONNX's numbers; the ones of our types, as Cast has them.
  static constexpr std::pair<int64_t, nk_dtype> kTypes[] = {
      {1, NK_FLOAT32}, {2, NK_UINT8}, {3, NK_INT8},    {6, NK_INT32},
      {7, NK_INT64},   {9, NK_BOOL},  {11, NK_FLOAT64}};
  nk_dtype dtype = x.dtype;
  if (const int64_t wanted = node.attrs.get_int("dtype", 0); wanted != 0) {
    const auto* row = std::ranges::find(kTypes, wanted, &std::pair<int64_t, nk_dtype>::first);
    if (row == std::end(kTypes)) return bad_input("the element type is not supported");
    dtype = row->second;
  }
  if (x.dims.size() != 2) return bad_input("the input is no matrix");
  NK_ASSIGN(const int64_t count, element_count(x.dims));
  if (count > kMaxFilledBytes / 8) return bad_input("the constant is too large");
  const int64_t k = node.attrs.get_int("k", 0);
  std::vector<int64_t> values(static_cast<size_t>(count), 0);
  for (int64_t i = 0; i < x.dims[0]; ++i) {
    if (i + k >= 0 && i + k < x.dims[1]) values[static_cast<size_t>(i * x.dims[1] + i + k)] = 1;
  }
  if (!is_float(dtype)) return bind_ints(node, context, dtype, x.dims, values);
  const std::vector<double> reals(values.begin(), values.end());
  return context.bind(
      node, 0,
      context.add_constant(node.name, {dtype, x.dims, {}}, *constant_floats(dtype, reals)));
}

// TFLite FILL: a shape and a scalar. ZEROS_LIKE: the shape of its input.
Result<void> lower_fill(const ForeignNode& node, LowerContext& context) {
  const TensorId first = context.input(node, 0);
  if (first == kNoTensor) return bad_input("input 0 is missing");
  if (node.op == "ZEROS_LIKE") {
    const TensorType type = context.type(first);
    NK_ASSIGN(const TensorId zeros, context.add_repeated(node.name, type, Bytes(1)));
    return context.bind(node, 0, zeros);
  }
  const auto dims = context.const_ints(first);
  const TensorId value = context.input(node, 1);
  if (!dims || value == kNoTensor) return bad_input("the shape depends on the data");
  Attrs attrs;
  attrs.set("shape", *dims);
  NK_ASSIGN(const TensorId y, context.add("expand", {value}, std::move(attrs)));
  return context.bind(node, 0, y);
}

// An older .nk file is imported in canonical operators already.
Result<void> lower_canonical(const ForeignNode& node, LowerContext& context) {
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(context.input(node, i));
  std::optional<TensorType> declared;
  if (const ForeignTensor* out = context.declared_output(node, 0)) declared = out->type;
  NK_ASSIGN(const TensorId y,
            context.add(node.op, std::move(inputs), node.attrs, std::move(declared)));
  return context.bind(node, 0, y);
}
constexpr ForeignRule kCanonicalRule = {SourceFormat::kNkLegacy, "", "", lower_canonical};

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "Constant", "", lower_constant},
    {SourceFormat::kOnnx, "ConstantOfShape", "", lower_constant_of_shape},
    {SourceFormat::kOnnx, "Shape", "", lower_shape},
    {SourceFormat::kOnnx, "Size", "", lower_size},
    {SourceFormat::kOnnx, "Range", "", lower_range},
    {SourceFormat::kOnnx, "EyeLike", "", lower_eye_like},
    {SourceFormat::kTflite, "RANGE", "", lower_range},
    {SourceFormat::kTflite, "FILL", "", lower_fill},
    {SourceFormat::kTflite, "ZEROS_LIKE", "", lower_fill},
    {SourceFormat::kTflite, "SHAPE", "", lower_tflite_shape},
    {SourceFormat::kTflite, "RANK", "", lower_tflite_rank},
};

}  // namespace

const ForeignRule* find_builtin_rule(SourceFormat format, std::string_view domain,
                                     std::string_view op) {
  if (format == SourceFormat::kNkLegacy && find_op(op) != nullptr) return &kCanonicalRule;
  for (const ForeignRule& rule : kRules) {
    if (rule.format == format && rule.domain == domain && rule.op == op) return &rule;
  }
  return nullptr;
}

}  // namespace netkit
