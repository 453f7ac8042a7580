// SPDX-License-Identifier: MIT
// The composite blocks of nk_cnn_t on a bare device: their weights in the order that nets/blocks.cc
// reads.
#include <initializer_list>

#include "runtime/bare/built_network.h"

using namespace netkit;
using nets::Layer;

namespace {

constexpr int kMaxConvs = 16;

struct Shape {
  uint32_t h, w;
  int in, out;
};

bool fits_16(int value) {
  return value >= 0 && value <= 0x7FFF;
}

nk_status_t refused(nk_cnn_t* cnn, uint32_t index) {
  unset_layer(net_of(cnn), index);
  return NK_ERR_LAYER_CONFIG;
}

// A block of the given weights; nullptr with *status set.
Layer* block(nk_cnn_t* cnn, uint32_t index, nk_cnn_block_type_t kind, const Shape& shape,
             std::initializer_list<const float*> weights, nk_status_t* status, uint32_t more = 0) {
  unset_layer(net_of(cnn), index);
  *status = NK_ERR_LAYER_CONFIG;
  if (shape.in < 1 || shape.out < 1 || shape.h < 1 || shape.h > 0xFFFF || shape.w < 1 ||
      shape.w > 0xFFFF) {
    return nullptr;
  }
  const auto count = static_cast<uint32_t>(weights.size());
  Layer* l = new_layer(cnn, index, kind, count + more, status);
  if (l == nullptr) return nullptr;
  l->spatial_h = static_cast<uint16_t>(shape.h);
  l->spatial_w = static_cast<uint16_t>(shape.w);
  l->in = static_cast<uint32_t>(shape.in);
  l->out = static_cast<uint32_t>(shape.out);
  uint32_t i = 0;
  for (const float* w : weights) l->weights()[i++] = w;
  return l;
}

}  // namespace

extern "C" {

nk_status_t nk_cnn_init_feature_tap_layer(nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx,
                                          uint32_t spatial_h, uint32_t spatial_w, int channels,
                                          uint8_t tap_id) {
  if (tap_id >= nets::kTaps) return refused(cnn, layer_idx);
  nk_status_t status;
  Layer* l = block(cnn, layer_idx, NK_CNN_BLOCK_FEATURE_TAP,
                   {spatial_h, spatial_w, channels, channels}, {}, &status);
  if (l != nullptr) l->tap = tap_id;
  return status;
}

nk_status_t nk_cnn_init_convnextv2_block_layer(nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx,
                                               uint32_t spatial_h, uint32_t spatial_w, int channels,
                                               float eps, float* dw_weights, float* dw_bias,
                                               float* ln_weight, float* ln_bias, float* pw1_weight,
                                               float* pw1_bias, float* grn_gamma, float* grn_beta,
                                               float* pw2_weight, float* pw2_bias) {
  if (!is_epsilon(eps)) return refused(cnn, layer_idx);
  nk_status_t status;
  Layer* l = block(cnn, layer_idx, NK_CNN_BLOCK_CONVNEXTV2_BLOCK,
                   {spatial_h, spatial_w, channels, channels},
                   {dw_weights, dw_bias, ln_weight, ln_bias, pw1_weight, pw1_bias, grn_gamma,
                    grn_beta, pw2_weight, pw2_bias},
                   &status);
  if (l != nullptr) l->value = eps;
  return status;
}

nk_status_t nk_cnn_init_mobilenetv4_uib_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t spatial_h, uint32_t spatial_w,
    int in_channels, int out_channels, int start_dw_kernel, int middle_dw_kernel, int stride,
    int middle_dw_downsample, float expand_ratio, float* start_dw_weights, float* start_dw_bias,
    float* start_bn_scale, float* start_bn_bias, float* expand_weights, float* expand_bias,
    float* expand_bn_scale, float* expand_bn_bias, float* middle_dw_weights, float* middle_dw_bias,
    float* middle_bn_scale, float* middle_bn_bias, float* proj_weights, float* proj_bias,
    float* proj_bn_scale, float* proj_bn_bias) {
  if (!fits_16(start_dw_kernel) || !fits_16(middle_dw_kernel) || !fits_16(stride) ||
      !(expand_ratio > 0.0f && expand_ratio < 1e3f)) {
    return refused(cnn, layer_idx);
  }
  nk_status_t status;
  Layer* l =
      block(cnn, layer_idx, NK_CNN_BLOCK_MOBILENETV4_UIB,
            {spatial_h, spatial_w, in_channels, out_channels},
            {start_dw_weights, start_dw_bias, start_bn_scale, start_bn_bias, expand_weights,
             expand_bias, expand_bn_scale, expand_bn_bias, middle_dw_weights, middle_dw_bias,
             middle_bn_scale, middle_bn_bias, proj_weights, proj_bias, proj_bn_scale, proj_bn_bias},
            &status);
  if (l == nullptr) return status;
  l->extra[0] = static_cast<uint16_t>(start_dw_kernel);
  l->extra[1] = static_cast<uint16_t>(middle_dw_kernel);
  l->extra[2] = middle_dw_downsample != 0;
  l->stride = static_cast<uint16_t>(stride);
  l->value = expand_ratio;
  return NK_OK;
}

nk_status_t nk_cnn_init_resnet_basic_block_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t spatial_h, uint32_t spatial_w,
    int in_channels, int out_channels, int stride, float* conv1_weights, float* conv1_bias,
    float* bn1_scale, float* bn1_bias, float* conv2_weights, float* conv2_bias, float* bn2_scale,
    float* bn2_bias, float* shortcut_weights, float* shortcut_bias, float* shortcut_bn_scale,
    float* shortcut_bn_bias) {
  if (!fits_16(stride)) return refused(cnn, layer_idx);
  nk_status_t status;
  Layer* l =
      block(cnn, layer_idx, NK_CNN_BLOCK_RESNET_BASIC_BLOCK,
            {spatial_h, spatial_w, in_channels, out_channels},
            {conv1_weights, conv1_bias, bn1_scale, bn1_bias, conv2_weights, conv2_bias, bn2_scale,
             bn2_bias, shortcut_weights, shortcut_bias, shortcut_bn_scale, shortcut_bn_bias},
            &status);
  if (l != nullptr) l->stride = static_cast<uint16_t>(stride);
  return status;
}

nk_status_t nk_cnn_init_yolox_decoupled_head_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t spatial_h, uint32_t spatial_w,
    int in_channels, int hidden_dim, int num_classes, int num_convs, float* stem_weights,
    float* stem_bias, float* const* cls_conv_weights, float* const* cls_conv_bias,
    float* const* reg_conv_weights, float* const* reg_conv_bias, float* cls_pred_weights,
    float* cls_pred_bias, float* reg_pred_weights, float* reg_pred_bias, float* obj_pred_weights,
    float* obj_pred_bias) {
  if (num_convs < 0 || num_convs > kMaxConvs || !fits_16(hidden_dim) || !fits_16(num_classes) ||
      (num_convs > 0 && (cls_conv_weights == nullptr || reg_conv_weights == nullptr))) {
    return refused(cnn, layer_idx);
  }
  nk_status_t status;
  const auto convs = static_cast<uint32_t>(num_convs);
  Layer* l = block(cnn, layer_idx, NK_CNN_BLOCK_YOLOX_DECOUPLED_HEAD,
                   {spatial_h, spatial_w, in_channels, 5 + num_classes},
                   {stem_weights, stem_bias, cls_pred_weights, cls_pred_bias, reg_pred_weights,
                    reg_pred_bias, obj_pred_weights, obj_pred_bias},
                   &status, 4 * convs);
  if (l == nullptr) return status;
  l->extra[0] = static_cast<uint16_t>(num_convs);
  l->extra[1] = static_cast<uint16_t>(hidden_dim);
  l->extra[2] = static_cast<uint16_t>(num_classes);
  const float** to = l->weights() + 8;
  for (uint32_t i = 0; i < convs; ++i) {
    to[2 * i] = cls_conv_weights[i];
    to[2 * i + 1] = cls_conv_bias != nullptr ? cls_conv_bias[i] : nullptr;
    to[2 * (convs + i)] = reg_conv_weights[i];
    to[2 * (convs + i) + 1] = reg_conv_bias != nullptr ? reg_conv_bias[i] : nullptr;
  }
  return NK_OK;
}

nk_status_t nk_cnn_init_yolox_pafpn_layer(
    nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx, uint32_t c5_h, uint32_t c5_w, int c3_channels,
    int c4_channels, int c5_channels, int hidden_dim, int, int, float* lat3_weights,
    float* lat3_bias, float* lat4_weights, float* lat4_bias, float* lat5_weights, float* lat5_bias,
    float* td_p4_dw_weights, float* td_p4_dw_bias, float* td_p4_pw_weights, float* td_p4_pw_bias,
    float* td_p3_dw_weights, float* td_p3_dw_bias, float* td_p3_pw_weights, float* td_p3_pw_bias,
    float* bu_n4_dw_weights, float* bu_n4_dw_bias, float* bu_n4_pw_weights, float* bu_n4_pw_bias,
    float* bu_n5_dw_weights, float* bu_n5_dw_bias, float* bu_n5_pw_weights, float* bu_n5_pw_bias) {
  if (!fits_16(c3_channels) || !fits_16(c4_channels) || !fits_16(hidden_dim)) {
    return refused(cnn, layer_idx);
  }
  nk_status_t status;
  Layer* l = block(
      cnn, layer_idx, NK_CNN_BLOCK_YOLOX_PAFPN_MULTISCALE, {c5_h, c5_w, c5_channels, hidden_dim},
      {lat3_weights,     lat3_bias,        lat4_weights,     lat4_bias,        lat5_weights,
       lat5_bias,        td_p4_dw_weights, td_p4_dw_bias,    td_p4_pw_weights, td_p4_pw_bias,
       td_p3_dw_weights, td_p3_dw_bias,    td_p3_pw_weights, td_p3_pw_bias,    bu_n4_dw_weights,
       bu_n4_dw_bias,    bu_n4_pw_weights, bu_n4_pw_bias,    bu_n5_dw_weights, bu_n5_dw_bias,
       bu_n5_pw_weights, bu_n5_pw_bias},
      &status);
  if (l == nullptr) return status;
  l->extra[0] = static_cast<uint16_t>(c3_channels);
  l->extra[1] = static_cast<uint16_t>(c4_channels);
  l->extra[2] = static_cast<uint16_t>(hidden_dim);
  return NK_OK;
}

}  // extern "C"
