/* SPDX-License-Identifier: MIT */
/* nk_tensor_t, and operations on tensors without a network, by the kernels of networks.
 * C99 to C23 and C++17. */
#ifndef NETKIT_C_TENSOR_H
#define NETKIT_C_TENSOR_H

#include <stdbool.h>

#include "netkit/c/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NK_MAX_TENSOR_RANK 4
#define NK_PAD_MIRROR (-1) /* padding at the end: as much as at the start */

/* Dense and row-major; stride in elements. shape and stride are 1 and 0 beyond rank. */
typedef struct nk_tensor_t {
  void* data;
  nk_dtype_t dtype;
  uint32_t rank;
  uint32_t shape[NK_MAX_TENSOR_RANK];
  uint32_t stride[NK_MAX_TENSOR_RANK];
  uint32_t num_elements;
  uint32_t bytes;
} nk_tensor_t;

/* float32, elements in the arena and not set. On failure data is NULL. */
nk_status_t nk_tensor_create_2d(nk_arena_t* arena, uint32_t rows, uint32_t cols, nk_tensor_t* out);
nk_status_t nk_tensor_create_nd(nk_arena_t* arena, uint32_t rank, const uint32_t* shape,
                                nk_tensor_t* out);
/* Over memory of the caller's. */
void nk_tensor_view_2d(float* data, uint32_t rows, uint32_t cols, nk_tensor_t* out);
void nk_tensor_view_2d_int8(int8_t* data, uint32_t rows, uint32_t cols, nk_tensor_t* out);
void nk_tensor_view_3d_int8(int8_t* data, uint32_t h, uint32_t w, uint32_t c, nk_tensor_t* out);
void nk_tensor_view_1d_int32(int32_t* data, uint32_t length, nk_tensor_t* out);
/* The first `count` elements of a float32 tensor. NK_ERR_BUFFER_TOO_SMALL: it has fewer. */
nk_status_t nk_tensor_fill(nk_tensor_t* tensor, const float* values, uint32_t count);
#if defined(NETKIT_TARGET_CPU)
/* On stdout. */
void nk_tensor_print(const nk_tensor_t* tensor);
void nk_tensor_print_labeled(const char* label, const nk_tensor_t* tensor);
#endif
/* NULL where the tensor is of another type. */
float* nk_tensor_data_f32(nk_tensor_t* tensor);
const float* nk_tensor_data_f32_const(const nk_tensor_t* tensor);
int8_t* nk_tensor_data_i8(nk_tensor_t* tensor);
const int8_t* nk_tensor_data_i8_const(const nk_tensor_t* tensor);
int32_t* nk_tensor_data_i32(nk_tensor_t* tensor);
const int32_t* nk_tensor_data_i32_const(const nk_tensor_t* tensor);
/* Of the element in a tensor [h, w, c]; 0 where the tensor has another rank. */
uint32_t nk_tensor_index_nhwc(const nk_tensor_t* tensor, uint32_t h, uint32_t w, uint32_t c);

/* Float32 tensors only. The functions below them do nothing where these say no. Elementwise ones
 * take a c that is a or b itself, mat_mul one that shares no byte with them; check_same_shape_*
 * and is_elementwise_valid look at shapes alone. */
bool nk_ops_is_elementwise_valid(const nk_tensor_t* a, const nk_tensor_t* b);
bool nk_ops_check_same_shape_2d(const nk_tensor_t* a, const nk_tensor_t* b, const nk_tensor_t* c);
bool nk_ops_check_same_shape_nd(const nk_tensor_t* a, const nk_tensor_t* b, const nk_tensor_t* c);
bool nk_ops_is_matmul_valid(const nk_tensor_t* a, const nk_tensor_t* b, const nk_tensor_t* c);
bool nk_ops_is_elementwise_valid_nd(const nk_tensor_t* a, const nk_tensor_t* b, const nk_tensor_t*
                                    c);
bool nk_ops_is_unary_op_valid(const nk_tensor_t* a, const nk_tensor_t* c);

/* c = a op b; c may be a or b, but not in mat_mul ([m, k] x [k, n]). softmax: over all elements. */
void nk_ops_mul(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c);
void nk_ops_mul_scalar(const nk_tensor_t* a, float scalar, nk_tensor_t* c);
void nk_ops_mat_add(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c);
void nk_ops_mat_add_nd(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c);
void nk_ops_mat_mul(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c);
void nk_ops_mul_nd(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c);
void nk_ops_relu(const nk_tensor_t* a, nk_tensor_t* c);
void nk_ops_sigmoid(const nk_tensor_t* a, nk_tensor_t* c);
void nk_ops_tanh(const nk_tensor_t* a, nk_tensor_t* c);
void nk_ops_leaky_relu(const nk_tensor_t* a, nk_tensor_t* c, float alpha);
void nk_ops_relu6(const nk_tensor_t* a, nk_tensor_t* c);
void nk_ops_softmax(const nk_tensor_t* a, nk_tensor_t* c);

/* weights [out_channels, kernel, kernel, in_channels], bias [out_channels] or NULL. */
typedef struct nk_conv2d_t {
  int kernel_size, stride;
  int pad_h, pad_w, pad_h_end, pad_w_end;
  int in_channels, out_channels;
  float* weights;
  float* bias;
} nk_conv2d_t;

/* weights [channels, kernel_h, kernel_w], bias [channels] or NULL. */
typedef struct nk_depthwise_conv2d_t {
  int kernel_h, kernel_w, stride;
  int pad_h, pad_w, pad_h_end, pad_w_end;
  int channels;
  float* weights;
  float* bias;
} nk_depthwise_conv2d_t;

/* [h, w, c] to [out_h, out_w, channels], out = (in + pads - kernel) / stride + 1. Does nothing
 * where shapes do not fit; output and input are apart. */
void nk_conv2d_forward(const nk_conv2d_t* conv, const nk_tensor_t* input, nk_tensor_t* output);
void nk_depthwise_conv2d_forward(const nk_depthwise_conv2d_t* conv, const nk_tensor_t* input,
                                 nk_tensor_t* output);

#ifdef __cplusplus
}
#endif

#endif
