// SPDX-License-Identifier: MIT
// The host face of the reductions over axes (reduce.h).
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"
#include "ops/reduce/reduce.h"

namespace netkit {

void reduce_modes(const nk_reduce_params*, std::vector<KernelMode>& out) { add_plain_mode(out); }

namespace {

NK_PARAM_TABLE(kTable, nk_reduce_params, NK_REDUCE_FIELDS);

bool keeps_quant(std::string_view op) { return op == "reduce_max" || op == "reduce_min"; }

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  if (x->dims.size() > NK_MAX_RANK) {
    return bad_input(fmt::format("shape {} has more than {} axes", dims_text(x->dims), NK_MAX_RANK),
                     where);
  }
  NK_TRY(check_sizes(std::array{x}, where));
  NK_ASSIGN(const Dims axes, normal_axes(node.attrs.get_ints("axes"), x->dims.size(), where));
  const bool keepdims = node.attrs.get_int("keepdims", 1) != 0;
  TensorType y{x->dtype, {}, {}};
  if (keeps_quant(node.op)) y.quant = x->quant;
  for (size_t i = 0; i < x->dims.size(); ++i) {
    const bool reduced = std::ranges::binary_search(axes, static_cast<int64_t>(i));
    if (!reduced) y.dims.push_back(x->dims[i]);
    if (reduced && keepdims) y.dims.push_back(1);
  }
  return std::vector{std::move(y)};
}

// Kept and reduced axes, neighbours of one kind merged.
void set_boxes(const Dims& dims, const Dims& axes, nk_reduce_params& p) {
  const Dims strides = row_major_strides(dims);
  int last_kind = -1;
  p.reduced_count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const int kind = std::ranges::binary_search(axes, static_cast<int64_t>(i)) ? 1 : 0;
    int32_t& rank = kind == 1 ? p.reduced_rank : p.kept_rank;
    int32_t* box = kind == 1 ? p.reduced_dims : p.kept_dims;
    int32_t* box_strides = kind == 1 ? p.reduced_strides : p.kept_strides;
    if (kind != last_kind) box[rank++] = 1;
    box[rank - 1] *= static_cast<int32_t>(dims[i]);
    box_strides[rank - 1] = static_cast<int32_t>(strides[i]);
    if (kind == 1) p.reduced_count *= static_cast<int32_t>(dims[i]);
    last_kind = kind;
  }
}

// 1 / count becomes part of the multiplier, with the precision that TensorFlow Lite gives it.
void fold_count(int32_t count, QuantizedMultiplier& m) {
  int shift = static_cast<int>(std::bit_width(static_cast<uint32_t>(count))) - 1;
  shift = std::min(shift, 31 + m.shift);
  m.mantissa = static_cast<int32_t>((int64_t{m.mantissa} << shift) / count);
  m.shift -= shift;
}

Result<void> set_quant(const Graph& graph, const Node& node, nk_reduce_params& p) {
  const std::string where = place_of(node);
  const TensorType& x = *input_type(graph, node, 0);
  const TensorType& y = graph.tensor(node.outputs[0]).type;
  if (keeps_quant(node.op)) {
    if (x.quant == y.quant) return {};
    return bad_input("input and output differ in quantisation", where,
                     "requantise the output separately");
  }
  constexpr int32_t kMostElements = 1 << 23;  // of 8 bits in an int32 sum; int16: 2^15
  const int32_t most = x.dtype == NK_INT16 ? 1 << 15 : kMostElements;
  if (p.reduced_count == 0 || p.reduced_count > most) {
    return bad_input(fmt::format("{} over {} elements does not fit an int32 sum", node.op,
                                 p.reduced_count),
                     where);
  }
  NK_ASSIGN(const TensorQuant in, tensor_quant(x, "the input", where));
  NK_ASSIGN(const TensorQuant out, tensor_quant(y, "the output", where));
  NK_ASSIGN(QuantizedMultiplier m,
            quantize_multiplier(double{in.scale} / double{out.scale}, where));
  if (node.op == "reduce_mean") fold_count(p.reduced_count, m);
  p.in_zero_point = in.zero_point;
  p.zero_point = out.zero_point;
  p.multiplier = m.mantissa;
  p.shift = m.shift;
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_TRY(infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  NK_ASSIGN(const Dims axes,
            normal_axes(node.attrs.get_ints("axes"), x.dims.size(), place_of(node)));
  nk_reduce_params p{};
  set_boxes(x.dims, axes, p);
  if (x.dtype == NK_INT8 || x.dtype == NK_UINT8 || x.dtype == NK_INT16) {
    NK_TRY(set_quant(graph, node, p));
  }
  return StepParams{bytes_of(p), std::string(signature_of(x.dtype))};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x")};
}

uint64_t no_macs(const Graph&, const Node&) { return 0; }

std::string_view canonical_name(const ForeignNode& node) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
#define NK_NAMES(op, onnx, tflite) {onnx, #op}, {tflite, #op},
      NK_REDUCE_OPS(NK_NAMES)
#undef NK_NAMES
  };
  for (const auto& [foreign, op] : kNames) {
    if (foreign == node.op) return op;
  }
  return "";
}

// Axes as attribute or constant input; nullopt where none are given.
Result<std::optional<Dims>> axes_of(const ForeignNode& node, const LowerContext& context) {
  if (const TensorId id = context.input(node, 1); id != kNoTensor) {
    const auto values = context.const_ints(id);
    if (!values.has_value()) {
      return bad_input("the axes are not constant", place_of(node),
                       "export the model with fixed axes");
    }
    return std::optional<Dims>(*values);
  }
  if (!node.attrs.has("axes")) return std::optional<Dims>();
  return std::optional<Dims>(node.attrs.get_ints("axes"));
}

Result<void> lower(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(std::optional<Dims> axes, axes_of(node, context));
  const bool onnx = context.format() == SourceFormat::kOnnx;
  const size_t rank = context.type(x).dims.size();
  const bool none = !axes.has_value() || axes->empty();
  if (onnx && none && node.attrs.get_int("noop_with_empty_axes", 0) != 0) {
    return context.bind(node, 0, x);
  }
  if (!axes.has_value() || (onnx && axes->empty())) {
    axes = Dims();
    for (size_t i = 0; i < rank; ++i) axes->push_back(static_cast<int64_t>(i));
  }
  Attrs attrs;
  NK_ASSIGN(Dims normal, normal_axes(*axes, rank, place_of(node)));
  attrs.set("axes", std::move(normal));
  attrs.set("keepdims", onnx ? node.attrs.get_int("keepdims", 1)
                             : node.attrs.get_int("keep_dims", 0));
  const std::string_view op = canonical_name(node);
  const auto declared = declared_type(context, node, 0);
  auto reduced = declared;
  if (keeps_quant(op) && reduced.has_value()) reduced->quant = context.type(x).quant;
  NK_ASSIGN(TensorId y, context.add(op, {x}, std::move(attrs), reduced));
  if (declared.has_value() && !(context.type(y).quant == declared->quant)) {
    NK_ASSIGN(y, context.add("requantize", {y}, {}, declared));
  }
  return context.bind(node, 0, y);
}

#define NK_REDUCE_RULES(op, onnx, tflite) \
  constexpr RulePair kRules_##op = rule_pair(onnx, tflite, lower);
NK_REDUCE_OPS(NK_REDUCE_RULES)
#undef NK_REDUCE_RULES

constexpr QuantForm quant_form(std::string_view op) {
  if (op == "reduce_max" || op == "reduce_min") return {QuantRule::kSame};
  const bool has_form = op == "reduce_sum" || op == "reduce_mean";
  return {has_form ? QuantRule::kRange : QuantRule::kNone};
}

}  // namespace

#define NK_REDUCE_DEF(op, onnx, tflite)                                                     \
  extern const OpDef nk_op_##op = with_quant(                                                     \
      {#op,   kRules_##op, kTable::fields, kTable::bytes,                                         \
       infer, make_params, make_args,      no_macs,                                               \
       false, false,       "nk_reduce_params"},                                                   \
      quant_form(#op));
NK_REDUCE_OPS(NK_REDUCE_DEF)
#undef NK_REDUCE_DEF

}  // namespace netkit
