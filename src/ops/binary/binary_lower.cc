// SPDX-License-Identifier: MIT
#include "ops/binary/binary_lower.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "ops/binary/binary.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"

namespace netkit {
namespace {

Result<TensorId> reshaped(LowerContext& context, TensorId x, Dims shape) {
  Attrs attrs;
  attrs.set("shape", std::move(shape));
  return context.add("reshape", {x}, std::move(attrs));
}

// ONNX before opset 7: `broadcast` with the axis of a at which b's shape stands.
Result<TensorId> at_axis(const ForeignNode& node, LowerContext& context, TensorId a, TensorId b) {
  if (context.format() != SourceFormat::kOnnx || node.version >= 7) return b;
  const size_t rank = context.type(a).dims.size();
  Dims dims = context.type(b).dims;
  if (!node.attrs.has("axis") || dims.empty()) return b;
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis"), rank, place_of(node)));
  if (static_cast<size_t>(axis) + dims.size() > rank) {
    return bad_input(fmt::format("axis {} leaves no room for shape {}", axis, dims_text(dims)),
                     place_of(node));
  }
  dims.resize(rank - static_cast<size_t>(axis), 1);
  return reshaped(context, b, std::move(dims));
}

// x in the quantisation of `to`, by a requantize where it differs.
Result<TensorId> requantised(LowerContext& context, TensorId x, const Quant& to) {
  const TensorType& type = context.type(x);
  if (to.empty() || type.quant.empty() || type.quant == to) return x;
  TensorType wanted = type;
  wanted.quant = to;
  return context.add("requantize", {x}, {}, wanted);
}

std::string_view canonical_name(SourceFormat format, std::string_view foreign) {
  struct Row {
    std::string_view op, onnx, tflite;
  };
  static constexpr Row kRows[] = {
#define NK_NAMES(op, onnx, tflite) {#op, onnx, tflite},
      NK_BINARY_OPS(NK_NAMES)
#undef NK_NAMES
  };
  const auto* row =
      std::ranges::find(kRows, foreign, format == SourceFormat::kOnnx ? &Row::onnx : &Row::tflite);
  return row->op;
}

bool is_shift(std::string_view op) { return op == "shift_left" || op == "shift_right"; }
bool is_order(std::string_view op) { return op == "minimum" || op == "maximum"; }

Result<TensorId> cast_to(LowerContext& context, TensorId x, nk_dtype to) {
  Attrs attrs;
  attrs.set("to", std::string(name_of(to)));
  return context.add("cast", {x}, std::move(attrs));
}

// Plain tensors of types that have no kernels are computed in a wider one, which gives the same
// bits once it is narrowed again.
nk_dtype computed_in(std::string_view op, const TensorType& type) {
  const bool narrow = type.dtype == NK_INT8 || type.dtype == NK_UINT8 || type.dtype == NK_INT16;
  if (!type.quant.empty() || (narrow && is_order(op)) || is_shift(op)) return type.dtype;
  if (narrow || type.dtype == NK_UINT16) return NK_INT32;
  if (type.dtype == NK_UINT32) return NK_INT64;
  return type.dtype == NK_FLOAT16 ? NK_FLOAT32 : type.dtype;
}

Result<TensorId> add_binary(const ForeignNode& node, LowerContext& context, std::string_view op,
                            TensorId a, TensorId b, Attrs attrs, bool last) {
  const auto declared = last ? declared_type(context, node, 0) : std::nullopt;
  if (is_order(op) && declared.has_value()) {
    NK_ASSIGN(a, requantised(context, a, declared->quant));
    NK_ASSIGN(b, requantised(context, b, declared->quant));
  }
  const nk_dtype own = context.type(a).dtype, wide = computed_in(op, context.type(a));
  if (wide == own || context.type(b).dtype != own) {
    return context.add(op, {a, b}, std::move(attrs), declared);
  }
  NK_ASSIGN(a, cast_to(context, a, wide));
  NK_ASSIGN(b, cast_to(context, b, wide));
  NK_ASSIGN(const TensorId y, context.add(op, {a, b}, std::move(attrs)));
  if (context.type(y).dtype == NK_BOOL) return y;
  return cast_to(context, y, own);
}

Result<void> lower_binary(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId b, need_foreign_input(context, node, 1));
  NK_ASSIGN(b, at_axis(node, context, a, b));
  Attrs attrs;
  if (context.format() == SourceFormat::kTflite) NK_TRY(set_fused_activation(node, attrs));
  NK_ASSIGN(const TensorId y,
            add_binary(node, context, canonical_name(context.format(), node.op), a, b,
                       std::move(attrs), true));
  return context.bind(node, 0, y);
}

// Operators of any number of inputs, combined two by two from the left; Mean divides at the end.
Result<void> lower_variadic(const ForeignNode& node, LowerContext& context) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"Sum", "add"}, {"Mean", "add"}, {"Max", "maximum"}, {"Min", "minimum"}};
  const auto* name = std::ranges::find(kNames, std::string_view(node.op),
                                       &std::pair<std::string_view, std::string_view>::first);
  NK_ASSIGN(TensorId y, need_foreign_input(context, node, 0));
  const bool mean = node.op == "Mean" && node.inputs.size() > 1;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    NK_ASSIGN(const TensorId b, need_foreign_input(context, node, i));
    const bool last = i + 1 == node.inputs.size() && !mean;
    NK_ASSIGN(y, add_binary(node, context, name->second, y, b, {}, last));
  }
  if (mean) {
    const std::vector<float> count{static_cast<float>(node.inputs.size())};
    const TensorId n = context.add_constant(node.name + "_count", {NK_FLOAT32, {}, {}},
                                            *constant_of(count));
    NK_ASSIGN(y, context.add("div", {y, n}, {}));
  }
  return context.bind(node, 0, y);
}

// Pow: the exponent may be of another type than the base; squares and roots have operators.
Result<void> lower_pow(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId b, need_foreign_input(context, node, 1));
  NK_ASSIGN(b, at_axis(node, context, a, b));
  const TensorType& base = context.type(a);
  const auto exponent = context.const_floats(b);
  const bool scalar = exponent.has_value() && exponent->size() == 1 &&
                      context.type(b).dims.size() <= base.dims.size();
  if (scalar && ((*exponent)[0] == 2.0 || ((*exponent)[0] == 0.5 && is_float(base.dtype)))) {
    NK_ASSIGN(const TensorId y, context.add((*exponent)[0] == 2.0 ? "square" : "sqrt", {a}, {},
                                            declared_type(context, node, 0)));
    return context.bind(node, 0, y);
  }
  if (context.type(b).dtype != base.dtype) {
    NK_ASSIGN(b, cast_to(context, b, base.dtype));
  }
  NK_ASSIGN(const TensorId y, add_binary(node, context, "pow", a, b, {}, true));
  return context.bind(node, 0, y);
}

Result<void> lower_mod(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId b, need_foreign_input(context, node, 1));
  NK_ASSIGN(const TensorId y,
            add_binary(node, context, node.attrs.get_int("fmod", 0) != 0 ? "fmod" : "floor_mod", a,
                       b, {}, true));
  return context.bind(node, 0, y);
}

// BitShift: the direction is an attribute.
Result<void> lower_bit_shift(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId b, need_foreign_input(context, node, 1));
  const std::string direction = node.attrs.get_string("direction");
  if (direction != "LEFT" && direction != "RIGHT") {
    return bad_input(fmt::format("direction '{}' is unknown", direction), place_of(node));
  }
  NK_ASSIGN(const TensorId y,
            add_binary(node, context, direction == "LEFT" ? "shift_left" : "shift_right", a, b, {},
                       true));
  return context.bind(node, 0, y);
}

// ONNX's slope broadcasts to x only (never the other way), and before opset 7 a slope of one value
// per channel stands at axis 1.
Result<void> lower_prelu(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId slope, need_foreign_input(context, node, 1));
  const Dims dims = context.type(x).dims;
  const Dims own = context.type(slope).dims;
  if (context.format() == SourceFormat::kOnnx && node.version < 7 && own.size() == 1 &&
      dims.size() > 2 && own[0] != 1) {
    Dims shape(dims.size() - 1, 1);
    shape[0] = own[0];
    NK_ASSIGN(slope, reshaped(context, slope, std::move(shape)));
  }
  NK_ASSIGN(const Dims out,
            broadcast_dims({&dims, &context.type(slope).dims}, place_of(node)));
  if (out != dims) {
    return bad_input(fmt::format("slope {} does not broadcast to {}", dims_text(own),
                                 dims_text(dims)),
                     place_of(node));
  }
  NK_ASSIGN(const TensorId y,
            context.add("prelu", {x, slope}, {}, declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// TFLite SELECT: a condition of rank 1 chooses rows of the first axis.
Result<void> lower_where(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(TensorId c, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId a, need_foreign_input(context, node, 1));
  NK_ASSIGN(TensorId b, need_foreign_input(context, node, 2));
  const size_t rank = context.type(a).dims.size();
  Dims dims = context.type(c).dims;
  if (node.op == "SELECT" && dims.size() == 1 && rank > 1) {
    dims.resize(rank, 1);
    NK_ASSIGN(c, reshaped(context, c, std::move(dims)));
  }
  const auto declared = declared_type(context, node, 0);
  if (declared.has_value()) {
    NK_ASSIGN(a, requantised(context, a, declared->quant));
    NK_ASSIGN(b, requantised(context, b, declared->quant));
  }
  NK_ASSIGN(const TensorId y, context.add("where", {c, a, b}, {}, declared));
  return context.bind(node, 0, y);
}

// ONNX Trilu: what lies on the other side of diagonal k becomes 0, by a constant mask.
Result<void> lower_trilu(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const TensorType type = context.type(x);
  int64_t k = 0;
  if (const TensorId id = context.input(node, 1); id != kNoTensor) {
    const auto values = context.const_ints(id);
    if (!values || values->size() != 1) return bad_input("k is not constant", place_of(node));
    k = (*values)[0];
  }
  const size_t rank = type.dims.size();
  if (rank < 2) return bad_input(fmt::format("shape {}", dims_text(type.dims)), place_of(node));
  const int64_t rows = type.dims[rank - 2], columns = type.dims[rank - 1];
  const bool upper = node.attrs.get_int("upper", 1) != 0;
  std::vector<uint8_t> mask;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      mask.push_back((upper ? c - r >= k : c - r <= k) ? 1 : 0);
    }
  }
  const TensorId keep = context.add_constant(node.name + "_mask", {NK_BOOL, {rows, columns}, {}},
                                             *constant_of(mask));
  const TensorId zero = context.add_constant(node.name + "_zero", {type.dtype, {}, type.quant},
                                             Bytes(static_cast<size_t>(bits_of(type.dtype)) / 8));
  NK_ASSIGN(const TensorId y, context.add("where", {keep, x, zero}, {}));
  return context.bind(node, 0, y);
}

struct Listed {
  std::string_view op;
  ForeignRule rule;
};

// Grouped by canonical operator. The plain ones follow from NK_BINARY_OPS.
constexpr Listed kSpecial[] = {
    {"add", {SourceFormat::kOnnx, "Sum", "", lower_variadic}},
    {"add", {SourceFormat::kOnnx, "Mean", "", lower_variadic}},
    {"maximum", {SourceFormat::kOnnx, "Max", "", lower_variadic}},
    {"minimum", {SourceFormat::kOnnx, "Min", "", lower_variadic}},
    {"pow", {SourceFormat::kOnnx, "Pow", "", lower_pow}},
    {"pow", {SourceFormat::kTflite, "POW", "", lower_pow}},
    {"floor_mod", {SourceFormat::kOnnx, "Mod", "", lower_mod}},
    {"shift_left", {SourceFormat::kOnnx, "BitShift", "", lower_bit_shift}},
    {"prelu", {SourceFormat::kOnnx, "PRelu", "", lower_prelu}},
    {"prelu", {SourceFormat::kTflite, "PRELU", "", lower_prelu}},
    {"where", {SourceFormat::kOnnx, "Where", "", lower_where}},
    {"where", {SourceFormat::kOnnx, "Trilu", "", lower_trilu}},
    {"where", {SourceFormat::kTflite, "SELECT", "", lower_where}},
    {"where", {SourceFormat::kTflite, "SELECT_V2", "", lower_where}},
};

constexpr size_t kMaxRules = 4;

struct RuleList {
  std::string_view op;
  std::array<ForeignRule, kMaxRules> rules{};
  size_t count = 0;
};

constexpr RuleList rule_list(std::string_view op, std::string_view onnx, std::string_view tflite) {
  RuleList list{op, {}, 0};
  for (const Listed& special : kSpecial) {
    if (special.op != op) continue;
    list.rules[list.count++] = special.rule;
    if (special.rule.op == onnx) onnx = "";
    if (special.rule.op == tflite) tflite = "";
  }
  if (!onnx.empty()) list.rules[list.count++] = {SourceFormat::kOnnx, onnx, "", lower_binary};
  if (!tflite.empty()) {
    list.rules[list.count++] = {SourceFormat::kTflite, tflite, "", lower_binary};
  }
  return list;
}

constexpr RuleList kLists[] = {
#define NK_RULES(op, onnx, tflite) rule_list(#op, onnx, tflite),
    NK_BINARY_OPS(NK_RULES)
#undef NK_RULES
        rule_list("where", "", "")};

}  // namespace

std::span<const ForeignRule> binary_rules(std::string_view op) {
  const auto* list = std::ranges::find(kLists, op, &RuleList::op);
  return {list->rules.data(), list->count};
}

}  // namespace netkit
