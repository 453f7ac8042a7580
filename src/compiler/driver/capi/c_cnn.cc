// SPDX-License-Identifier: MIT
// nk_cnn_t: networks of images; their simple layers.
#include <fmt/format.h>

#include <string>

#include "compiler/driver/capi/builder.h"
#include "runtime/enum_code.h"

using namespace netkit;
using namespace netkit::driver;
using nk_legacy::Kind;
using nk_legacy::Layer;
using nk_legacy::Window;

namespace {

nk_status_t set(nk_cnn_t* cnn, uint32_t index, const Layer& layer,
                const std::vector<LayerWeights>& weights, const Refusal& refusal = {}) {
  return set_layer(network_of(cnn, "nk_cnn_init"), index, layer, weights, refusal);
}

struct Pads {
  int h, w, h_end, w_end;
};

// NK_PAD_MIRROR at an end means as much as at the start.
Window window_of(int kernel_h, int kernel_w, int stride, const Pads& p) {
  const auto end = [](int value, int start) { return value == NK_PAD_MIRROR ? start : value; };
  return {kernel_h, kernel_w, stride, p.h, p.w, end(p.h_end, p.h), end(p.w_end, p.w)};
}

Refusal refusal_of(const Window& w) {
  if (w.kernel_h > 0 && w.kernel_w > 0 && w.stride > 0 && w.top >= 0 && w.left >= 0 &&
      w.bottom >= 0 && w.right >= 0) {
    return {};
  }
  return {
      NK_ERR_LAYER_CONFIG,
      fmt::format("window {}x{}, stride {}, padding {} {} {} {}: the first three are at least 1, "
                  "padding 0",
                  w.kernel_h, w.kernel_w, w.stride, w.top, w.left, w.bottom, w.right)};
}

Refusal refusal_of(const Window& window, unsigned activation) {
  if (activation <= NK_CONV_ACTIVATION_SOFTMAX) return refusal_of(window);
  return {NK_ERR_LAYER_CONFIG,
          fmt::format("activation {}: NK_CONV_ACTIVATION_NONE to _SOFTMAX are 0 to {}", activation,
                      static_cast<int>(NK_CONV_ACTIVATION_SOFTMAX))};
}

nk_status_t convolution(nk_cnn_t* cnn, uint32_t index, Kind kind, const Window& window, Dims dims,
                        int channels, const float* weights, const float* bias, unsigned activation,
                        float alpha) {
  Layer layer;
  layer.kind = kind;
  layer.window = window;
  layer.u[2] = static_cast<uint32_t>(channels);
  layer.b[0] = static_cast<uint8_t>(activation);
  layer.f = alpha;
  return guarded([&] {
    return set(cnn, index, layer, {{weights, bias, std::move(dims), channels}},
               refusal_of(window, activation));
  });
}

nk_status_t pool(nk_cnn_t* cnn, uint32_t index, Kind kind, int pool_h, int pool_w, int stride,
                 const Pads& pads) {
  Layer layer;
  layer.kind = kind;
  layer.window = window_of(pool_h, pool_w, stride, pads);
  return guarded([&] { return set(cnn, index, layer, {}, refusal_of(*layer.window)); });
}

// The output named "tap<id>"; false: there is none.
bool find_tap(const nk_cnn_t* cnn, uint8_t id, nk_program_tensor_t& tensor) {
  const Network* n = network_of(cnn, "nk_cnn_get_feature_tap");
  for (uint32_t i = 1; n && n->ready && nk_program_output(&n->program, i, &tensor) == NK_OK; ++i) {
    if (tensor.name == fmt::format("tap{}", id)) return tensor.dtype == NK_DTYPE_FLOAT32;
  }
  return false;
}

}  // namespace

extern "C" {

nk_status_t nk_cnn_create(nk_arena_t* arena, uint32_t num_layers, nk_cnn_t* cnn) {
  return make_builder(cnn ? cnn->storage : nullptr, arena_of(arena), num_layers, false);
}
bool nk_cnn_is_valid(const nk_cnn_t* cnn) {
  return network_of(cnn, "nk_cnn_is_valid") != nullptr;
}

nk_status_t nk_cnn_init_conv_layer(nk_cnn_t* cnn, uint32_t layer_idx, int kernel_size, int stride,
                                   int in_channels, int out_channels, float* weights, float* bias,
                                   nk_conv_activation_t activation, float leaky_alpha, int pad_h,
                                   int pad_w, int pad_h_end, int pad_w_end) {
  const Window window =
      window_of(kernel_size, kernel_size, stride, {pad_h, pad_w, pad_h_end, pad_w_end});
  return convolution(cnn, layer_idx, Kind::kConv2d, window,
                     {out_channels, kernel_size, kernel_size, in_channels}, out_channels, weights,
                     bias, code_of(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_depthwise_conv_layer(nk_cnn_t* cnn, uint32_t layer_idx, int kernel_h,
                                             int kernel_w, int stride, int channels, float* weights,
                                             float* bias, nk_conv_activation_t activation,
                                             float leaky_alpha, int pad_h, int pad_w, int pad_h_end,
                                             int pad_w_end) {
  const Window window = window_of(kernel_h, kernel_w, stride, {pad_h, pad_w, pad_h_end, pad_w_end});
  return convolution(cnn, layer_idx, Kind::kDepthwise, window, {channels, kernel_h, kernel_w},
                     channels, weights, bias, code_of(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_pool_layer(nk_cnn_t* cnn, uint32_t layer_idx, int pool_h, int pool_w,
                                   int stride, int pad_h, int pad_w, int pad_h_end, int pad_w_end) {
  return pool(cnn, layer_idx, Kind::kMaxPool, pool_h, pool_w, stride,
              {pad_h, pad_w, pad_h_end, pad_w_end});
}
nk_status_t nk_cnn_init_avg_pool_layer(nk_cnn_t* cnn, uint32_t layer_idx, int pool_h, int pool_w,
                                       int stride, int pad_h, int pad_w, int pad_h_end,
                                       int pad_w_end) {
  return pool(cnn, layer_idx, Kind::kAvgPool, pool_h, pool_w, stride,
              {pad_h, pad_w, pad_h_end, pad_w_end});
}
nk_status_t nk_cnn_init_batch_norm_layer(nk_cnn_t* cnn, uint32_t layer_idx, int channels,
                                         float* scale, float* bias) {
  Layer layer;
  layer.kind = Kind::kBatchNorm;
  layer.u[0] = static_cast<uint32_t>(channels);
  return set(cnn, layer_idx, layer, {{scale, bias, {channels}, channels}});
}
nk_status_t nk_cnn_init_layernorm_layer(nk_cnn_t* cnn, uint32_t layer_idx, int channels, float eps,
                                        float* weight, float* bias) {
  Layer layer;
  layer.kind = Kind::kLayerNorm;
  layer.u[0] = static_cast<uint32_t>(channels);
  layer.f = eps;
  return set(cnn, layer_idx, layer, {{weight, bias, {channels}, channels}});
}
nk_status_t nk_cnn_init_flatten_layer(nk_cnn_t* cnn, uint32_t layer_idx) {
  return set(cnn, layer_idx, Layer(), {});
}
nk_status_t nk_cnn_init_feature_tap_layer(nk_cnn_t* cnn, nk_arena_t*, uint32_t layer_idx,
                                          uint32_t spatial_h, uint32_t spatial_w, int channels,
                                          uint8_t tap_id) {
  Layer layer;
  layer.kind = Kind::kFeatureTap;
  layer.spatial = {spatial_h, spatial_w};
  layer.u[0] = static_cast<uint32_t>(channels);
  layer.b[0] = tap_id;
  return guarded([&] {
    if (tap_id < nk_legacy::kTaps) return set(cnn, layer_idx, layer, {});
    const int last = nk_legacy::kTaps - 1;
    return set(cnn, layer_idx, layer, {},
               {NK_ERR_LAYER_CONFIG, fmt::format("tap {}, 0 to {} are possible", tap_id, last)});
  });
}

nk_status_t nk_cnn_init_activation_buffers(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t in_h,
                                           uint32_t in_w, uint32_t in_c) {
  Network* n = network_of(cnn, "nk_cnn_init_activation_buffers");
  if (builder_of(n) == nullptr) return n ? NK_ERR_INVALID_ARGUMENT : NK_ERR_NOT_INITIALIZED;
  return build(*n, arena_of(arena), {in_h, in_w, in_c});
}
bool nk_cnn_has_activation_buffers(const nk_cnn_t* cnn) {
  const Network* n = network_of(cnn, "nk_cnn_has_activation_buffers");
  return n && n->ready;
}
size_t nk_cnn_kernel_workspace_bytes(const nk_cnn_t* cnn) {
  const Network* n = network_of(cnn, "nk_cnn_kernel_workspace_bytes");
  return n == nullptr || !n->ready ? 0 : n->workspace_bytes;
}
void nk_cnn_set_omit_final_softmax(nk_cnn_t* cnn, bool omit) {
  if (Network* n = network_of(cnn, "nk_cnn_set_omit_final_softmax")) n->omits_softmax = omit;
}
bool nk_cnn_omit_final_softmax(const nk_cnn_t* cnn) {
  const Network* n = network_of(cnn, "nk_cnn_omit_final_softmax");
  return n && n->omits_softmax;
}

nk_status_t nk_cnn_forward(nk_cnn_t* cnn, nk_arena_t*, const nk_tensor_t* input,
                           nk_tensor_t* output) {
  Network* n = network_of(cnn, "nk_cnn_forward");
  if (n == nullptr) return NK_ERR_NOT_INITIALIZED;
  if (output == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no output tensor");
  const nk_status_t status = check_ready(*n);
  return status == NK_OK ? forward_loaded(*n, input, *output) : status;
}

float* nk_cnn_get_feature_tap_buffer(const nk_cnn_t* cnn, uint8_t tap_id) {
  nk_program_tensor_t tensor;
  return find_tap(cnn, tap_id, tensor) ? static_cast<float*>(tensor.data) : nullptr;
}
uint32_t nk_cnn_get_feature_tap_elems(const nk_cnn_t* cnn, uint8_t tap_id) {
  nk_program_tensor_t tensor;
  return find_tap(cnn, tap_id, tensor) ? static_cast<uint32_t>(tensor.elements) : 0;
}

}  // extern "C"
