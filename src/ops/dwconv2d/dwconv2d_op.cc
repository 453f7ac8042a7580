// SPDX-License-Identifier: MIT
// The host face of dwconv2d: TFLite DEPTHWISE_CONV_2D. ONNX Conv with one input channel per group
// comes here through conv2d's lowering.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>

#include "ops/common/arm/dsp_pack.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/overlap.h"
#include "ops/common/host/weighted.h"
#include "ops/common/host/window.h"
#include "ops/dwconv2d/arm/dwconv2d_mve_pack.h"
#include "ops/dwconv2d/dwconv2d.h"
#include "ops/dwconv2d/planar.h"

namespace netkit {

void dwconv2d_modes_x8(const nk_dwconv2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kOwnChannel, sizeof(int8_t), out);
  add_channel_ring_mode(spatial_of(p), sizeof(int8_t), out);
}

void dwconv2d_modes_f32(const nk_dwconv2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kOwnChannel, sizeof(float), out);
  add_channel_ring_mode(spatial_of(p), sizeof(float), out);
}

void dwconv2d_modes_s16(const nk_dwconv2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kOwnChannel, sizeof(int16_t), out);
}

namespace {

// Plain and channel ring, which are one walk with one scratch.
void ring_modes(const nk_dwconv2d_params* p, int64_t scratch_bytes, std::vector<KernelMode>& out) {
  out.push_back({NK_MODE_PLAIN, 0, {}});
  add_channel_ring_mode(spatial_of(p), sizeof(int8_t), out);
  for (KernelMode& mode : out) mode.scratch_bytes = scratch_bytes;
}

}  // namespace

void dwconv2d_modes_planar(const nk_dwconv2d_params* p, std::vector<KernelMode>& out) {
  ring_modes(p, nk_planar_scratch(p), out);
}

void dwconv2d_modes_mve(const nk_dwconv2d_params* p, std::vector<KernelMode>& out) {
  ring_modes(p, nk_mve_planar_scratch(p), out);
}

void dwconv2d_parts_modes_x8(const nk_dwconv2d_parts_params* p, std::vector<KernelMode>& out) {
  parts_modes(spatial_of(p), std::span(p->part_c).first(static_cast<size_t>(p->parts)), false,
              sizeof(int8_t), out);
}

void dwconv2d_parts_modes_f32(const nk_dwconv2d_parts_params* p, std::vector<KernelMode>& out) {
  parts_modes(spatial_of(p), std::span(p->part_c).first(static_cast<size_t>(p->parts)), false,
              sizeof(float), out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_dwconv2d_params, NK_DWCONV2D_FIELDS);
NK_PARAM_TABLE(kPartsTable, nk_dwconv2d_parts_params, NK_DWCONV2D_PARTS_FIELDS);

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType x, spatial_input(graph, node));
  NK_ASSIGN(const TensorType* w, need_input(graph, node, 1, 4));
  const int64_t in_c = x.dims[3];
  const int64_t out_c = w->dims[3];
  if (w->dims[0] != 1 || in_c == 0 || out_c == 0 || out_c % in_c != 0) {
    return bad_input(
        fmt::format("weights {} do not fit input {}", dims_text(w->dims), dims_text(x.dims)),
        where);
  }
  NK_TRY(check_weighted(graph, node, out_c));
  NK_TRY(activation_clamp(node.attrs, where));
  NK_ASSIGN(const Window window,
            window_of(node.attrs, x.dims[1], x.dims[2], w->dims[1], w->dims[2], where));
  TensorType y{x.dtype, {x.dims[0], window.h.out, window.w.out, out_c}, {}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<nk_dwconv2d_params> params_of(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  NK_ASSIGN(const TensorType x_type, spatial_input(graph, node));
  const Dims& x = x_type.dims;
  const Dims& w = input_type(graph, node, 1)->dims;
  NK_ASSIGN(const Window window, window_of(node.attrs, x[1], x[2], w[1], w[2], place_of(node)));
  NK_ASSIGN(const WeightedFields fields, weighted_fields(graph, node, w[3], 3));
  nk_dwconv2d_params p{};
  fill_spatial(p, window, x, y[0].dims);
  p.depth_multiplier = static_cast<int32_t>(w[3] / x[3]);
  set_weighted(p, fields);
  return p;
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_dwconv2d_params p, params_of(graph, node));
  return weighted_step(graph, node, p);
}

Result<StepParams> make_parts_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_dwconv2d_params p, params_of(graph, node));
  return parts_step<nk_dwconv2d_parts_params>(graph, node, p);
}

Result<std::vector<StepArg>> make_args(const Graph& graph, const Node& node, const KernelRow& row) {
  const Dims& w = input_type(graph, node, 1)->dims;
  NK_ASSIGN(std::vector<StepArg> args, weighted_args(graph, node, w[3], ScaleProduct::kDouble));
  if (row.layout == "hwc") return with_parts(node, std::move(args));
  const auto weights = channel_weights(graph, node, 3);
  NK_ASSIGN(const nk_dwconv2d_params p, params_of(graph, node));
  const ChannelOffsets offsets{p.input_offset, p.output_offset};
  if (row.layout == "tap_columns") {
    const TapColumns layout = tap_columns_of(p);
    return dsp_args(graph, *weights, args, offsets,
                    [=](const ChannelWeights& settled) { return tap_columns(settled, layout); });
  }
  const int64_t rows = nk_planar_of(&p).kernel_h;
  return dsp_args(graph, *weights, args, offsets, [rows](const ChannelWeights& settled) -> StepArg {
    return {kNoTensor, constant_of(pack_taps4(settled, rows)), NK_INT8, 4, {}};
  });
}

uint64_t macs(const Graph& graph, const Node& node) {
  const Dims& w = input_type(graph, node, 1)->dims;
  uint64_t product = static_cast<uint64_t>(w[1] * w[2]);
  for (const int64_t dim : graph.tensor(node.outputs[0]).type.dims) {
    product *= static_cast<uint64_t>(dim);
  }
  return product;
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId w, need_foreign_input(context, node, 1));
  NK_ASSIGN(w, weights_beside(context, x, w));
  const Dims xd = context.type(x).dims;
  const Dims wd = context.type(w).dims;
  if (xd.size() != 4 || wd.size() != 4) {
    return bad_input(fmt::format("weights {} do not fit input {}", dims_text(wd), dims_text(xd)),
                     place_of(node));
  }
  Attrs attrs;
  NK_TRY(set_tflite_window(node, xd[1], xd[2], wd[1], wd[2], attrs));
  NK_TRY(set_fused_activation(node, attrs));
  // Of a single input channel it is an ordinary convolution, which has the faster rows.
  const bool is_conv2d = xd[3] == 1 && wd[0] == 1 && context.tensor(w).is_constant();
  if (is_conv2d) {
    NK_ASSIGN(w, context.transpose(w, {3, 1, 2, 0}));
  }
  NK_ASSIGN(const TensorId y,
            context.add(is_conv2d ? "conv2d" : "dwconv2d", {x, w, context.input(node, 2)}, attrs,
                        declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

const ForeignRule kRules[] = {{SourceFormat::kTflite, "DEPTHWISE_CONV_2D", "", lower_tflite}};

}  // namespace

extern const OpDef nk_op_dwconv2d =
    with_quant({"dwconv2d", kRules,      kTable::fields, kTable::bytes,
                infer,      make_params, make_args,      macs},
               {QuantRule::kWeighted, 3});

extern const OpDef nk_op_dwconv2d_parts = {"dwconv2d_parts",   {},    kPartsTable::fields,
                                           kPartsTable::bytes, infer, make_parts_params,
                                           make_args,          macs};

}  // namespace netkit
