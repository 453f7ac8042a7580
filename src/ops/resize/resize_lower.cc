// SPDX-License-Identifier: MIT
#include "ops/resize/resize_lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/resize/resize_tables.h"

namespace netkit {
namespace {

constexpr int64_t kMaxAxis = int64_t{1} << 22;  // of the axes that tables are made of

template <typename Index, typename Weight>
void add_tables(LowerContext& context, const std::string& name, const std::vector<Index>& index,
                const std::vector<Weight>& weight, nk_dtype weight_dtype, int64_t taps,
                std::vector<TensorId>& inputs) {
  const Dims dims{static_cast<int64_t>(index.size()) / taps, taps};
  inputs.push_back(
      context.add_constant(name + "_index", {NK_INT32, dims, {}}, *constant_of(index)));
  inputs.push_back(weight.empty() ? kNoTensor
                                  : context.add_constant(name + "_weight", {weight_dtype, dims, {}},
                                                         *constant_of(weight)));
}

// resize of x [n, h, w, c] by two tables.
Result<TensorId> add_resize(const ForeignNode& node, LowerContext& context, TensorId x,
                            const AxisTable& rows, const AxisTable& columns,
                            std::optional<TensorType> declared = std::nullopt) {
  std::vector<TensorId> inputs{x};
  add_tables(context, node.name + "_rows", rows.index, rows.weight, NK_FLOAT32, rows.taps, inputs);
  add_tables(context, node.name + "_columns", columns.index, columns.weight, NK_FLOAT32,
             columns.taps, inputs);
  return context.add("resize", std::move(inputs), {}, std::move(declared));
}

Result<TensorId> reshaped(LowerContext& context, TensorId x, Dims shape) {
  if (context.type(x).dims == shape) return x;
  Attrs attrs;
  attrs.set("shape", std::move(shape));
  return context.add("reshape", {x}, std::move(attrs));
}

// TFLite

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId size_id, need_foreign_input(context, node, 1));
  const auto size = context.const_ints(size_id);
  const TensorType type = context.type(x);
  if (!size.has_value() || size->size() != 2 || type.dims.size() != 4) {
    return bad_input(fmt::format("shape {} without two constant sizes", dims_text(type.dims)),
                     where);
  }
  for (size_t i = 0; i < 2; ++i) {
    NK_TRY(checked_int32((*size)[i], 1, kMaxAxis, "output size", where));
    NK_TRY(checked_int32(type.dims[i + 1], 1, kMaxAxis, "input size", where));
  }
  const TfliteResizeRule rule{node.attrs.get_int("align_corners", 0) != 0,
                              node.attrs.get_int("half_pixel_centers", 0) != 0};
  const auto declared = declared_type(context, node, 0);
  const bool nearest = node.op == "RESIZE_NEAREST_NEIGHBOR";
  if (nearest || is_float(type.dtype)) {
    const auto table = nearest ? tflite_nearest_table : tflite_linear_table;
    NK_ASSIGN(const TensorId y, add_resize(node, context, x, table(type.dims[1], (*size)[0], rule),
                                           table(type.dims[2], (*size)[1], rule), declared));
    return context.bind(node, 0, y);
  }
  std::vector<TensorId> inputs{x};
  for (size_t i = 0; i < 2; ++i) {
    const IntegerTable t = tflite_integer_table(type.dims[i + 1], (*size)[i], rule);
    add_tables(context, node.name + (i == 0 ? "_rows" : "_columns"), t.index, t.weight, NK_INT32, 2,
               inputs);
  }
  NK_ASSIGN(const TensorId y, context.add("resize", std::move(inputs), {}, declared));
  return context.bind(node, 0, y);
}

// ONNX

// Values of a constant input that may be absent or empty.
Result<std::vector<double>> numbers(const ForeignNode& node, const LowerContext& context, size_t i,
                                    std::string_view what) {
  const TensorId id = context.input(node, i);
  if (id == kNoTensor || context.type(id).dims == Dims{0}) return std::vector<double>();
  if (auto values = context.const_floats(id); values.has_value()) return *values;
  if (const auto values = context.const_ints(id); values.has_value()) {
    return std::vector<double>(values->begin(), values->end());
  }
  return bad_input(fmt::format("the {} input is not constant", what), place_of(node),
                   "export the model with a fixed size");
}

struct Request {
  std::vector<double> scales, sizes, roi;
  Dims axes;  // that scales, sizes and roi speak of
};

Result<Request> request_of(const ForeignNode& node, const LowerContext& context, size_t rank) {
  const std::string where = place_of(node);
  Request r;
  const bool upsample = node.op == "Upsample", old = upsample || node.version < 11;
  if (node.attrs.has("scales")) {
    const AttrValue* value = node.attrs.find("scales");
    if (const auto* list = std::get_if<std::vector<double>>(value)) r.scales = *list;
  } else {
    NK_ASSIGN(r.scales, numbers(node, context, old ? 1 : 2, "scales"));
  }
  if (!old) {
    NK_ASSIGN(r.sizes, numbers(node, context, 3, "sizes"));
    if (node.attrs.get_string("coordinate_transformation_mode") == "tf_crop_and_resize") {
      NK_ASSIGN(r.roi, numbers(node, context, 1, "roi"));
    }
  }
  r.axes = node.attrs.get_ints("axes");
  if (r.axes.empty()) {
    for (size_t i = 0; i < rank; ++i) r.axes.push_back(static_cast<int64_t>(i));
  }
  if (r.scales.empty() == r.sizes.empty()) {
    return bad_input("exactly one of scales and sizes must be given", where);
  }
  const size_t given = std::max(r.scales.size(), r.sizes.size());
  if (given != r.axes.size() || (!r.roi.empty() && r.roi.size() != 2 * given)) {
    return bad_input(fmt::format("{} scales or sizes for {} axes", given, r.axes.size()), where);
  }
  return r;
}

// not_larger and not_smaller: one scale for all axes, sizes rounded.
void keep_aspect(const std::string& policy, const Dims& dims, Request& r) {
  if (r.sizes.empty() || policy == "stretch") return;
  double scale = policy == "not_larger" ? INFINITY : 0.0;
  for (size_t i = 0; i < r.axes.size(); ++i) {
    const double ratio = r.sizes[i] / static_cast<double>(dims[static_cast<size_t>(r.axes[i])]);
    scale = policy == "not_larger" ? std::min(scale, ratio) : std::max(scale, ratio);
  }
  for (size_t i = 0; i < r.axes.size(); ++i) {
    const auto in = static_cast<double>(dims[static_cast<size_t>(r.axes[i])]);
    r.sizes[i] = std::floor(scale * in + 0.5);
  }
}

Result<std::vector<OnnxAxis>> axes_of(const ForeignNode& node, const Dims& dims, Request& r) {
  const std::string where = place_of(node);
  std::vector<OnnxAxis> out;
  for (const int64_t dim : dims) out.push_back({dim, dim, 1.0, 0.0, 1.0});
  for (int64_t& axis : r.axes) {
    NK_ASSIGN(axis, normal_axis(axis, dims.size(), where));
  }
  keep_aspect(node.attrs.get_string("keep_aspect_ratio_policy", "stretch"), dims, r);
  for (size_t i = 0; i < r.axes.size(); ++i) {
    OnnxAxis& axis = out[static_cast<size_t>(r.axes[i])];
    const auto in = static_cast<double>(axis.in);
    axis.scale = r.sizes.empty() ? r.scales[i] : r.sizes[i] / in;
    if (!(axis.scale > 0.0) || axis.scale > 1e6) {
      return bad_input(fmt::format("scale {} of axis {}", axis.scale, r.axes[i]), where);
    }
    // A scale is a float32: the product is rounded down as ONNX states, in that precision.
    axis.out = static_cast<int64_t>(r.sizes.empty() ? std::floor(in * axis.scale) : r.sizes[i]);
    NK_TRY(checked_int32(axis.in, 1, kMaxAxis, "input size", where));
    NK_TRY(checked_int32(axis.out, 1, kMaxAxis, "output size", where));
    if (!r.roi.empty()) {
      axis.roi_start = r.roi[i];
      axis.roi_end = r.roi[i + r.axes.size()];
    }
  }
  return out;
}

Result<OnnxResizeRule> rule_of(const ForeignNode& node) {
  const bool old = node.op == "Upsample" || node.version < 11;
  OnnxResizeRule rule;
  rule.mode = node.attrs.get_string("mode", "nearest");
  if (rule.mode == "bilinear") rule.mode = "linear";
  rule.coordinates =
      old ? "asymmetric" : node.attrs.get_string("coordinate_transformation_mode", "half_pixel");
  rule.nearest = old ? "floor" : node.attrs.get_string("nearest_mode", "round_prefer_floor");
  rule.cubic_a = node.attrs.get_float("cubic_coeff_a", -0.75);
  rule.exclude_outside = node.attrs.get_int("exclude_outside", 0) != 0;
  rule.antialias = node.attrs.get_int("antialias", 0) != 0 && rule.mode != "nearest";
  if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic") {
    return bad_input(fmt::format("unknown mode '{}'", rule.mode), place_of(node),
                     "nearest, linear and cubic are supported");
  }
  return rule;
}

// An axis on which nothing is to be done.
AxisTable identity_table(int64_t n, bool weighted) {
  AxisTable table;
  for (int64_t i = 0; i < n; ++i) table.index.push_back(static_cast<int32_t>(i));
  if (weighted) table.weight.assign(static_cast<size_t>(n), 1.0f);
  return table;
}

bool changes(const AxisTable& table, int64_t n) {
  if (table.index.empty()) return false;
  const AxisTable same = identity_table(n, false);
  const auto whole = [](float w) { return w == 1.0f; };
  return table.taps != 1 ? true
                         : table.index != same.index || !std::ranges::all_of(table.weight, whole);
}

// x plus `value` where the table of its axis 1 takes nothing.
Result<TensorId> extrapolated(LowerContext& context, TensorId x, const AxisTable& table,
                              double value) {
  const auto taps = static_cast<size_t>(table.taps);
  std::vector<float> more;
  for (size_t i = 0; i + taps <= table.weight.size(); i += taps) {
    const auto row = std::span(table.weight).subspan(i, taps);
    const bool outside = std::ranges::all_of(row, [](float w) { return w == 0.0f; });
    more.push_back(outside ? static_cast<float>(value) : 0.0f);
  }
  if (std::ranges::all_of(more, [](float v) { return v == 0.0f; })) return x;
  const TensorId outside = context.add_constant(
      "outside", {NK_FLOAT32, {1, std::ssize(more), 1, 1}, {}}, *constant_of(more));
  return context.add("add", {x, outside}, {});
}

Result<void> lower_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const TensorType type = context.type(x);
  const size_t rank = type.dims.size();
  NK_ASSIGN(Request request, request_of(node, context, rank));
  NK_ASSIGN(const std::vector<OnnxAxis> axes, axes_of(node, type.dims, request));
  NK_ASSIGN(const OnnxResizeRule rule, rule_of(node));
  const bool weighted = rule.mode != "nearest";
  const double beyond = rule.coordinates == "tf_crop_and_resize"
                            ? node.attrs.get_float("extrapolation_value", 0.0)
                            : 0.0;
  if (weighted && type.dtype != NK_FLOAT32) {
    return bad_input(fmt::format("mode {} on {} is not supported", rule.mode, name_of(type.dtype)),
                     place_of(node));
  }
  std::vector<AxisTable> tables;
  std::vector<size_t> moved;  // axes with something to do
  for (size_t i = 0; i < rank; ++i) {
    AxisTable table;  // empty: nothing to do
    const bool named = std::ranges::count(request.axes, static_cast<int64_t>(i)) != 0;
    if (named && (axes[i].in != axes[i].out || axes[i].scale != 1.0 || !request.roi.empty())) {
      NK_ASSIGN(table, onnx_axis_table(axes[i], rule, place_of(node)));
    }
    if (changes(table, axes[i].in)) moved.push_back(i);
    tables.push_back(std::move(table));
  }
  if (rank == 4 && !moved.empty() && moved.front() >= 2 &&
      beyond == 0.0) {  // an image: as its neighbours, NHWC
    for (const size_t i : {2, 3}) {
      if (!tables[i].index.empty()) continue;
      NK_TRY(checked_int32(axes[i].in, 1, kMaxAxis, "input size", place_of(node)));
      tables[i] = identity_table(axes[i].in, weighted);
    }
    NK_ASSIGN(x, context.transpose(x, {0, 2, 3, 1}));
    NK_ASSIGN(x, add_resize(node, context, x, tables[2], tables[3]));
    NK_ASSIGN(x, context.transpose(x, {0, 3, 1, 2}));
    return context.bind(node, 0, x);
  }
  Dims dims = type.dims;
  for (const size_t i : moved) {  // interpolation is separable
    NK_ASSIGN(x, reshaped(context, x,
                          {product_of(dims, 0, i), dims[i], 1, product_of(dims, i + 1, rank)}));
    NK_ASSIGN(x, add_resize(node, context, x, tables[i], identity_table(1, weighted)));
    NK_ASSIGN(x, extrapolated(context, x, tables[i], beyond));
    dims[i] = axes[i].out;
  }
  NK_ASSIGN(x, reshaped(context, x, dims));
  return context.bind(node, 0, x);
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "Resize", "", lower_onnx},
    {SourceFormat::kOnnx, "Upsample", "", lower_onnx},
    {SourceFormat::kTflite, "RESIZE_BILINEAR", "", lower_tflite},
    {SourceFormat::kTflite, "RESIZE_NEAREST_NEIGHBOR", "", lower_tflite}};

}  // namespace

std::span<const ForeignRule> resize_rules() {
  return kRules;
}

}  // namespace netkit
