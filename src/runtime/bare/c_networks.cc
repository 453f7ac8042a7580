// SPDX-License-Identifier: MIT
// nk_mlp_t and nk_cnn_t on a bare device: everything but the composite blocks.
#include "netkit/network.hpp"
#include "runtime/bare/built_network.h"
#include "runtime/enum_code.h"
#include "runtime/loaded/loaded.h"

using namespace netkit;
using nets::Layer;
using nets::Net;

namespace {

struct Window {
  int kernel_h, kernel_w, stride, top, left, bottom, right;
};

// false: a size is out of range. NK_PAD_MIRROR at an end means as much as at the start.
bool set_window(Layer& l, const Window& w) {
  const int bottom = w.bottom == NK_PAD_MIRROR ? w.top : w.bottom;
  const int right = w.right == NK_PAD_MIRROR ? w.left : w.right;
  const int sizes[] = {w.kernel_h, w.kernel_w, w.stride, w.top, w.left, bottom, right};
  uint16_t* const to[] = {&l.kernel_h, &l.kernel_w, &l.stride, &l.top,
                          &l.left,     &l.bottom,   &l.right};
  for (int i = 0; i < 7; ++i) {
    if (sizes[i] < (i < 3 ? 1 : 0) || sizes[i] > 0x7FFF) return false;
    *to[i] = static_cast<uint16_t>(sizes[i]);
  }
  return true;
}

struct Channels {
  int in, out;
};

nk_status_t windowed(nk_cnn_t* cnn, uint32_t index, nk_cnn_block_type_t kind, const Window& window,
                     Channels channels, const float* weights, const float* bias,
                     unsigned activation, float alpha) {
  unset_layer(net_of(cnn), index);
  const bool pool = kind == NK_CNN_BLOCK_MAX_POOL2D || kind == NK_CNN_BLOCK_AVG_POOL2D;
  Layer checked{};
  if (!set_window(checked, window) || !is_finite(alpha) ||
      activation > NK_CONV_ACTIVATION_SOFTMAX || (!pool && (channels.in < 1 || channels.out < 1))) {
    return NK_ERR_LAYER_CONFIG;
  }
  if (!pool && weights == nullptr) return NK_ERR_INVALID_ARGUMENT;
  nk_status_t status;
  Layer* l = new_layer(cnn, index, kind, pool ? 0 : 2, &status);
  if (l == nullptr) return status;
  set_window(*l, window);
  if (pool) return NK_OK;
  l->activation = static_cast<uint8_t>(activation);
  l->value = alpha;
  l->in = static_cast<uint32_t>(channels.in);
  l->out = static_cast<uint32_t>(channels.out);
  l->weights()[0] = weights;
  l->weights()[1] = bias;
  return NK_OK;
}

nk_status_t norm(nk_cnn_t* cnn, uint32_t index, nk_cnn_block_type_t kind, int channels,
                 const float* scale, const float* shift, float epsilon) {
  unset_layer(net_of(cnn), index);
  if (channels < 1 || !is_epsilon(epsilon)) return NK_ERR_LAYER_CONFIG;
  if (scale == nullptr) return NK_ERR_INVALID_ARGUMENT;
  nk_status_t status;
  Layer* l = new_layer(cnn, index, kind, 2, &status);
  if (l == nullptr) return status;
  l->in = static_cast<uint32_t>(channels);
  l->value = epsilon;
  l->weights()[0] = scale;
  l->weights()[1] = shift;
  return NK_OK;
}

// A matrix and a vector of float32; nothing else makes a dense layer.
nk_status_t dense(Net* net, uint32_t index, const nk_tensor_t* weights, const nk_tensor_t* bias,
                  unsigned activation, float alpha) {
  const auto usable = [](const nk_tensor_t* t) {
    return t != nullptr && t->dtype == NK_DTYPE_FLOAT32 && t->data != nullptr;
  };
  if (net == nullptr) return NK_ERR_NOT_INITIALIZED;
  unset_layer(net, index);
  if (!usable(weights) || weights->rank != 2 || index >= net->layer_count ||
      activation > NK_ACTIVATION_SOFTMAX || (bias != nullptr && !usable(bias))) {
    return NK_ERR_INVALID_ARGUMENT;
  }
  if (!is_finite(alpha)) return NK_ERR_LAYER_CONFIG;
  if (bias != nullptr && bias->num_elements != weights->shape[0]) return NK_ERR_WEIGHT_MISMATCH;
  Layer* l = nets::set_layer(*net, index, 2);
  if (l == nullptr) return NK_ERR_ARENA_OVERFLOW;
  l->kind = NK_CNN_BLOCK_DENSE;
  l->activation = static_cast<uint8_t>(activation);
  l->value = alpha;
  l->out = weights->shape[0];
  l->in = weights->shape[1];
  l->weights()[0] = static_cast<const float*>(weights->data);
  l->weights()[1] = bias == nullptr ? nullptr : static_cast<const float*>(bias->data);
  return NK_OK;
}

// Of a network built here or loaded.
template <typename Handle>
nk_status_t forward(const Handle* handle, const nk_tensor_t* input, nk_tensor_t& view) {
  if (Loaded* loaded = loaded_of(handle)) return loaded->forward(*loaded, input, view);
  return forward_net(net_of(handle), input, view);
}
template <typename Handle>
bool* omits_softmax(const Handle* handle) {
  if (Loaded* loaded = loaded_of(handle)) return &loaded->omits_softmax;
  Net* net = net_of(handle);
  return net != nullptr ? &net->omits_softmax : nullptr;
}

// Planning without an arena fails like any other: nothing is planned behind it.
nk_status_t no_arena(Net* net) {
  if (net != nullptr) net->buffer = nullptr;
  return NK_ERR_INVALID_ARGUMENT;
}

nk_status_t not_built(const char* what) {
  return refuse(NK_ERR_UNSUPPORTED_NETWORK, what);
}

}  // namespace

extern "C" {

nk_status_t nk_mlp_create(nk_arena_t* arena, uint32_t num_layers, nk_mlp_t* mlp) {
  return create_net(mlp ? mlp->storage : nullptr, arena_of(arena), num_layers, true);
}
nk_status_t nk_cnn_create(nk_arena_t* arena, uint32_t num_layers, nk_cnn_t* cnn) {
  return create_net(cnn ? cnn->storage : nullptr, arena_of(arena), num_layers, false);
}
bool nk_mlp_is_valid(const nk_mlp_t* mlp) {
  return loaded_of(mlp) != nullptr || net_of(mlp) != nullptr;
}
bool nk_cnn_is_valid(const nk_cnn_t* cnn) {
  return loaded_of(cnn) != nullptr || net_of(cnn) != nullptr;
}
bool nk_mlp_is_quantized(const nk_mlp_t* mlp) {
  const Loaded* loaded = loaded_of(mlp);
  return loaded != nullptr && loaded->quantized;
}
bool nk_cnn_is_quantized(const nk_cnn_t* cnn) {
  const Loaded* loaded = loaded_of(cnn);
  return loaded != nullptr && loaded->quantized;
}
nk_status_t nk_mlp_set_quant(nk_mlp_t*, const nk_quant_t*) {
  return not_built("a bare device builds networks of float32; load int8 ones from a file");
}
nk_status_t nk_cnn_set_quant(nk_cnn_t*, const nk_quant_t*) {
  return not_built("a bare device builds networks of float32; load int8 ones from a file");
}

nk_status_t nk_mlp_init_layer(nk_mlp_t* mlp, uint32_t layer_idx, const nk_tensor_t* weights,
                              const nk_tensor_t* bias, nk_activation_t activation,
                              float leaky_alpha) {
  return dense(net_of(mlp), layer_idx, weights, bias, code_of(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_dense_layer(nk_cnn_t* cnn, uint32_t layer_idx, const nk_tensor_t* weights,
                                    const nk_tensor_t* bias, nk_activation_t activation,
                                    float leaky_alpha) {
  return dense(net_of(cnn), layer_idx, weights, bias, code_of(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_conv_layer(nk_cnn_t* cnn, uint32_t layer_idx, int kernel_size, int stride,
                                   int in_channels, int out_channels, float* weights, float* bias,
                                   nk_conv_activation_t activation, float leaky_alpha, int pad_h,
                                   int pad_w, int pad_h_end, int pad_w_end) {
  return windowed(cnn, layer_idx, NK_CNN_BLOCK_CONV2D,
                  {kernel_size, kernel_size, stride, pad_h, pad_w, pad_h_end, pad_w_end},
                  {in_channels, out_channels}, weights, bias, code_of(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_depthwise_conv_layer(nk_cnn_t* cnn, uint32_t layer_idx, int kernel_h,
                                             int kernel_w, int stride, int channels, float* weights,
                                             float* bias, nk_conv_activation_t activation,
                                             float leaky_alpha, int pad_h, int pad_w, int pad_h_end,
                                             int pad_w_end) {
  return windowed(cnn, layer_idx, NK_CNN_BLOCK_DEPTHWISE_CONV2D,
                  {kernel_h, kernel_w, stride, pad_h, pad_w, pad_h_end, pad_w_end},
                  {channels, channels}, weights, bias, code_of(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_pool_layer(nk_cnn_t* cnn, uint32_t layer_idx, int pool_h, int pool_w,
                                   int stride, int pad_h, int pad_w, int pad_h_end, int pad_w_end) {
  return windowed(cnn, layer_idx, NK_CNN_BLOCK_MAX_POOL2D,
                  {pool_h, pool_w, stride, pad_h, pad_w, pad_h_end, pad_w_end}, {}, nullptr,
                  nullptr, 0, 0);
}
nk_status_t nk_cnn_init_avg_pool_layer(nk_cnn_t* cnn, uint32_t layer_idx, int pool_h, int pool_w,
                                       int stride, int pad_h, int pad_w, int pad_h_end,
                                       int pad_w_end) {
  return windowed(cnn, layer_idx, NK_CNN_BLOCK_AVG_POOL2D,
                  {pool_h, pool_w, stride, pad_h, pad_w, pad_h_end, pad_w_end}, {}, nullptr,
                  nullptr, 0, 0);
}
nk_status_t nk_cnn_init_batch_norm_layer(nk_cnn_t* cnn, uint32_t layer_idx, int channels,
                                         float* scale, float* bias) {
  return norm(cnn, layer_idx, NK_CNN_BLOCK_BATCH_NORM2D, channels, scale, bias, 0);
}
nk_status_t nk_cnn_init_layernorm_layer(nk_cnn_t* cnn, uint32_t layer_idx, int channels, float eps,
                                        float* weight, float* bias) {
  return norm(cnn, layer_idx, NK_CNN_BLOCK_LAYERNORM2D, channels, weight, bias, eps);
}
nk_status_t nk_cnn_init_flatten_layer(nk_cnn_t* cnn, uint32_t layer_idx) {
  nk_status_t status;
  unset_layer(net_of(cnn), layer_idx);
  new_layer(cnn, layer_idx, NK_CNN_BLOCK_FLATTEN, 0, &status);
  return status;
}

nk_status_t nk_mlp_init_activation_buffers(nk_mlp_t* mlp, nk_arena_t* arena, uint32_t batch_rows) {
  Arena* to = arena_of(arena);
  if (to == nullptr) return no_arena(net_of(mlp));
  return plan_network(mlp ? mlp->storage : nullptr, *to, &batch_rows, all_network_ops());
}
nk_status_t nk_cnn_init_activation_buffers(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t in_h,
                                           uint32_t in_w, uint32_t in_c) {
  Arena* to = arena_of(arena);
  const uint32_t sizes[] = {in_h, in_w, in_c};
  if (to == nullptr) return no_arena(net_of(cnn));
  return plan_network(cnn ? cnn->storage : nullptr, *to, sizes, all_network_ops());
}
bool nk_mlp_has_activation_buffers(const nk_mlp_t* mlp) {
  if (const Loaded* loaded = loaded_of(mlp)) return loaded->ready;
  const Net* net = net_of(mlp);
  return net != nullptr && net->buffer != nullptr;
}
bool nk_cnn_has_activation_buffers(const nk_cnn_t* cnn) {
  if (const Loaded* loaded = loaded_of(cnn)) return loaded->ready;
  const Net* net = net_of(cnn);
  return net != nullptr && net->buffer != nullptr;
}
size_t nk_cnn_kernel_workspace_bytes(const nk_cnn_t* cnn) {
  if (const Loaded* loaded = loaded_of(cnn)) return loaded->workspace_bytes;
  const Net* net = net_of(cnn);
  size_t most = 0;
  for (uint32_t i = 0; net != nullptr && net->buffer != nullptr && i < net->step_count; ++i) {
    const uint16_t scratch = net->steps[i].scratch;
    const size_t bytes = scratch == nets::kNone ? 0 : nets::bytes_of(net->values[scratch]);
    most = bytes > most ? bytes : most;
  }
  return most;
}
void nk_mlp_set_omit_final_softmax(nk_mlp_t* mlp, bool omit) {
  if (bool* omits = omits_softmax(mlp)) *omits = omit;
}
void nk_cnn_set_omit_final_softmax(nk_cnn_t* cnn, bool omit) {
  if (bool* omits = omits_softmax(cnn)) *omits = omit;
}
bool nk_mlp_omit_final_softmax(const nk_mlp_t* mlp) {
  const bool* omits = omits_softmax(mlp);
  return omits != nullptr && *omits;
}
bool nk_cnn_omit_final_softmax(const nk_cnn_t* cnn) {
  const bool* omits = omits_softmax(cnn);
  return omits != nullptr && *omits;
}

nk_status_t nk_mlp_forward(nk_mlp_t* mlp, nk_arena_t*, const nk_tensor_t* input,
                           nk_tensor_t* output) {
  nk_tensor_t result;
  const nk_status_t status = forward(mlp, input, result);
  if (status != NK_OK) return status;
  if (output == nullptr || output->data == nullptr || output->dtype != result.dtype) {
    return NK_ERR_INVALID_ARGUMENT;
  }
  if (output->bytes < result.bytes) return NK_ERR_BUFFER_TOO_SMALL;
  __builtin_memcpy(output->data, result.data, result.bytes);
  return NK_OK;
}
nk_status_t nk_cnn_forward(nk_cnn_t* cnn, nk_arena_t*, const nk_tensor_t* input,
                           nk_tensor_t* output) {
  if (output == nullptr) return NK_ERR_INVALID_ARGUMENT;
  return forward(cnn, input, *output);
}

float* nk_cnn_get_feature_tap_buffer(const nk_cnn_t* cnn, uint8_t tap_id) {
  const Net* net = net_of(cnn);
  const bool has = net != nullptr && net->buffer != nullptr && tap_id < nets::kTaps;
  return has ? nets::data_of(*net, net->taps[tap_id]) : nullptr;
}
uint32_t nk_cnn_get_feature_tap_elems(const nk_cnn_t* cnn, uint8_t tap_id) {
  if (nk_cnn_get_feature_tap_buffer(cnn, tap_id) == nullptr) return 0;
  const Net* net = net_of(cnn);
  return nets::elements(net->values[net->taps[tap_id]]);
}

}  // extern "C"
