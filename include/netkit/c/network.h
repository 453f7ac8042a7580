/* SPDX-License-Identifier: MIT */
/* Networks that a program builds by hand, layer by layer (docs/c-library.md).
 * C99 to C23 and C++17. */
#ifndef NETKIT_C_NETWORK_H
#define NETKIT_C_NETWORK_H

#include "netkit/c/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nk_activation_t {
  NK_ACTIVATION_NONE = 0,
  NK_ACTIVATION_RELU,
  NK_ACTIVATION_SIGMOID,
  NK_ACTIVATION_TANH,
  NK_ACTIVATION_LEAKY_RELU,
  NK_ACTIVATION_RELU6,
  NK_ACTIVATION_SOFTMAX
} nk_activation_t;

typedef enum nk_conv_activation_t {
  NK_CONV_ACTIVATION_NONE = 0,
  NK_CONV_ACTIVATION_RELU,
  NK_CONV_ACTIVATION_SIGMOID,
  NK_CONV_ACTIVATION_TANH,
  NK_CONV_ACTIVATION_LEAKY_RELU,
  NK_CONV_ACTIVATION_RELU6,
  NK_CONV_ACTIVATION_SOFTMAX
} nk_conv_activation_t;

typedef enum nk_cnn_block_type_t {
  NK_CNN_BLOCK_CONV2D = 0,
  NK_CNN_BLOCK_DEPTHWISE_CONV2D,
  NK_CNN_BLOCK_MAX_POOL2D,
  NK_CNN_BLOCK_AVG_POOL2D,
  NK_CNN_BLOCK_BATCH_NORM2D,
  NK_CNN_BLOCK_LAYERNORM2D,
  NK_CNN_BLOCK_FLATTEN,
  NK_CNN_BLOCK_DENSE,
  NK_CNN_BLOCK_CONVNEXTV2_BLOCK,
  NK_CNN_BLOCK_MOBILENETV4_UIB,
  NK_CNN_BLOCK_RESNET_BASIC_BLOCK,
  NK_CNN_BLOCK_YOLOX_DECOUPLED_HEAD,
  NK_CNN_BLOCK_FEATURE_TAP,
  NK_CNN_BLOCK_YOLOX_PAFPN_MULTISCALE
} nk_cnn_block_type_t;

/* Handles of networks, filled by create or load; the arena that they were made in owns what stands
 * behind them, until it is reset. */
typedef struct nk_mlp_t {
  NK_MAX_ALIGNED unsigned char storage[256];
} nk_mlp_t;
typedef struct nk_cnn_t {
  NK_MAX_ALIGNED unsigned char storage[256];
} nk_cnn_t;
NK_STATIC_CHECK(mlp_size, sizeof(nk_mlp_t) == 256);
NK_STATIC_CHECK(cnn_size, sizeof(nk_cnn_t) == 256);

/* Order of calls: create, init_layer for every layer, init_activation_buffers, forward. Weights
 * are the caller's and unchanged until init_activation_buffers has returned, which plans the
 * network, lays its constants out outside the arena and takes the planned bytes from the arena.
 * Any init_layer, refused or not, and any init_activation_buffers that fails leave the network
 * without buffers: forward then fails with the cause. Each init_activation_buffers takes bytes
 * anew; those of the plan before stay taken until the arena is reset.
 * forward takes nothing more and fails where the input has another shape or type or is not
 * row-major; axes of one element in front count for nothing. */
nk_status_t nk_mlp_create(nk_arena_t* arena, uint32_t num_layers, nk_mlp_t* mlp);
bool nk_mlp_is_valid(const nk_mlp_t* mlp);
nk_status_t nk_mlp_init_layer(nk_mlp_t* mlp, uint32_t layer_idx, const nk_tensor_t* weights, const
                              nk_tensor_t* bias, nk_activation_t activation, float leaky_alpha);
nk_status_t nk_mlp_init_activation_buffers(nk_mlp_t* mlp, nk_arena_t* arena, uint32_t batch_rows);
bool nk_mlp_has_activation_buffers(const nk_mlp_t* mlp);
void nk_mlp_set_omit_final_softmax(nk_mlp_t* mlp, bool omit);
bool nk_mlp_omit_final_softmax(const nk_mlp_t* mlp);
nk_status_t nk_mlp_forward(nk_mlp_t* mlp, nk_arena_t* arena, const nk_tensor_t* input, nk_tensor_t*
                           output);

nk_status_t nk_cnn_create(nk_arena_t* arena, uint32_t num_layers, nk_cnn_t* cnn);
bool nk_cnn_is_valid(const nk_cnn_t* cnn);

/* An int8 network: an entry per tensor of weights, in the order of the layers and, inside blocks,
 * of their convolutions. Weights and bias stand here where the layer is set with NULL
 * (convolutions: always). real = scale * (q - zero_point); weights are symmetric; a bias has the
 * scale in_scale * its weight scale. The sum of a block has the scale of the last convolution
 * before it; a softmax 1/256 and -128; the three predictions of a YOLOX head share one, as do P3,
 * N4 and N5 of a PAFPN. */
typedef struct nk_quant_layer_t {
  const int8_t* weights;
  const int32_t* bias;
  float in_scale;
  int32_t in_zero_point;
  float out_scale; /* behind a relu, before a swish */
  int32_t out_zero_point;
  const float* weight_scales; /* one, or one per output channel; unchanged as weights are */
  uint32_t num_weight_scales;
  float act_scale; /* behind the swish that follows (YOLOX blocks); 0 elsewhere */
  int32_t act_zero_point;
} nk_quant_layer_t;
typedef struct nk_quant_t {
  const nk_quant_layer_t* layers;
  uint32_t num_layers;
  bool omit_final_softmax;
} nk_quant_t;
/* Between create and the first layer; makes the network int8. Dense layers then take int8 weights
 * and an int32 bias. Errors: a scale or zero point out of range. */
nk_status_t nk_mlp_set_quant(nk_mlp_t* mlp, const nk_quant_t* quant);
nk_status_t nk_cnn_set_quant(nk_cnn_t* cnn, const nk_quant_t* quant);

/* A layer each, in the order of execution. Padding at the ends may be NK_PAD_MIRROR; a bias may be
 * NULL, and so may both vectors of every batch norm inside a block. in_channels and spatial sizes
 * are checked by init_activation_buffers. The PAFPN layer reads taps 0 and 1 and ends with its
 * three scales P3, N4, N5, flat: its parameters hold no heads. */
nk_status_t nk_cnn_init_conv_layer(nk_cnn_t* cnn, uint32_t layer_idx, int kernel_size, int stride,
                                   int in_channels, int out_channels, float* weights, float* bias,
                                   nk_conv_activation_t activation, float leaky_alpha, int pad_h,
                                   int pad_w, int pad_h_end, int pad_w_end);
nk_status_t nk_cnn_init_depthwise_conv_layer(nk_cnn_t* cnn, uint32_t layer_idx, int kernel_h, int
                                             kernel_w, int stride, int channels, float* weights,
                                             float* bias, nk_conv_activation_t activation, float
                                             leaky_alpha, int pad_h, int pad_w, int pad_h_end, int
                                             pad_w_end);
nk_status_t nk_cnn_init_pool_layer(nk_cnn_t* cnn, uint32_t layer_idx, int pool_h, int pool_w, int
                                   stride, int pad_h, int pad_w, int pad_h_end, int pad_w_end);
nk_status_t nk_cnn_init_avg_pool_layer(nk_cnn_t* cnn, uint32_t layer_idx, int pool_h, int pool_w,
                                       int stride, int pad_h, int pad_w, int pad_h_end, int
                                       pad_w_end);
nk_status_t nk_cnn_init_batch_norm_layer(nk_cnn_t* cnn, uint32_t layer_idx, int channels, float*
                                         scale, float* bias);
nk_status_t nk_cnn_init_layernorm_layer(nk_cnn_t* cnn, uint32_t layer_idx, int channels, float eps,
                                        float* weight, float* bias);
nk_status_t nk_cnn_init_convnextv2_block_layer(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t layer_idx,
                                               uint32_t spatial_h, uint32_t spatial_w, int channels,
                                               float eps, float* dw_weights, float* dw_bias, float*
                                               ln_weight, float* ln_bias, float* pw1_weight, float*
                                               pw1_bias, float* grn_gamma, float* grn_beta, float*
                                               pw2_weight, float* pw2_bias);
nk_status_t nk_cnn_init_mobilenetv4_uib_layer(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t layer_idx,
                                              uint32_t spatial_h, uint32_t spatial_w, int
                                              in_channels, int out_channels, int start_dw_kernel,
                                              int middle_dw_kernel, int stride, int
                                              middle_dw_downsample, float expand_ratio, float*
                                              start_dw_weights, float* start_dw_bias, float*
                                              start_bn_scale, float* start_bn_bias, float*
                                              expand_weights, float* expand_bias, float*
                                              expand_bn_scale, float* expand_bn_bias, float*
                                              middle_dw_weights, float* middle_dw_bias, float*
                                              middle_bn_scale, float* middle_bn_bias, float*
                                              proj_weights, float* proj_bias, float* proj_bn_scale,
                                              float* proj_bn_bias);
nk_status_t nk_cnn_init_resnet_basic_block_layer(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t
                                                 layer_idx, uint32_t spatial_h, uint32_t spatial_w,
                                                 int in_channels, int out_channels, int stride,
                                                 float* conv1_weights, float* conv1_bias, float*
                                                 bn1_scale, float* bn1_bias, float* conv2_weights,
                                                 float* conv2_bias, float* bn2_scale, float*
                                                 bn2_bias, float* shortcut_weights, float*
                                                 shortcut_bias, float* shortcut_bn_scale, float*
                                                 shortcut_bn_bias);
nk_status_t nk_cnn_init_yolox_decoupled_head_layer(
    nk_cnn_t* cnn, nk_arena_t* arena, uint32_t layer_idx, uint32_t spatial_h, uint32_t
    spatial_w, int in_channels, int hidden_dim, int num_classes, int num_convs, float*
    stem_weights, float* stem_bias, float* const* cls_conv_weights, float* const* cls_conv_bias,
    float* const* reg_conv_weights, float* const* reg_conv_bias, float* cls_pred_weights, float*
    cls_pred_bias, float* reg_pred_weights, float* reg_pred_bias, float* obj_pred_weights,
    float* obj_pred_bias);
nk_status_t nk_cnn_init_feature_tap_layer(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t layer_idx,
                                          uint32_t spatial_h, uint32_t spatial_w, int channels,
                                          uint8_t tap_id);
nk_status_t nk_cnn_init_yolox_pafpn_layer(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t layer_idx,
                                          uint32_t c5_h, uint32_t c5_w, int c3_channels, int
                                          c4_channels, int c5_channels, int hidden_dim, int
                                          num_classes, int num_convs, float* lat3_weights, float*
                                          lat3_bias, float* lat4_weights, float* lat4_bias, float*
                                          lat5_weights, float* lat5_bias, float* td_p4_dw_weights,
                                          float* td_p4_dw_bias, float* td_p4_pw_weights, float*
                                          td_p4_pw_bias, float* td_p3_dw_weights, float*
                                          td_p3_dw_bias, float* td_p3_pw_weights, float*
                                          td_p3_pw_bias, float* bu_n4_dw_weights, float*
                                          bu_n4_dw_bias, float* bu_n4_pw_weights, float*
                                          bu_n4_pw_bias, float* bu_n5_dw_weights, float*
                                          bu_n5_dw_bias, float* bu_n5_pw_weights, float*
                                          bu_n5_pw_bias);
nk_status_t nk_cnn_init_flatten_layer(nk_cnn_t* cnn, uint32_t layer_idx);
nk_status_t nk_cnn_init_dense_layer(nk_cnn_t* cnn, uint32_t layer_idx, const nk_tensor_t* weights,
                                    const nk_tensor_t* bias, nk_activation_t activation, float
                                    leaky_alpha);

/* [in_h, in_w, in_c] of the network's input. */
nk_status_t nk_cnn_init_activation_buffers(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t in_h, uint32_t
                                           in_w, uint32_t in_c);
bool nk_cnn_has_activation_buffers(const nk_cnn_t* cnn);
/* The largest scratch of a kernel, part of the planned arena. */
size_t nk_cnn_kernel_workspace_bytes(const nk_cnn_t* cnn);
/* true: the last softmax is left out and the output is what it would read. */
void nk_cnn_set_omit_final_softmax(nk_cnn_t* cnn, bool omit);
bool nk_cnn_omit_final_softmax(const nk_cnn_t* cnn);
/* `output` becomes a view of the result in the arena, valid until the next forward. */
nk_status_t nk_cnn_forward(nk_cnn_t* cnn, nk_arena_t* arena, const nk_tensor_t* input, nk_tensor_t*
                           output);
/* What tap `tap_id` held in the last forward; NULL and 0 where the network has no such tap. */
float* nk_cnn_get_feature_tap_buffer(const nk_cnn_t* cnn, uint8_t tap_id);
uint32_t nk_cnn_get_feature_tap_elems(const nk_cnn_t* cnn, uint8_t tap_id);

#ifdef __cplusplus
}
#endif

#endif
