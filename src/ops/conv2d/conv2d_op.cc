// SPDX-License-Identifier: MIT
// The host face of conv2d: ONNX Conv (one group or several with more than one channel each),
// TFLite CONV_2D. Depthwise forms are lowered by dwconv2d.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "ops/common/arm/dsp_pack.h"
#include "ops/common/host/onnx_quant.h"
#include "ops/composed/planes.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/overlap.h"
#include "ops/common/host/weighted.h"
#include "ops/common/host/window.h"
#include "ops/conv2d/arm/conv2d_dsp.h"
#include "ops/conv2d/arm/conv2d_mve.h"
#include "ops/conv2d/conv2d.h"
#include "ops/conv2d/conv2d_scalar.h"

namespace netkit {

void conv2d_modes_x8(const nk_conv2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kAllChannels, sizeof(int8_t), out);
}

void conv2d_modes_f32(const nk_conv2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kAllChannels, sizeof(float), out);
}

void conv2d_modes_s16(const nk_conv2d_params* p, std::vector<KernelMode>& out) {
  window_modes(spatial_of(p), Reads::kAllChannels, sizeof(int16_t), out);
  std::erase_if(out, [](const KernelMode& mode) { return nk_copies_pixel(mode.id) != 0; });
}

void conv2d_modes_s32(const nk_conv2d_params*, std::vector<KernelMode>& out) {
  out.push_back({});
}

void conv2d_modes_dsp(const nk_conv2d_params* p, std::vector<KernelMode>& out) {
  buffered_window_modes(spatial_of(p), nk_conv2d_dsp_scratch(p), out);
}

void conv2d_modes_mve(const nk_conv2d_params* p, std::vector<KernelMode>& out) {
  buffered_window_modes(spatial_of(p), nk_conv2d_mve_scratch(p), out);
  if (nk_conv2d_mve_as_they_stand(p)) out.front().scratch_bytes = 0;
}

void conv2d_modes_scalar(const nk_conv2d_params* p, std::vector<KernelMode>& out) {
  buffered_window_modes(spatial_of(p), nk_conv2d_scalar_scratch(p), out);
}

void conv2d_parts_modes_x8(const nk_conv2d_parts_params* p, std::vector<KernelMode>& out) {
  parts_modes(spatial_of(p), std::span(p->part_c).first(static_cast<size_t>(p->parts)), true,
              sizeof(int8_t), out);
}

void conv2d_parts_modes_f32(const nk_conv2d_parts_params* p, std::vector<KernelMode>& out) {
  parts_modes(spatial_of(p), std::span(p->part_c).first(static_cast<size_t>(p->parts)), true,
              sizeof(float), out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_conv2d_params, NK_CONV2D_FIELDS);
NK_PARAM_TABLE(kPartsTable, nk_conv2d_parts_params, NK_CONV2D_PARTS_FIELDS);

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType x, spatial_input(graph, node));
  NK_ASSIGN(const TensorType* w, need_input(graph, node, 1, 4));
  const int64_t groups = node.attrs.get_int("groups", 1);
  const int64_t out_c = w->dims[0];
  if (groups < 1 || x.dims[3] % groups != 0 || out_c % groups != 0 ||
      x.dims[3] / groups != w->dims[3] || w->dims[3] == 0 || out_c == 0 ||
      (reads_parts(node) && groups != 1)) {
    return bad_input(fmt::format("weights {} in {} groups do not fit input {}", dims_text(w->dims),
                                 groups, dims_text(x.dims)),
                     where);
  }
  NK_TRY(check_weighted(graph, node, out_c));
  NK_TRY(activation_clamp(node.attrs, where));
  NK_ASSIGN(const Window window,
            window_of(node.attrs, x.dims[1], x.dims[2], w->dims[1], w->dims[2], where));
  const bool sums = node.attrs.get_string("to") == "int32";
  if (sums && x.dtype != NK_INT8 && x.dtype != NK_UINT8) {
    return bad_input(fmt::format("sums of {} are not supported", name_of(x.dtype)), where);
  }
  TensorType y{sums ? NK_INT32 : x.dtype, {x.dims[0], window.h.out, window.w.out, out_c}, {}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<nk_conv2d_params> params_of(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  NK_ASSIGN(const TensorType x_type, spatial_input(graph, node));
  const Dims& x = x_type.dims;
  const Dims& w = input_type(graph, node, 1)->dims;
  NK_ASSIGN(const Window window, window_of(node.attrs, x[1], x[2], w[1], w[2], place_of(node)));
  NK_ASSIGN(const WeightedFields fields, weighted_fields(graph, node, w[0], 0));
  nk_conv2d_params p{};
  fill_spatial(p, window, x, y[0].dims);
  p.groups = static_cast<int32_t>(node.attrs.get_int("groups", 1));
  set_weighted(p, fields);
  return p;
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_conv2d_params p, params_of(graph, node));
  return weighted_step(graph, node, p);
}

Result<StepParams> make_parts_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_conv2d_params p, params_of(graph, node));
  return parts_step<nk_conv2d_parts_params>(graph, node, p);
}

Result<std::vector<StepArg>> make_args(const Graph& graph, const Node& node, const KernelRow& row) {
  const Dims& w = input_type(graph, node, 1)->dims;
  NK_ASSIGN(std::vector<StepArg> args, weighted_args(graph, node, w[0], ScaleProduct::kDouble));
  if (row.layout == "ohwi") return with_parts(node, std::move(args));
  const auto weights = channel_weights(graph, node, 0);
  NK_ASSIGN(const WeightedFields fields, weighted_fields(graph, node, w[0], 0));
  const ChannelOffsets offsets{fields.input_offset, fields.output_offset};
  if (row.layout == "ohwi_table") return dsp_args(graph, *weights, args, offsets, unpacked);
  if (row.layout == "blocks2") return dsp_args(graph, *weights, args, offsets, blocks2);
  return dsp_args(graph, *weights, args, offsets, [&w](const ChannelWeights& settled) -> StepArg {
    return {kNoTensor, constant_of(pack_pairs2(settled, w[1])), NK_INT32, 4, {}};
  });
}

uint64_t macs(const Graph& graph, const Node& node) {
  const Dims& w = input_type(graph, node, 1)->dims;
  uint64_t product = static_cast<uint64_t>(w[1] * w[2] * w[3]);
  for (const int64_t dim : graph.tensor(node.outputs[0]).type.dims) {
    product *= static_cast<uint64_t>(dim);
  }
  return product;
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId w, need_foreign_input(context, node, 1));
  NK_ASSIGN(w, weights_beside(context, x, w));
  const Dims& xd = context.type(x).dims;
  const Dims& wd = context.type(w).dims;
  if (xd.size() != 4 || wd.size() != 4 || wd[3] == 0 || xd[3] % wd[3] != 0) {
    return bad_input(fmt::format("weights {} do not fit input {}", dims_text(wd), dims_text(xd)),
                     place_of(node));
  }
  Attrs attrs;
  NK_TRY(set_tflite_window(node, xd[1], xd[2], wd[1], wd[2], attrs));
  NK_TRY(set_fused_activation(node, attrs));
  if (xd[3] != wd[3]) attrs.set("groups", xd[3] / wd[3]);
  NK_ASSIGN(const TensorId y, context.add("conv2d", {x, w, context.input(node, 2)}, attrs,
                                          declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// Weights [o, i / groups, spatial] of rank 3 or 4 become ohwi, or 1hwo for the depthwise form.
// `declared`: the type of a quantised result, or int32 for the sums of 8-bit inputs.
Result<TensorId> convolved(const ForeignNode& node, LowerContext& context, TensorId x, TensorId w,
                           TensorId bias, std::optional<TensorType> declared) {
  const std::string where = place_of(node);
  const Dims xd = context.type(x).dims;
  const Dims wd = context.type(w).dims;
  const int64_t groups = node.attrs.get_int("group", 1);
  if (xd.size() < 3 || xd.size() > 4 || wd.size() != xd.size()) {
    return bad_input(
        fmt::format("weights {} on input {} are not supported", dims_text(wd), dims_text(xd)),
        where, "inputs of rank 3 and 4 are supported");
  }
  if (groups < 1 || wd[1] * groups != xd[1] || wd[0] % groups != 0) {
    return bad_input(fmt::format("weights {} in {} groups do not fit input {}", dims_text(wd),
                                 groups, dims_text(xd)),
                     where);
  }
  Attrs attrs;
  NK_TRY(set_onnx_window(node, std::span(xd).subspan(2), std::span(wd).subspan(2), attrs));
  const bool sums = declared.has_value() && declared->dtype == NK_INT32;
  if (sums) attrs.set("to", std::string("int32"));
  const bool depthwise = groups > 1 && wd[1] == 1 && !sums;
  if (groups > 1 && !depthwise) attrs.set("groups", groups);
  NK_ASSIGN(const TensorId nhwc, to_nhwc(context, x, where));
  if (wd.size() == 3) {
    NK_ASSIGN(w, reshape_to(context, w, {wd[0], wd[1], 1, wd[2]}));
  }
  NK_ASSIGN(w, context.transpose(w, depthwise ? std::vector<int64_t>{1, 2, 3, 0}
                                              : std::vector<int64_t>{0, 2, 3, 1}));
  NK_ASSIGN(TensorId y, context.add(depthwise ? "dwconv2d" : "conv2d", {nhwc, w, bias}, attrs,
                                    std::move(declared)));
  return from_nhwc(context, y, xd.size());
}

Result<void> lower_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId w, need_foreign_input(context, node, 1));
  const TensorId bias = context.input(node, 2);
  if (context.type(x).dims.size() == 5) {
    NK_ASSIGN(const Planes planes, as_planes(node, context, x, w, false));
    NK_ASSIGN(const TensorId flat,
              convolved(planes.node, context, planes.x, planes.w, bias, std::nullopt));
    NK_ASSIGN(const TensorId y, from_planes(context, planes, flat));
    return context.bind(node, 0, y);
  }
  NK_ASSIGN(const TensorId y, convolved(node, context, x, w, bias, std::nullopt));
  return context.bind(node, 0, y);
}

// x, its scale and zero point, weights, theirs, scale and zero point of the result, bias.
Result<void> lower_qlinear(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, quantised_input(node, context, 0, 1));
  NK_ASSIGN(TensorId w, quantised_input(node, context, 3, 0));
  const nk_dtype own = context.type(x).dtype;
  NK_ASSIGN(w, as_x8(context, w, own, where));
  NK_ASSIGN(const QuantisedOutput types, quantised_output(node, context, 6, own));
  NK_ASSIGN(TensorId y, convolved(node, context, x, w, context.input(node, 8), types.made));
  NK_ASSIGN(y, as_x8(context, y, types.stated.dtype, where));
  return context.bind(node, 0, y);
}

// x, weights, their zero points; the sums themselves.
Result<void> lower_integer(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, offset_input(node, context, 0, 2, 1));
  NK_ASSIGN(TensorId w, offset_input(node, context, 1, 3, 0));
  NK_ASSIGN(w, as_x8(context, w, context.type(x).dtype, place_of(node)));
  NK_ASSIGN(const TensorId y,
            convolved(node, context, x, w, kNoTensor, TensorType{NK_INT32, {}, {}}));
  return context.bind(node, 0, y);
}

const ForeignRule kRules[] = {{SourceFormat::kTflite, "CONV_2D", "", lower_tflite},
                              {SourceFormat::kOnnx, "Conv", "", lower_onnx},
                              {SourceFormat::kOnnx, "QLinearConv", "", lower_qlinear},
                              {SourceFormat::kOnnx, "ConvInteger", "", lower_integer}};

}  // namespace

extern const OpDef nk_op_conv2d =
    with_quant({"conv2d", kRules,      kTable::fields, kTable::bytes,
                infer,    make_params, make_args,      macs},
               {QuantRule::kWeighted, 0});

extern const OpDef nk_op_conv2d_parts = {"conv2d_parts",     {},    kPartsTable::fields,
                                         kPartsTable::bytes, infer, make_parts_params,
                                         make_args,          macs};

}  // namespace netkit
