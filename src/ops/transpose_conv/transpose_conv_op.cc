// SPDX-License-Identifier: MIT
// The host face of transpose_conv: ONNX ConvTranspose, TFLite TRANSPOSE_CONV and MediaPipe's
// Convolution2DTransposeBias (transpose_conv_lower.cc).
#include <fmt/format.h>

#include "ops/common/host/op_helpers.h"
#include "ops/common/host/overlap.h"
#include "ops/common/host/weighted.h"
#include "ops/common/host/window.h"
#include "ops/transpose_conv/transpose_conv.h"
#include "ops/transpose_conv/transpose_conv_lower.h"

namespace netkit {

void transpose_conv_modes_x8(const nk_transpose_conv_params* p, std::vector<KernelMode>& out) {
  gather_modes(spatial_of(p), sizeof(int8_t), out);
}

void transpose_conv_modes_s16(const nk_transpose_conv_params* p, std::vector<KernelMode>& out) {
  gather_modes(spatial_of(p), sizeof(int16_t), out);
}

void transpose_conv_modes_f32(const nk_transpose_conv_params* p, std::vector<KernelMode>& out) {
  gather_modes(spatial_of(p), sizeof(float), out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_transpose_conv_params, NK_TRANSPOSE_CONV_FIELDS);

// Sizes, strides and dilations times each other stay far inside int32 (fit.h).
constexpr int64_t kFar = int64_t{1} << 28;

Result<WindowAxis> axis_of(const Attrs& attrs, char name, int64_t in, int64_t kernel, int64_t pad,
                           const std::string& where) {
  const auto named = [&](const char* what) { return fmt::format("{}_{}", what, name); };
  WindowAxis axis{in, kernel, attrs.get_int(named("stride"), 1),
                  attrs.get_int(named("dilation"), 1), pad};
  axis.out = attrs.get_int(named("out"));
  const std::pair<const char*, int64_t> positive[] = {{"input size", in},
                                                      {"kernel", kernel},
                                                      {"stride", axis.stride},
                                                      {"dilation", axis.dilation},
                                                      {"output size", axis.out}};
  for (const auto& [what, value] : positive) {
    NK_TRY(checked_int32(value, 1, kFar, fmt::format("{} of axis {}", what, name), where));
  }
  NK_TRY(checked_int32(pad, -kFar, kFar, fmt::format("padding of axis {}", name), where));
  NK_TRY(checked_int32((axis.out - 1) * axis.stride, 0, kFar,
                       fmt::format("output size times stride of axis {}", name), where));
  NK_TRY(checked_int32((kernel - 1) * axis.dilation, 0, kFar,
                       fmt::format("kernel times dilation of axis {}", name), where));
  return axis;
}

Result<Window> gather_of(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  const Dims& x = input_type(graph, node, 0)->dims;
  const Dims& w = input_type(graph, node, 1)->dims;
  const std::vector<int64_t> pads = node.attrs.get_ints("pads", {0, 0});
  if (pads.size() != 2) {
    return bad_input(fmt::format("pads has {} values, 2 are needed", pads.size()), where);
  }
  NK_ASSIGN(const WindowAxis h, axis_of(node.attrs, 'h', x[1], w[1], pads[0], where));
  NK_ASSIGN(const WindowAxis wide, axis_of(node.attrs, 'w', x[2], w[2], pads[1], where));
  return Window{h, wide};
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, 4));
  NK_ASSIGN(const TensorType* w, need_input(graph, node, 1, 4));
  const int64_t groups = node.attrs.get_int("groups", 1);
  const int64_t out_c = w->dims[0];
  if (groups < 1 || x->dims[3] % groups != 0 || out_c % groups != 0 ||
      x->dims[3] / groups != w->dims[3] || w->dims[3] == 0 || out_c == 0) {
    return bad_input(fmt::format("weights {} in {} groups do not fit input {}", dims_text(w->dims),
                                 groups, dims_text(x->dims)),
                     where);
  }
  NK_TRY(check_weighted(graph, node, out_c));
  NK_TRY(activation_clamp(node.attrs, where));
  NK_ASSIGN(const Window window, gather_of(graph, node));
  TensorType y{x->dtype, {x->dims[0], window.h.out, window.w.out, out_c}, {}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  const Dims& w = input_type(graph, node, 1)->dims;
  NK_ASSIGN(const Window window, gather_of(graph, node));
  NK_ASSIGN(const WeightedFields fields, weighted_fields(graph, node, w[0], 0));
  nk_transpose_conv_params p{};
  fill_spatial(p, window, input_type(graph, node, 0)->dims, y[0].dims);
  p.groups = static_cast<int32_t>(node.attrs.get_int("groups", 1));
  set_weighted(p, fields);
  return weighted_step(graph, node, p);
}

Result<std::vector<StepArg>> make_args(const Graph& graph, const Node& node, const KernelRow&) {
  return weighted_args(graph, node, input_type(graph, node, 1)->dims[0], ScaleProduct::kDouble);
}

// Every input element meets every tap and output channel of its group (those cut off too).
uint64_t macs(const Graph& graph, const Node& node) {
  const Dims& w = input_type(graph, node, 1)->dims;
  const auto groups = static_cast<uint64_t>(node.attrs.get_int("groups", 1));
  uint64_t product = static_cast<uint64_t>(w[0] * w[1] * w[2]) / std::max<uint64_t>(1, groups);
  for (const int64_t dim : input_type(graph, node, 0)->dims) {
    product *= static_cast<uint64_t>(dim);
  }
  return product;
}

const ForeignRule kRules[] = {
    {SourceFormat::kTflite, "TRANSPOSE_CONV", "", lower_transpose_conv},
    {SourceFormat::kTflite, "CUSTOM:Convolution2DTransposeBias", "", lower_transpose_conv_bias},
    {SourceFormat::kOnnx, "ConvTranspose", "", lower_conv_transpose}};

}  // namespace

extern const OpDef nk_op_transpose_conv =
    with_quant({
                "transpose_conv", kRules, kTable::fields, kTable::bytes, infer, make_params,
                make_args, macs},
               {QuantRule::kWeighted, 0});

}  // namespace netkit
