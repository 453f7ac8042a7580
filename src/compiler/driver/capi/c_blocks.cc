// SPDX-License-Identifier: MIT
// The composite blocks of nk_cnn_t: their tensors in the order in which unfolding takes them
// (import/nk_legacy/layers.h).
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compiler/driver/capi/builder.h"
#include "compiler/import/nk_legacy/layers.h"

using namespace netkit;
using namespace netkit::driver;
using nk_legacy::Kind;
using nk_legacy::Layer;

namespace {

constexpr int kMaxConvs = 16;
constexpr int kMaxChannels = 1 << 20;

class Tensors {
 public:
  // Each by the name of its parameter. Filters [out, k, k, in].
  Tensors& conv(std::string_view name, const float* w, const float* b, int64_t out, int64_t kernel,
                int64_t in) {
    list_.push_back({w, b, {out, kernel, kernel, in}, out, NK_FLOAT32, name});
    return *this;
  }
  Tensors& depthwise(std::string_view name, const float* w, const float* b, int64_t channels,
                     int64_t kernel) {
    list_.push_back({w, b, {channels, kernel, kernel}, channels, NK_FLOAT32, name});
    return *this;
  }
  Tensors& vectors(std::string_view name, const float* scale, const float* shift,
                   int64_t channels) {
    list_.push_back({scale, shift, {channels}, channels, NK_FLOAT32, name});
    return *this;
  }
  // Absent where both are NULL.
  Tensors& norm(std::string_view name, const float* scale, const float* shift, int64_t channels) {
    return scale == nullptr && shift == nullptr ? *this : vectors(name, scale, shift, channels);
  }
  const std::vector<LayerWeights>& list() const { return list_; }

 private:
  std::vector<LayerWeights> list_;
};

Layer block(Kind kind, uint32_t h, uint32_t w, std::initializer_list<int> sizes) {
  Layer layer;
  layer.kind = kind;
  layer.spatial = {h, w};
  size_t i = 0;
  for (const int size : sizes) layer.u[i++] = static_cast<uint32_t>(std::max(size, 0));
  return layer;
}

// Why a value is none of [low, high]; the first reason stays.
void demand(Refusal& refusal, std::string_view name, int value, int low, int high) {
  if (!refusal.text.empty() || (value >= low && value <= high)) return;
  refusal = {NK_ERR_LAYER_CONFIG, fmt::format("{} {}: from {} to {}", name, value, low, high)};
}

nk_status_t set(nk_cnn_t* cnn, uint32_t index, const Layer& layer, const Tensors& tensors,
                const Refusal& refusal = {}) {
  return set_layer(network_of(cnn, "nk_cnn_init"), index, layer, tensors.list(), refusal);
}

}  // namespace

extern "C" {

nk_status_t nk_cnn_init_convnextv2_block_layer(nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx,
                                               uint32_t spatial_h, uint32_t spatial_w, int channels,
                                               float eps, float* dw_weights, float* dw_bias,
                                               float* ln_weight, float* ln_bias, float* pw1_weight,
                                               float* pw1_bias, float* grn_gamma, float* grn_beta,
                                               float* pw2_weight, float* pw2_bias) {
  return guarded([&] {
    const int64_t c = channels;
    Layer layer = block(Kind::kConvNext, spatial_h, spatial_w, {channels});
    layer.f = eps;
    Tensors t;
    t.depthwise("dw_weights", dw_weights, dw_bias, c, 7)
        .vectors("ln_weight", ln_weight, ln_bias, c);
    t.conv("pw1_weight", pw1_weight, pw1_bias, 4 * c, 1, c)
        .vectors("grn_gamma", grn_gamma, grn_beta, 4 * c);
    return set(cnn, layer_idx, layer, t.conv("pw2_weight", pw2_weight, pw2_bias, c, 1, 4 * c));
  });
}

nk_status_t nk_cnn_init_mobilenetv4_uib_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t spatial_h, uint32_t spatial_w,
    int in_channels, int out_channels, int start_dw_kernel, int middle_dw_kernel, int stride,
    int middle_dw_downsample, float expand_ratio, float* start_dw_weights, float* start_dw_bias,
    float* start_bn_scale, float* start_bn_bias, float* expand_weights, float* expand_bias,
    float* expand_bn_scale, float* expand_bn_bias, float* middle_dw_weights, float* middle_dw_bias,
    float* middle_bn_scale, float* middle_bn_bias, float* proj_weights, float* proj_bias,
    float* proj_bn_scale, float* proj_bn_bias) {
  return guarded([&] {
    Refusal refusal;
    demand(refusal, "start_dw_kernel", start_dw_kernel, 0, 255);
    demand(refusal, "middle_dw_kernel", middle_dw_kernel, 0, 255);
    demand(refusal, "stride", stride, 1, 255);
    demand(refusal, "in_channels", in_channels, 1, kMaxChannels);
    if (refusal.text.empty() && !(expand_ratio > 0.0f && expand_ratio < 1e3f)) {
      refusal = {NK_ERR_LAYER_CONFIG,
                 fmt::format("expand_ratio {}: above 0 and below 1000", expand_ratio)};
    }
    Layer layer = block(Kind::kUib, spatial_h, spatial_w, {in_channels, out_channels});
    layer.b = {static_cast<uint8_t>(start_dw_kernel), static_cast<uint8_t>(middle_dw_kernel),
               static_cast<uint8_t>(stride), static_cast<uint8_t>(middle_dw_downsample != 0)};
    layer.f = expand_ratio;
    if (!refusal.text.empty()) return set(cnn, layer_idx, layer, {}, refusal);
    const int64_t wide = nk_legacy::uib_channels(in_channels, expand_ratio);
    Tensors t;
    if (start_dw_kernel != 0) {
      t.depthwise("start_dw_weights", start_dw_weights, start_dw_bias, in_channels,
                  start_dw_kernel);
      t.norm("start_bn_scale", start_bn_scale, start_bn_bias, in_channels);
    }
    t.conv("expand_weights", expand_weights, expand_bias, wide, 1, in_channels);
    t.norm("expand_bn_scale", expand_bn_scale, expand_bn_bias, wide);
    if (middle_dw_kernel != 0) {
      t.depthwise("middle_dw_weights", middle_dw_weights, middle_dw_bias, wide, middle_dw_kernel);
      t.norm("middle_bn_scale", middle_bn_scale, middle_bn_bias, wide);
    }
    t.conv("proj_weights", proj_weights, proj_bias, out_channels, 1, wide);
    return set(cnn, layer_idx, layer,
               t.norm("proj_bn_scale", proj_bn_scale, proj_bn_bias, out_channels));
  });
}

nk_status_t nk_cnn_init_resnet_basic_block_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t spatial_h, uint32_t spatial_w,
    int in_channels, int out_channels, int stride, float* conv1_weights, float* conv1_bias,
    float* bn1_scale, float* bn1_bias, float* conv2_weights, float* conv2_bias, float* bn2_scale,
    float* bn2_bias, float* shortcut_weights, float* shortcut_bias, float* shortcut_bn_scale,
    float* shortcut_bn_bias) {
  return guarded([&] {
    Refusal refusal;
    demand(refusal, "stride", stride, 1, 255);
    Layer layer = block(Kind::kResNet, spatial_h, spatial_w, {in_channels, out_channels});
    layer.b[0] = static_cast<uint8_t>(stride);
    Tensors t;
    t.conv("conv1_weights", conv1_weights, conv1_bias, out_channels, 3, in_channels);
    t.norm("bn1_scale", bn1_scale, bn1_bias, out_channels);
    t.conv("conv2_weights", conv2_weights, conv2_bias, out_channels, 3, out_channels);
    t.norm("bn2_scale", bn2_scale, bn2_bias, out_channels);
    if (stride != 1 || in_channels != out_channels) {
      t.conv("shortcut_weights", shortcut_weights, shortcut_bias, out_channels, 1, in_channels);
      t.norm("shortcut_bn_scale", shortcut_bn_scale, shortcut_bn_bias, out_channels);
    }
    return set(cnn, layer_idx, layer, t, refusal);
  });
}

nk_status_t nk_cnn_init_yolox_decoupled_head_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t spatial_h, uint32_t spatial_w,
    int in_channels, int hidden_dim, int num_classes, int num_convs, float* stem_weights,
    float* stem_bias, float* const* cls_conv_weights, float* const* cls_conv_bias,
    float* const* reg_conv_weights, float* const* reg_conv_bias, float* cls_pred_weights,
    float* cls_pred_bias, float* reg_pred_weights, float* reg_pred_bias, float* obj_pred_weights,
    float* obj_pred_bias) {
  return guarded([&] {
    Refusal refusal;
    demand(refusal, "num_convs", num_convs, 0, kMaxConvs);
    if (num_convs > 0 && (cls_conv_weights == nullptr || reg_conv_weights == nullptr)) {
      refusal = {NK_ERR_INVALID_ARGUMENT, "cls_conv_weights or reg_conv_weights: NULL"};
    }
    Layer layer =
        block(Kind::kYoloxHead, spatial_h, spatial_w, {in_channels, hidden_dim, num_classes});
    if (!refusal.text.empty()) return set(cnn, layer_idx, layer, {}, refusal);
    layer.b[0] = static_cast<uint8_t>(num_convs);
    Tensors t;
    t.conv("stem_weights", stem_weights, stem_bias, hidden_dim, 1, in_channels);
    const auto branch = [&](std::string_view name, float* const* weights, float* const* bias) {
      for (int i = 0; i < num_convs; ++i) {
        t.conv(name, weights[i], bias ? bias[i] : nullptr, hidden_dim, 3, hidden_dim);
      }
    };
    branch("cls_conv_weights", cls_conv_weights, cls_conv_bias);
    branch("reg_conv_weights", reg_conv_weights, reg_conv_bias);
    t.conv("cls_pred_weights", cls_pred_weights, cls_pred_bias, num_classes, 1, hidden_dim);
    t.conv("reg_pred_weights", reg_pred_weights, reg_pred_bias, 4, 1, hidden_dim);
    return set(cnn, layer_idx, layer,
               t.conv("obj_pred_weights", obj_pred_weights, obj_pred_bias, 1, 1, hidden_dim));
  });
}

nk_status_t nk_cnn_init_yolox_pafpn_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t c5_h, uint32_t c5_w, int c3_channels,
    int c4_channels, int c5_channels, int hidden_dim, int num_classes, int num_convs,
    float* lat3_weights, float* lat3_bias, float* lat4_weights, float* lat4_bias,
    float* lat5_weights, float* lat5_bias, float* td_p4_dw_weights, float* td_p4_dw_bias,
    float* td_p4_pw_weights, float* td_p4_pw_bias, float* td_p3_dw_weights, float* td_p3_dw_bias,
    float* td_p3_pw_weights, float* td_p3_pw_bias, float* bu_n4_dw_weights, float* bu_n4_dw_bias,
    float* bu_n4_pw_weights, float* bu_n4_pw_bias, float* bu_n5_dw_weights, float* bu_n5_dw_bias,
    float* bu_n5_pw_weights, float* bu_n5_pw_bias) {
  return guarded([&] {
    Refusal refusal;
    demand(refusal, "num_convs", num_convs, 0, kMaxConvs);
    demand(refusal, "num_classes", num_classes, 0, kMaxChannels);
    Layer layer = block(Kind::kPafpn, c5_h, c5_w,
                        {c3_channels, c4_channels, c5_channels, hidden_dim, num_classes});
    layer.b[0] = static_cast<uint8_t>(num_convs);
    layer.has_heads = false;
    const int64_t c = hidden_dim;
    Tensors t;
    t.conv("lat3_weights", lat3_weights, lat3_bias, c, 1, c3_channels);
    t.conv("lat4_weights", lat4_weights, lat4_bias, c, 1, c4_channels);
    t.conv("lat5_weights", lat5_weights, lat5_bias, c, 1, c5_channels);
    t.depthwise("td_p4_dw_weights", td_p4_dw_weights, td_p4_dw_bias, c, 3);
    t.conv("td_p4_pw_weights", td_p4_pw_weights, td_p4_pw_bias, c, 1, c);
    t.depthwise("td_p3_dw_weights", td_p3_dw_weights, td_p3_dw_bias, c, 3);
    t.conv("td_p3_pw_weights", td_p3_pw_weights, td_p3_pw_bias, c, 1, c);
    t.depthwise("bu_n4_dw_weights", bu_n4_dw_weights, bu_n4_dw_bias, c, 3);
    t.conv("bu_n4_pw_weights", bu_n4_pw_weights, bu_n4_pw_bias, c, 1, c);
    t.depthwise("bu_n5_dw_weights", bu_n5_dw_weights, bu_n5_dw_bias, c, 3);
    t.conv("bu_n5_pw_weights", bu_n5_pw_weights, bu_n5_pw_bias, c, 1, c);
    return set(cnn, layer_idx, layer, t, refusal);
  });
}

}  // extern "C"
