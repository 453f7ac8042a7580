// SPDX-License-Identifier: MIT
// The host face of gather, gather_nd, gather_elements and one_hot (lookup.h).
#include <fmt/format.h>

#include <array>

#include "ops/lookup/lookup_host.h"

namespace netkit {

void gather_modes(const nk_gather_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}
void gather_nd_modes(const nk_slices_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}
void gather_elements_modes(const nk_elements_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}
void one_hot_modes(const nk_one_hot_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}

namespace {

NK_PARAM_TABLE(kGather, nk_gather_params, NK_GATHER_FIELDS);
NK_PARAM_TABLE(kSlices, nk_slices_params, NK_SLICES_FIELDS);
NK_PARAM_TABLE(kElements, nk_elements_params, NK_ELEMENTS_FIELDS);
NK_PARAM_TABLE(kOneHot, nk_one_hot_params, NK_ONE_HOT_FIELDS);

// Data and indices of a node, sizes and index type checked; scales per axis are refused.
struct Operands {
  const TensorType* data;
  const TensorType* indices;
  int32_t index_bytes = 0, width = 0;
};

Result<Operands> operands(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  Operands o{};
  NK_ASSIGN(o.data, need_input(graph, node, 0, -1));
  NK_ASSIGN(o.indices, need_input(graph, node, 1, -1));
  NK_TRY(check_sizes(std::array{o.data, o.indices}, where));
  NK_ASSIGN(o.index_bytes, index_bytes(*o.indices, where));
  NK_ASSIGN(o.width, lookup_width(o.data->dtype, where));
  if (o.data->quant.scale.size() > 1) {
    return bad_input("scales per axis cannot be looked up", where);
  }
  if (o.data->dims.empty()) return bad_input("the data is a scalar", where);
  return o;
}

Result<std::vector<TensorType>> result_type(const Operands& o, Dims dims,
                                            const std::string& where) {
  if (dims.size() > NK_MAX_RANK) {
    return bad_input(fmt::format("the result has {} axes, at most {}", dims.size(), NK_MAX_RANK),
                     where);
  }
  TensorType y{o.data->dtype, std::move(dims), o.data->quant};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

// gather

struct GatherAxes {
  size_t axis = 0, batch = 0;
};

Result<GatherAxes> gather_axes(const Node& node, const Operands& o) {
  const std::string where = place_of(node);
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis", 0), o.data->dims.size(), where));
  const int64_t batch = node.attrs.get_int("batch_dims", 0);
  bool fits = batch >= 0 && batch <= axis && batch <= static_cast<int64_t>(o.indices->dims.size());
  for (int64_t i = 0; fits && i < batch; ++i) {
    fits = o.data->dims[static_cast<size_t>(i)] == o.indices->dims[static_cast<size_t>(i)];
  }
  if (!fits) return bad_input(fmt::format("batch_dims {} do not fit", batch), where);
  return GatherAxes{static_cast<size_t>(axis), static_cast<size_t>(batch)};
}

Result<std::vector<TensorType>> infer_gather(const Graph& graph, const Node& node) {
  NK_ASSIGN(const Operands o, operands(graph, node));
  NK_ASSIGN(const GatherAxes at, gather_axes(node, o));
  NK_TRY(check_indices(graph, node, 1, {o.data->dims[at.axis]}));
  Dims dims(o.data->dims.begin(), o.data->dims.begin() + static_cast<std::ptrdiff_t>(at.axis));
  dims.insert(dims.end(), o.indices->dims.begin() + static_cast<std::ptrdiff_t>(at.batch),
              o.indices->dims.end());
  dims.insert(dims.end(), o.data->dims.begin() + static_cast<std::ptrdiff_t>(at.axis) + 1,
              o.data->dims.end());
  return result_type(o, std::move(dims), place_of(node));
}

Result<StepParams> gather_params(const Graph& graph, const Node& node) {
  NK_TRY(infer_gather(graph, node));
  NK_ASSIGN(const Operands o, operands(graph, node));
  NK_ASSIGN(const GatherAxes at, gather_axes(node, o));
  const Dims& d = o.data->dims;
  nk_gather_params p{};
  p.batch = static_cast<int32_t>(product_of(d, 0, at.batch));
  p.outer = static_cast<int32_t>(product_of(d, at.batch, at.axis));
  p.n = static_cast<int32_t>(d[at.axis]);
  p.count = static_cast<int32_t>(product_of(o.indices->dims, at.batch, o.indices->dims.size()));
  NK_ASSIGN(p.run_bytes, checked_int32(product_of(d, at.axis + 1, d.size()) * o.width, 0, INT32_MAX,
                                       "a run of bytes", place_of(node)));
  p.index_bytes = o.index_bytes;
  return StepParams{bytes_of(p), "any"};
}

Result<void> lower_gather(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId data, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId indices, need_foreign_input(context, node, 1));
  NK_ASSIGN(indices, integer_indices(context, indices));
  Attrs attrs;
  attrs.set("axis", node.attrs.get_int("axis", 0));
  attrs.set("batch_dims", node.attrs.get_int("batch_dims", 0));
  NK_ASSIGN(const TensorId y, context.add("gather", {data, indices}, std::move(attrs),
                                          declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// gather_nd

Result<std::vector<TensorType>> infer_gather_nd(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const Operands o, operands(graph, node));
  const Dims &d = o.data->dims, &x = o.indices->dims;
  const auto batch = static_cast<size_t>(node.attrs.get_int("batch_dims", 0));
  const auto depth = x.empty() ? size_t{0} : static_cast<size_t>(x.back());
  bool fits = !x.empty() && batch < x.size() && depth >= 1 && batch + depth <= d.size();
  for (size_t i = 0; fits && i < batch; ++i) fits = d[i] == x[i];
  if (!fits) {
    return bad_input(fmt::format("indices {} with batch_dims {} do not fit data {}", dims_text(x),
                                 batch, dims_text(d)),
                     where);
  }
  const auto at = [](const Dims& dims, size_t i) {
    return dims.begin() + static_cast<std::ptrdiff_t>(i);
  };
  NK_TRY(check_indices(graph, node, 1, Dims(at(d, batch), at(d, batch + depth))));
  Dims dims(x.begin(), x.end() - 1);
  dims.insert(dims.end(), at(d, batch + depth), d.end());
  return result_type(o, std::move(dims), where);
}

Result<StepParams> gather_nd_params(const Graph& graph, const Node& node) {
  NK_TRY(infer_gather_nd(graph, node));
  NK_ASSIGN(const Operands o, operands(graph, node));
  const Dims &d = o.data->dims, &x = o.indices->dims;
  const auto batch = static_cast<size_t>(node.attrs.get_int("batch_dims", 0));
  const Dims strides = row_major_strides(d);
  nk_slices_params p{};
  p.batch = static_cast<int32_t>(product_of(d, 0, batch));
  p.batch_elems = static_cast<int32_t>(product_of(d, batch, d.size()));
  p.count = static_cast<int32_t>(product_of(x, batch, x.size() - 1));
  p.depth = static_cast<int32_t>(x.back());
  for (size_t k = 0; k < static_cast<size_t>(p.depth); ++k) {
    p.dims[k] = static_cast<int32_t>(d[batch + k]);
    p.strides[k] = static_cast<int32_t>(strides[batch + k]);
  }
  p.run_elems = static_cast<int32_t>(product_of(d, batch + static_cast<size_t>(p.depth), d.size()));
  p.width = o.width;
  p.index_bytes = o.index_bytes;
  return StepParams{bytes_of(p), "any"};
}

Result<void> lower_gather_nd(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId data, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId indices, need_foreign_input(context, node, 1));
  NK_ASSIGN(indices, integer_indices(context, indices));
  const int64_t batch = node.attrs.get_int("batch_dims", 0);
  if (batch < 0) return bad_input(fmt::format("batch_dims {}", batch), place_of(node));
  Attrs attrs;
  attrs.set("batch_dims", batch);
  NK_ASSIGN(const TensorId y, context.add("gather_nd", {data, indices}, std::move(attrs),
                                          declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// gather_elements

Result<std::vector<TensorType>> infer_elements(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const Operands o, operands(graph, node));
  const Dims &d = o.data->dims, &x = o.indices->dims;
  NK_ASSIGN(const int64_t axis, elements_axis(node, d, x));
  NK_TRY(check_indices(graph, node, 1, {d[static_cast<size_t>(axis)]}));
  return result_type(o, x, where);
}

Result<StepParams> elements_params(const Graph& graph, const Node& node) {
  NK_TRY(infer_elements(graph, node));
  NK_ASSIGN(const Operands o, operands(graph, node));
  NK_ASSIGN(const int64_t axis, elements_axis(node, o.data->dims, o.indices->dims));
  nk_elements_params p = elements_layout(o.data->dims, o.indices->dims, axis);
  p.width = o.width;
  p.index_bytes = o.index_bytes;
  return StepParams{bytes_of(p), "any"};
}

Result<void> lower_elements(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId data, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId indices, need_foreign_input(context, node, 1));
  Attrs attrs;
  attrs.set("axis", node.attrs.get_int("axis", 0));
  NK_ASSIGN(const TensorId y, context.add("gather_elements", {data, indices}, std::move(attrs)));
  return context.bind(node, 0, y);
}

// one_hot

Result<std::vector<TensorType>> infer_one_hot(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* indices, need_input(graph, node, 0, -1));
  NK_ASSIGN(const TensorType* values, need_input(graph, node, 1, 1));
  NK_TRY(check_sizes(std::array{indices}, where));
  NK_TRY(index_bytes(*indices, where));
  NK_TRY(lookup_width(values->dtype, where));
  const int64_t depth = node.attrs.get_int("depth", 0);
  if (values->dims != Dims{2} || depth < 1 || depth > INT32_MAX) {
    return bad_input(fmt::format("values {} and depth {}", dims_text(values->dims), depth), where);
  }
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis", -1), indices->dims.size() + 1, where));
  Dims dims = indices->dims;
  dims.insert(dims.begin() + axis, depth);
  TensorType y{values->dtype, std::move(dims), values->quant};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<StepParams> one_hot_params(const Graph& graph, const Node& node) {
  NK_TRY(infer_one_hot(graph, node));
  const TensorType& indices = *input_type(graph, node, 0);
  const std::string where = place_of(node);
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis", -1), indices.dims.size() + 1, where));
  const auto at = static_cast<size_t>(axis);
  nk_one_hot_params p{};
  p.outer = static_cast<int32_t>(product_of(indices.dims, 0, at));
  p.depth = static_cast<int32_t>(node.attrs.get_int("depth"));
  p.inner = static_cast<int32_t>(product_of(indices.dims, at, indices.dims.size()));
  NK_ASSIGN(p.width, lookup_width(input_type(graph, node, 1)->dtype, where));
  NK_ASSIGN(p.index_bytes, index_bytes(indices, where));
  return StepParams{bytes_of(p), "any"};
}

// ONNX: indices, depth, [off, on]; TFLite: indices, depth, on, off.
Result<void> lower_one_hot(const ForeignNode& node, LowerContext& context) {
  const bool onnx = context.format() == SourceFormat::kOnnx;
  NK_ASSIGN(TensorId indices, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId depth_id, need_foreign_input(context, node, 1));
  auto depth = context.const_ints(depth_id);
  if (const auto real = context.const_floats(depth_id); !depth && real && real->size() == 1) {
    depth = {static_cast<int64_t>((*real)[0])};
  }
  if (!depth.has_value() || depth->size() != 1) {
    return bad_input("the depth is not a constant scalar", place_of(node));
  }
  NK_ASSIGN(indices, integer_indices(context, indices));
  NK_ASSIGN(TensorId values, need_foreign_input(context, node, 2));
  if (!onnx) {
    NK_ASSIGN(TensorId off, need_foreign_input(context, node, 3));
    Attrs one, axis;
    one.set("shape", Dims{1});
    axis.set("axis", int64_t{0});
    NK_ASSIGN(values, context.add("reshape", {values}, one));
    NK_ASSIGN(off, context.add("reshape", {off}, one));
    NK_ASSIGN(values, context.add("concat", {off, values}, axis));
  }
  Attrs attrs;
  attrs.set("axis", node.attrs.get_int("axis", -1));
  attrs.set("depth", (*depth)[0]);
  NK_ASSIGN(const TensorId y, context.add("one_hot", {indices, values}, std::move(attrs),
                                          declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// ONNX Hardmax: 1 at the first greatest element. Before opset 13 the axes from `axis` on are one.
Result<void> lower_hardmax(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  const bool joins = node.version < 13;
  NK_ASSIGN(int64_t axis,
            normal_axis(node.attrs.get_int("axis", joins ? 1 : -1), dims.size(), place_of(node)));
  Attrs shape, most, hot, back;
  if (joins) {
    const auto at = static_cast<size_t>(axis);
    shape.set("shape", Dims{product_of(dims, 0, at), product_of(dims, at, dims.size())});
    NK_ASSIGN(x, context.add("reshape", {x}, std::move(shape)));
    axis = 1;
  }
  most.set("axis", axis);
  most.set("keepdims", int64_t{0});
  hot.set("axis", axis);
  hot.set("depth", context.type(x).dims[static_cast<size_t>(axis)]);
  back.set("shape", dims);
  const TensorId values = context.add_constant(node.name + "_values", {NK_FLOAT32, {2}, {}},
                                               *constant_of(std::vector<float>{0.0f, 1.0f}));
  NK_ASSIGN(TensorId y, context.add("arg_max", {x}, std::move(most)));
  NK_ASSIGN(y, context.add("one_hot", {y, values}, std::move(hot)));
  if (joins) {
    NK_ASSIGN(y, context.add("reshape", {y}, std::move(back)));
  }
  return context.bind(node, 0, y);
}

constexpr RulePair kGatherRules = rule_pair("Gather", "GATHER", lower_gather);
constexpr RulePair kGatherNdRules = rule_pair("GatherND", "GATHER_ND", lower_gather_nd);
constexpr ForeignRule kElementsRules[] = {
    {SourceFormat::kOnnx, "GatherElements", "", lower_elements},
    {SourceFormat::kOnnx, "NegativeLogLikelihoodLoss", "", lower_negative_log_loss},
    {SourceFormat::kOnnx, "SoftmaxCrossEntropyLoss", "", lower_cross_entropy_loss}};
constexpr ForeignRule kOneHotRules[] = {{SourceFormat::kOnnx, "OneHot", "", lower_one_hot},
                                        {SourceFormat::kOnnx, "Hardmax", "", lower_hardmax},
                                        {SourceFormat::kTflite, "ONE_HOT", "", lower_one_hot}};

}  // namespace

extern const OpDef nk_op_gather =
    with_quant({"gather",     kGatherRules,  kGather::fields, kGather::bytes,
                infer_gather, gather_params, all_args,        lookup_macs},
               {QuantRule::kSame});
extern const OpDef nk_op_gather_nd =
    with_quant({"gather_nd",    kGatherNdRules,    kSlices::fields,
                kSlices::bytes, infer_gather_nd,   gather_nd_params,
                all_args,       lookup_macs,       false,
                false,          "nk_slices_params"},
               {QuantRule::kSame});
extern const OpDef nk_op_gather_elements =
    with_quant({"gather_elements",
                kElementsRules,
                kElements::fields,
                kElements::bytes,
                infer_elements,
                elements_params,
                all_args,
                lookup_macs,
                false,
                false,
                "nk_elements_params"},
               {QuantRule::kSame});
extern const OpDef nk_op_one_hot = {"one_hot",     kOneHotRules,   kOneHot::fields, kOneHot::bytes,
                                    infer_one_hot, one_hot_params, all_args,        lookup_macs};

}  // namespace netkit
