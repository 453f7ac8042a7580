// SPDX-License-Identifier: MIT
// The host face of scatter_nd, scatter_elements and topk (lookup.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/lookup/lookup_host.h"

namespace netkit {

void scatter_nd_modes(const nk_slices_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}
void scatter_elements_modes(const nk_elements_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}
void topk_modes(const nk_topk_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}

namespace {

NK_PARAM_TABLE(kSlices, nk_slices_params, NK_SLICES_FIELDS);
NK_PARAM_TABLE(kElements, nk_elements_params, NK_ELEMENTS_FIELDS);
NK_PARAM_TABLE(kTopk, nk_topk_params, NK_TOPK_FIELDS);

struct Operands {
  const TensorType *data, *indices, *updates;
  int32_t index_bytes = 0, reduction = 0;
};

Result<Operands> operands(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  Operands o{};
  NK_ASSIGN(o.data, need_input(graph, node, 0, -1));
  NK_ASSIGN(o.indices, need_input(graph, node, 1, -1));
  NK_ASSIGN(o.updates, need_input(graph, node, 2, -1));
  NK_TRY(check_sizes(std::array{o.data, o.indices, o.updates}, where));
  NK_ASSIGN(o.index_bytes, index_bytes(*o.indices, where));
  NK_ASSIGN(o.reduction, scatter_reduction(node));
  const bool quantised = !o.data->quant.empty();
  if (o.data->dtype != o.updates->dtype || !(o.data->quant == o.updates->quant) ||
      o.data->quant.scale.size() > 1 || (quantised && o.reduction != NK_SCATTER_NONE)) {
    return bad_input(fmt::format("data of type {}, updates of type {}", type_text(*o.data),
                                 type_text(*o.updates)),
                     where);
  }
  if (o.data->dims.empty() || o.data->dims.size() > NK_MAX_RANK) {
    return bad_input(fmt::format("data of shape {}", dims_text(o.data->dims)), where);
  }
  return o;
}

// Rows by type where a reduction computes or widths by type where elements are only moved.
std::string scatter_signature(nk_dtype dtype) {
  if (dtype == NK_FLOAT32 || dtype == NK_INT32 || dtype == NK_INT64) {
    return std::string(signature_of(dtype));
  }
  if (bits_of(dtype) == 32) return "s32";
  return bits_of(dtype) == 64 ? "s64" : fmt::format("x{}", bits_of(dtype));
}

// scatter_nd

Result<std::vector<TensorType>> infer_scatter_nd(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const Operands o, operands(graph, node));
  const Dims &d = o.data->dims, &x = o.indices->dims;
  const auto depth = x.empty() ? size_t{0} : static_cast<size_t>(x.back());
  Dims expected(x.begin(), x.empty() ? x.end() : x.end() - 1);
  if (depth >= 1 && depth <= d.size()) {
    expected.insert(expected.end(), d.begin() + static_cast<std::ptrdiff_t>(depth), d.end());
  }
  if (depth < 1 || depth > d.size() || o.updates->dims != expected) {
    return bad_input(fmt::format("indices {} and updates {} do not fit data {}", dims_text(x),
                                 dims_text(o.updates->dims), dims_text(d)),
                     where);
  }
  NK_TRY(check_indices(graph, node, 1,
                       Dims(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(depth))));
  return std::vector{*o.data};
}

Result<StepParams> scatter_nd_params(const Graph& graph, const Node& node) {
  NK_TRY(infer_scatter_nd(graph, node));
  NK_ASSIGN(const Operands o, operands(graph, node));
  const Dims &d = o.data->dims, &x = o.indices->dims;
  const Dims strides = row_major_strides(d);
  nk_slices_params p{};
  p.batch = 1;
  p.batch_elems = static_cast<int32_t>(product_of(d, 0, d.size()));
  p.count = static_cast<int32_t>(product_of(x, 0, x.size() - 1));
  p.depth = static_cast<int32_t>(x.back());
  for (size_t k = 0; k < static_cast<size_t>(p.depth); ++k) {
    p.dims[k] = static_cast<int32_t>(d[k]);
    p.strides[k] = static_cast<int32_t>(strides[k]);
  }
  p.run_elems = static_cast<int32_t>(product_of(d, static_cast<size_t>(p.depth), d.size()));
  NK_ASSIGN(p.width, lookup_width(o.data->dtype, place_of(node)));
  p.index_bytes = o.index_bytes;
  p.reduction = o.reduction;
  return StepParams{bytes_of(p), scatter_signature(o.data->dtype)};
}

// scatter_elements

Result<std::vector<TensorType>> infer_elements(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const Operands o, operands(graph, node));
  const Dims &d = o.data->dims, &x = o.indices->dims;
  NK_ASSIGN(const int64_t axis, elements_axis(node, d, x));
  if (o.updates->dims != x) {
    return bad_input(fmt::format("updates {} do not have the shape of indices {}",
                                 dims_text(o.updates->dims), dims_text(x)),
                     where);
  }
  NK_TRY(check_indices(graph, node, 1, {d[static_cast<size_t>(axis)]}));
  return std::vector{*o.data};
}

Result<StepParams> elements_params(const Graph& graph, const Node& node) {
  NK_TRY(infer_elements(graph, node));
  NK_ASSIGN(const Operands o, operands(graph, node));
  NK_ASSIGN(const int64_t axis, elements_axis(node, o.data->dims, o.indices->dims));
  nk_elements_params p = elements_layout(o.data->dims, o.indices->dims, axis);
  NK_ASSIGN(p.width, lookup_width(o.data->dtype, place_of(node)));
  p.index_bytes = o.index_bytes;
  p.reduction = o.reduction;
  return StepParams{bytes_of(p), scatter_signature(o.data->dtype)};
}

Result<void> lower_scatter(const ForeignNode& node, LowerContext& context) {
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < 3; ++i) {
    NK_ASSIGN(const TensorId id, need_foreign_input(context, node, i));
    inputs.push_back(id);
  }
  const bool nd = node.op == "ScatterND";
  Attrs attrs;
  attrs.set("reduction", node.attrs.get_string("reduction", "none"));
  if (!nd) attrs.set("axis", node.attrs.get_int("axis", 0));
  NK_ASSIGN(const TensorId y, context.add(nd ? "scatter_nd" : "scatter_elements", std::move(inputs),
                                          std::move(attrs)));
  return context.bind(node, 0, y);
}

// TFLite: indices, updates, shape; what is named twice is added up.
Result<void> lower_scatter_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId indices, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId updates, need_foreign_input(context, node, 1));
  NK_ASSIGN(const TensorId shape_id, need_foreign_input(context, node, 2));
  const auto shape = context.const_ints(shape_id);
  if (!shape.has_value()) return bad_input("the shape is not constant", place_of(node));
  TensorType type = context.type(updates);
  type.dims = *shape;
  NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
  if (bytes > int64_t{1} << 26) return bad_input("the result is too large", place_of(node));
  const TensorId zeros =
      context.add_constant(node.name + "_zeros", type, Bytes(static_cast<size_t>(bytes)));
  Attrs attrs;
  attrs.set("reduction", std::string(type.quant.empty() ? "add" : "none"));
  NK_ASSIGN(const TensorId y, context.add("scatter_nd", {zeros, indices, updates}, std::move(attrs),
                                          declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// topk

Result<std::vector<TensorType>> infer_topk(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, where));
  NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis", -1), x->dims.size(), where));
  const int64_t n = x->dims[static_cast<size_t>(axis)], k = node.attrs.get_int("k", 0);
  if (k < 0 || k > n) return bad_input(fmt::format("k is {}, the axis has {}", k, n), where);
  const nk_dtype to = dtype_from_name(node.attrs.get_string("to", "int64"));
  if (to != NK_INT32 && to != NK_INT64) return bad_input("positions are int32 or int64", where);
  TensorType values = *x;
  values.dims[static_cast<size_t>(axis)] = k;
  TensorType positions{to, values.dims, {}};
  return std::vector{std::move(values), std::move(positions)};
}

Result<StepParams> topk_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_topk(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis", -1), x.dims.size(), place_of(node)));
  const auto at = static_cast<size_t>(axis);
  nk_topk_params p{};
  p.outer = static_cast<int32_t>(product_of(x.dims, 0, at));
  p.n = static_cast<int32_t>(x.dims[at]);
  p.inner = static_cast<int32_t>(product_of(x.dims, at + 1, x.dims.size()));
  p.k = static_cast<int32_t>(y[0].dims[at]);
  p.largest = node.attrs.get_int("largest", 1) != 0 ? 1 : 0;
  p.index_bytes = y[1].dtype == NK_INT32 ? 4 : 8;
  return StepParams{bytes_of(p), std::string(signature_of(x.dtype))};
}

Result<void> lower_topk(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Attrs attrs;
  std::optional<std::vector<int64_t>> k;
  if (node.attrs.has("k")) k = {node.attrs.get_int("k")};
  if (const TensorId id = context.input(node, 1); id != kNoTensor) k = context.const_ints(id);
  if (!k.has_value() || k->size() != 1) {
    return bad_input("k is not a constant scalar", place_of(node));
  }
  attrs.set("k", (*k)[0]);
  attrs.set("axis", node.attrs.get_int("axis", -1));
  attrs.set("largest", node.attrs.get_int("largest", 1));
  attrs.set("to", std::string(context.format() == SourceFormat::kOnnx ? "int64" : "int32"));
  NK_ASSIGN(const std::vector<TensorId> y, context.add_multi("topk", {x}, std::move(attrs), {}));
  for (size_t i = 0; i < node.outputs.size() && i < y.size(); ++i) {
    if (node.outputs[i] != kAbsent) NK_TRY(context.bind(node, i, y[i]));
  }
  return {};
}

constexpr ForeignRule kScatterNdRules[] = {
    {SourceFormat::kOnnx, "ScatterND", "", lower_scatter},
    {SourceFormat::kTflite, "SCATTER_ND", "", lower_scatter_tflite}};
constexpr ForeignRule kScatterElementsRules[] = {
    {SourceFormat::kOnnx, "ScatterElements", "", lower_scatter},
    {SourceFormat::kOnnx, "Scatter", "", lower_scatter}};
constexpr RulePair kTopkRules = rule_pair("TopK", "TOPK_V2", lower_topk);

}  // namespace

extern const OpDef nk_op_scatter_nd = {"scatter_nd",   kScatterNdRules,   kSlices::fields,
                                       kSlices::bytes, infer_scatter_nd,  scatter_nd_params,
                                       all_args,       lookup_macs,       false,
                                       false,          "nk_slices_params"};
extern const OpDef nk_op_scatter_elements = {"scatter_elements",
                                             kScatterElementsRules,
                                             kElements::fields,
                                             kElements::bytes,
                                             infer_elements,
                                             elements_params,
                                             all_args,
                                             lookup_macs,
                                             false,
                                             false,
                                             "nk_elements_params"};
extern const OpDef nk_op_topk = {"topk",     kTopkRules,  kTopk::fields, kTopk::bytes,
                                 infer_topk, topk_params, all_args,      lookup_macs};

}  // namespace netkit
