// SPDX-License-Identifier: MIT
// The host face of matmul: ONNX MatMul, TFLite BATCH_MATMUL. A product with a constant matrix
// becomes fully_connected.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ops/common/host/onnx_quant.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"
#include "ops/common/wide.h"
#include "ops/matmul/matmul.h"

namespace netkit {

void matmul_modes(const nk_matmul_params*, std::vector<KernelMode>& out) {
  out.push_back({});
}

namespace {

constexpr size_t kStackAxes = 4;

NK_PARAM_TABLE(kTable, nk_matmul_params, NK_MATMUL_FIELDS);

// Everything about the node's shapes; the quantisation fields are left at 0.
struct Geometry {
  nk_matmul_params params{};
  Dims output;
};

// Right-aligned leading sizes with 1 in front.
std::array<int64_t, kStackAxes> leading(const Dims& dims) {
  std::array<int64_t, kStackAxes> out;
  out.fill(1);
  const size_t count = dims.size() - 2;
  for (size_t i = 0; i < count; ++i) out[kStackAxes - count + i] = dims[i];
  return out;
}

// Elements from one matrix to the next along each leading axis, 0 where there is but one.
void set_strides(const std::array<int64_t, kStackAxes>& sizes, int64_t matrix, int32_t* strides) {
  for (size_t i = kStackAxes; i-- > 0;) {
    strides[i] = sizes[i] == 1 ? 0 : static_cast<int32_t>(matrix);
    matrix *= sizes[i];
  }
}

Result<Geometry> geometry_of(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* a, need_input(graph, node, 0, -1));
  NK_ASSIGN(const TensorType* b, need_input(graph, node, 1, -1));
  const auto rank_fits = [](const Dims& d) { return d.size() >= 2 && d.size() <= kStackAxes + 2; };
  const auto refused = [&] {
    return bad_input(fmt::format("{} and {} cannot be multiplied", type_text(*a), type_text(*b)),
                     where);
  };
  if (!rank_fits(a->dims) || !rank_fits(b->dims) || a->dtype != b->dtype) return refused();
  NK_TRY(check_sizes(std::array{a, b}, where));
  const bool ta = node.attrs.get_int("transpose_a") != 0;
  const bool tb = node.attrs.get_int("transpose_b") != 0;
  const int64_t a_last = a->dims.back(), a_before = a->dims[a->dims.size() - 2];
  const int64_t b_last = b->dims.back(), b_before = b->dims[b->dims.size() - 2];
  const int64_t depth = ta ? a_before : a_last;
  if (depth != (tb ? b_last : b_before)) return refused();
  Geometry g;
  g.params.rows = static_cast<int32_t>(ta ? a_last : a_before);
  g.params.depth = static_cast<int32_t>(depth);
  g.params.cols = static_cast<int32_t>(tb ? b_before : b_last);
  g.params.a_row = static_cast<int32_t>(ta ? 1 : a_last);
  g.params.a_depth = static_cast<int32_t>(ta ? a_last : 1);
  g.params.b_depth = static_cast<int32_t>(tb ? 1 : b_last);
  g.params.b_col = static_cast<int32_t>(tb ? b_last : 1);
  const auto a_sizes = leading(a->dims), b_sizes = leading(b->dims);
  for (size_t i = 0; i < kStackAxes; ++i) {
    if (a_sizes[i] != b_sizes[i] && a_sizes[i] != 1 && b_sizes[i] != 1) return refused();
    const int64_t size = a_sizes[i] == 1 ? b_sizes[i] : a_sizes[i];
    g.params.stack[i] = static_cast<int32_t>(size);
    g.output.push_back(size);
  }
  set_strides(a_sizes, a_last * a_before, g.params.a_stack);
  set_strides(b_sizes, b_last * b_before, g.params.b_stack);
  const size_t rank = std::max(a->dims.size(), b->dims.size());
  g.output.erase(g.output.begin(), g.output.end() - static_cast<ptrdiff_t>(rank - 2));
  g.output.push_back(g.params.rows);
  g.output.push_back(g.params.cols);
  return g;
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(Geometry g, geometry_of(graph, node));
  const nk_dtype own = input_type(graph, node, 0)->dtype;
  const nk_dtype to = dtype_from_name(node.attrs.get_string("to", std::string(name_of(own))));
  const bool sums = to == NK_INT32 && (own == NK_INT8 || own == NK_UINT8);
  if (to != own && !sums) {
    return bad_input(
        fmt::format("a product of {} as {} is not supported", name_of(own), name_of(to)),
        place_of(node));
  }
  TensorType y{to, std::move(g.output), {}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, place_of(node)));
  return std::vector{std::move(y)};
}

// int16 has no zero points, and its multiplier fewer shifts.
Result<void> check_wide(const nk_matmul_params& p, const std::string& where) {
  if (p.a_offset != 0 || p.b_offset != 0 || p.output_offset != 0) {
    return bad_input("int16 activations with a zero point that is not 0", where);
  }
  NK_TRY(checked_int32(p.shift, NK_WIDE_MIN_SHIFT, NK_WIDE_MAX_SHIFT,
                       "the power of two of the scale", where));
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const Geometry g, geometry_of(graph, node));
  nk_matmul_params p = g.params;
  const TensorType& a = *input_type(graph, node, 0);
  const TensorType& y = graph.tensor(node.outputs[0]).type;
  std::string signature(signature_of(a.dtype));
  if (y.dtype != a.dtype) signature += fmt::format("_{}", signature_of(y.dtype));
  if (signature == "s8_s32" || signature == "u8_s32") {
    NK_ASSIGN(const int32_t a_zero, zero_point_of(a, "input 0", where));
    NK_ASSIGN(const int32_t b_zero, zero_point_of(*input_type(graph, node, 1), "input 1", where));
    p.a_offset = -a_zero;
    p.b_offset = -b_zero;
  }
  if (signature == "s8" || signature == "u8" || signature == "s16") {
    NK_ASSIGN(const TensorQuant qa, tensor_quant(a, "input 0", where));
    NK_ASSIGN(const TensorQuant qb, tensor_quant(*input_type(graph, node, 1), "input 1", where));
    NK_ASSIGN(const TensorQuant qy, tensor_quant(y, "the output", where));
    // TensorFlow Lite multiplies the two scales in float.
    const double product = double{qa.scale * qb.scale};
    NK_ASSIGN(const QuantizedMultiplier m, quantize_multiplier(product / double{qy.scale}, where));
    p.a_offset = -qa.zero_point;
    p.b_offset = -qb.zero_point;
    p.output_offset = qy.zero_point;
    p.multiplier = m.mantissa;
    p.shift = m.shift;
    if (signature == "s16") NK_TRY(check_wide(p, where));
  }
  return StepParams{bytes_of(p), std::move(signature)};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "a"), tensor_arg(node, 1, "b")};
}

uint64_t macs(const Graph& graph, const Node& node) {
  const auto g = geometry_of(graph, node);
  if (!g) return 0;
  uint64_t product = static_cast<uint64_t>(g->params.depth);
  for (const int64_t dim : g->output) product *= static_cast<uint64_t>(dim);
  return product;
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId b, need_foreign_input(context, node, 1));
  NK_ASSIGN(b, weights_beside(context, a, b));
  Attrs attrs;
  if (node.attrs.get_int("adj_x") != 0) attrs.set("transpose_a", int64_t{1});
  if (node.attrs.get_int("adj_y") != 0) attrs.set("transpose_b", int64_t{1});
  NK_ASSIGN(const TensorId y,
            context.add("matmul", {a, b}, attrs, declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// A constant matrix b: the rows of a times b, as fully_connected.
Result<TensorId> times_constant(LowerContext& context, TensorId a, TensorId b,
                                std::optional<TensorType> declared) {
  NK_ASSIGN(const TensorId weights, context.transpose(b, {1, 0}));
  Attrs attrs;
  attrs.set("keep_num_dims", int64_t{1});
  return context.add("fully_connected", {a, weights, kNoTensor}, attrs, std::move(declared));
}

// Vectors count as a single row (a) or column (b), and that axis is dropped from the result.
// `declared`: the type of a quantised result, or int32 for the sums of 8-bit inputs.
Result<TensorId> multiplied(const ForeignNode& node, LowerContext& context, TensorId a, TensorId b,
                            std::optional<TensorType> declared) {
  const Dims ad = context.type(a).dims;
  const Dims bd = context.type(b).dims;
  if (ad.empty() || bd.empty()) {
    return bad_input(
        fmt::format("inputs of shape {} and {} cannot be multiplied", dims_text(ad), dims_text(bd)),
        place_of(node));
  }
  TensorId y = kNoTensor;
  const bool sums = declared.has_value() && declared->dtype == NK_INT32;
  if (bd.size() == 2 && context.tensor(b).is_constant() && !sums) {
    return times_constant(context, a, b, std::move(declared));
  }
  if (ad.size() == 1) {
    NK_ASSIGN(a, reshape_to(context, a, {1, ad[0]}));
  }
  if (bd.size() == 1) {
    NK_ASSIGN(b, reshape_to(context, b, {bd[0], 1}));
  }
  Attrs attrs;
  if (sums) attrs.set("to", std::string("int32"));
  NK_ASSIGN(y, context.add("matmul", {a, b}, std::move(attrs), std::move(declared)));
  Dims dims = context.type(y).dims;
  if (bd.size() == 1) dims.pop_back();
  if (ad.size() == 1) dims.erase(dims.end() - (bd.size() == 1 ? 1 : 2));
  if (dims != context.type(y).dims) {
    NK_ASSIGN(y, reshape_to(context, y, dims));
  }
  return y;
}

Result<void> lower_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId b, need_foreign_input(context, node, 1));
  NK_ASSIGN(const TensorId y, multiplied(node, context, a, b, std::nullopt));
  return context.bind(node, 0, y);
}

// a, its scale and zero point, b, its scale and zero point, scale and zero point of the result.
Result<void> lower_qlinear(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId a, quantised_input(node, context, 0, -2));
  NK_ASSIGN(TensorId b, quantised_input(node, context, 3, -1));
  const nk_dtype own = context.type(a).dtype;
  NK_ASSIGN(b, as_x8(context, b, own, where));
  NK_ASSIGN(const QuantisedOutput types, quantised_output(node, context, 6, own));
  NK_ASSIGN(TensorId y, multiplied(node, context, a, b, types.made));
  NK_ASSIGN(y, as_x8(context, y, types.stated.dtype, where));
  return context.bind(node, 0, y);
}

// a, b, their zero points; the sums themselves.
Result<void> lower_integer(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId a, offset_input(node, context, 0, 2, -2));
  NK_ASSIGN(TensorId b, offset_input(node, context, 1, 3, -1));
  NK_ASSIGN(b, as_x8(context, b, context.type(a).dtype, place_of(node)));
  NK_ASSIGN(const TensorId y, multiplied(node, context, a, b, TensorType{NK_INT32, {}, {}}));
  return context.bind(node, 0, y);
}

const ForeignRule kRules[] = {{SourceFormat::kTflite, "BATCH_MATMUL", "", lower_tflite},
                              {SourceFormat::kOnnx, "MatMul", "", lower_onnx},
                              {SourceFormat::kOnnx, "QLinearMatMul", "", lower_qlinear},
                              {SourceFormat::kOnnx, "MatMulInteger", "", lower_integer}};

}  // namespace

extern const OpDef nk_op_matmul =
    with_quant({"matmul", kRules,      kTable::fields, kTable::bytes,
                infer,    make_params, make_args,      macs},
               {QuantRule::kRange});

}  // namespace netkit
