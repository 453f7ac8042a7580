// SPDX-License-Identifier: MIT
// The host faces of max_pool2d and avg_pool2d: TFLite MAX_POOL_2D and AVERAGE_POOL_2D, ONNX
// MaxPool, AveragePool, GlobalMaxPool and GlobalAveragePool.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"
#include "ops/common/host/overlap.h"
#include "ops/common/host/window.h"
#include "ops/pool2d/pool2d.h"
#include "ops/pool2d/pool2d_onnx.h"

namespace netkit {

void pool2d_modes_x8(const nk_pool2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kOwnChannel, sizeof(int8_t), out);
}

void pool2d_modes_f32(const nk_pool2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kOwnChannel, sizeof(float), out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_pool2d_params, NK_POOL2D_FIELDS);

Result<Window> window_at(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, 4));
  return window_of(node.attrs, x->dims[1], x->dims[2], node.attrs.get_int("kernel_h"),
                   node.attrs.get_int("kernel_w"), place_of(node));
}

bool has_tap(const WindowAxis& axis, int64_t output) {
  const int64_t origin = output * axis.stride - axis.pad_begin;
  const int64_t k = origin < 0 ? (-origin + axis.dilation - 1) / axis.dilation : 0;
  return k < axis.kernel && origin + k * axis.dilation < axis.in;
}

// Every window of the axis has a tap inside the input. Of those that begin before it, one a period
// of the dilation earlier meets the same elements with later taps; of the others the last begins
// last. A period of more than kMostPhases windows in the padding counts as one that has none.
bool never_empty(const WindowAxis& axis) {
  constexpr int64_t kMostPhases = int64_t{1} << 20;
  const int64_t period = axis.dilation / std::gcd(axis.stride, axis.dilation);
  const int64_t phases = std::min(axis.out, period);
  if (phases > kMostPhases && axis.dilation > axis.in) return false;
  for (int64_t o = 0; o < std::min(phases, kMostPhases); ++o) {
    if (!has_tap(axis, o)) return false;
  }
  return axis.out == 0 || has_tap(axis, axis.out - 1);
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const Window window, window_at(graph, node));
  NK_TRY(activation_clamp(node.attrs, where));
  if (!never_empty(window.h) || !never_empty(window.w)) {
    return bad_input(fmt::format("a window lies wholly in the padding and has no {}; pad less than "
                                 "the {}x{} window",
                                 node.op == "avg_pool2d" ? "mean" : "greatest value",
                                 window.h.kernel, window.w.kernel),
                     where);
  }
  TensorType y = *input_type(graph, node, 0);
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  y.dims[1] = window.h.out;
  y.dims[2] = window.w.out;
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

// Clamp and padding value of a quantised node; types without quantisation keep the whole range.
Result<void> set_quantised(const Graph& graph, const Node& node, nk_pool2d_params& p) {
  const std::string where = place_of(node);
  const TensorType& x = *input_type(graph, node, 0);
  const TensorType& y = graph.tensor(node.outputs[0]).type;
  NK_ASSIGN(IntRange act, value_range(y.dtype, where));
  if (!x.quant.empty() || !y.quant.empty()) {
    NK_ASSIGN(const TensorQuant from, tensor_quant(x, "the input", where));
    NK_ASSIGN(const TensorQuant to, tensor_quant(y, "the output", where));
    if (from.zero_point != to.zero_point || std::fabs(from.scale - to.scale) > 1e-6f) {
      return bad_input(fmt::format("input and output differ in quantisation: {}, {}", type_text(x),
                                   type_text(y)),
                       where);
    }
    p.pad_value = from.zero_point;
    NK_ASSIGN(act, activation_range(node.attrs, y, where));
  } else if (p.clamp_min > -INFINITY || p.clamp_max < INFINITY) {
    return bad_input("an activation needs quantisation parameters", where);
  }
  p.act_min = act.lo;
  p.act_max = act.hi;
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  NK_ASSIGN(const Window window, window_at(graph, node));
  NK_ASSIGN(const RealRange clamp, activation_clamp(node.attrs, place_of(node)));
  const TensorType& x = *input_type(graph, node, 0);
  nk_pool2d_params p{};
  fill_spatial(p, window, x.dims, y[0].dims);
  p.pad_bottom = static_cast<int32_t>(window.h.pad_end);
  p.pad_right = static_cast<int32_t>(window.w.pad_end);
  p.count_include_pad = node.attrs.get_int("count_include_pad") != 0 ? 1 : 0;
  p.clamp_min = clamp.lo;
  p.clamp_max = clamp.hi;
  if (x.dtype == NK_INT8 || x.dtype == NK_UINT8) NK_TRY(set_quantised(graph, node, p));
  return StepParams{bytes_of(p), std::string(signature_of(x.dtype))};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "input")};
}

uint64_t macs(const Graph&, const Node&) {
  return 0;
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context, const char* op) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims& dims = context.type(x).dims;
  if (dims.size() != 4) {
    return bad_input(fmt::format("input shape {} is not of rank 4", dims_text(dims)),
                     place_of(node));
  }
  const int64_t kernel_h = node.attrs.get_int("filter_height", 1);
  const int64_t kernel_w = node.attrs.get_int("filter_width", 1);
  Attrs attrs;
  NK_TRY(set_tflite_window(node, dims[1], dims[2], kernel_h, kernel_w, attrs));
  NK_TRY(set_fused_activation(node, attrs));
  attrs.set("kernel_h", kernel_h);
  attrs.set("kernel_w", kernel_w);
  NK_ASSIGN(const TensorId y, context.add(op, {x}, attrs, declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

Result<void> tflite_max(const ForeignNode& node, LowerContext& context) {
  return lower_tflite(node, context, "max_pool2d");
}
Result<void> tflite_avg(const ForeignNode& node, LowerContext& context) {
  return lower_tflite(node, context, "avg_pool2d");
}
Result<void> onnx_max(const ForeignNode& node, LowerContext& context) {
  return lower_onnx_pool(node, context, "max_pool2d", false);
}
Result<void> onnx_avg(const ForeignNode& node, LowerContext& context) {
  return lower_onnx_pool(node, context, "avg_pool2d", false);
}
Result<void> onnx_global_max(const ForeignNode& node, LowerContext& context) {
  return lower_onnx_pool(node, context, "max_pool2d", true);
}
Result<void> onnx_global_avg(const ForeignNode& node, LowerContext& context) {
  return lower_onnx_pool(node, context, "avg_pool2d", true);
}

const ForeignRule kMaxRules[] = {{SourceFormat::kTflite, "MAX_POOL_2D", "", tflite_max},
                                 {SourceFormat::kOnnx, "MaxPool", "", onnx_max},
                                 {SourceFormat::kOnnx, "GlobalMaxPool", "", onnx_global_max}};
const ForeignRule kAvgRules[] = {{SourceFormat::kTflite, "AVERAGE_POOL_2D", "", tflite_avg},
                                 {SourceFormat::kOnnx, "AveragePool", "", onnx_avg},
                                 {SourceFormat::kOnnx, "GlobalAveragePool", "", onnx_global_avg}};

}  // namespace

extern const OpDef nk_op_max_pool2d =
    with_quant({"max_pool2d", kMaxRules,   kTable::fields, kTable::bytes,
                infer,        make_params, make_args,      macs},
               {QuantRule::kSame});
extern const OpDef nk_op_avg_pool2d =
    with_quant({"avg_pool2d", kAvgRules,   kTable::fields, kTable::bytes,
                infer,        make_params, make_args,      macs},
               {.rule = QuantRule::kSame, .rounds = true});

}  // namespace netkit
