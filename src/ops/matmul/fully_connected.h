/* SPDX-License-Identifier: MIT */
/* fully_connected: y = x * transpose(weights) + bias over the rows of x.
 * Node inputs:  x of any shape with rows of in_features elements, weights [out_features,
 *               in_features], bias [out_features] or absent.
 * Attributes:   keep_num_dims (0): output [rows, out_features]; 1: x's shape with the last size
 *               (in_features) replaced;
 *               activation ("none", "relu", "relu6", "relu_n1_to_1"), clamp_min, clamp_max.
 * Kernel in[]:  x, weights, bias, multiplier, shift, as conv2d's.
 * Layout oi:    weights as in the node.
 * s8 and u8 equal the TensorFlow Lite reference kernels bit for bit. f32 adds the products from
 * first to last, then the bias. The output never overlaps the input. */
#ifndef NETKIT_OPS_MATMUL_FULLY_CONNECTED_H
#define NETKIT_OPS_MATMUL_FULLY_CONNECTED_H

#include "ops/common/kernel.h"
#include "ops/common/requantize.h"

#define NK_FULLY_CONNECTED_FIELDS(S, A) \
  S(int32_t, rows) S(int32_t, in_features) S(int32_t, out_features) NK_WEIGHTED_FIELDS(S, A)

typedef struct nk_fully_connected_params {
  NK_FULLY_CONNECTED_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_fully_connected_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_fully_connected_s8_ref);
NK_DECLARE_KERNEL(nk_fully_connected_u8_ref);
NK_DECLARE_KERNEL(nk_fully_connected_f32_ref);
NK_EXTERN_C_END

#endif
