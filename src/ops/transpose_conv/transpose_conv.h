/* SPDX-License-Identifier: MIT */
/* transpose_conv: two-dimensional transposed convolution, grouped or not (common/transposed.h).
 * Node inputs:  x [n, in_h, in_w, in_c], weights [out_c, kernel_h, kernel_w, in_c / groups],
 *               bias [out_c] or absent. Output [n, out_h, out_w, out_c] of x's dtype.
 * Attributes:   out_h, out_w, stride_h, stride_w (1), dilation_h, dilation_w (1), pads [top, left]
 *               (0; cells cut off the full result), groups (1), activation, clamp_min, clamp_max as
 *               in conv2d. What lies beyond the full result is the bias alone.
 * Kernel in[]:  x, weights, bias, multiplier, shift as in conv2d; s16: weights int8, bias int64,
 *               zero points 0.
 * s8 and s16 equal the TensorFlow Lite reference kernels bit for bit. f32 adds the products of an
 * output in the order in_h, in_w, in_c from first to last, then the bias, as they do. */
#ifndef NETKIT_OPS_TRANSPOSE_CONV_TRANSPOSE_CONV_H
#define NETKIT_OPS_TRANSPOSE_CONV_TRANSPOSE_CONV_H

#include "ops/common/kernel.h"
#include "ops/common/requantize.h"
#include "ops/common/spatial.h"

#define NK_TRANSPOSE_CONV_FIELDS(S, A) \
  NK_SPATIAL_FIELDS(S, A) S(int32_t, groups) NK_WEIGHTED_FIELDS(S, A)

typedef struct nk_transpose_conv_params {
  NK_TRANSPOSE_CONV_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_transpose_conv_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_transpose_conv_s8_ref);
NK_DECLARE_KERNEL(nk_transpose_conv_s16_ref);
NK_DECLARE_KERNEL(nk_transpose_conv_f32_ref);
NK_EXTERN_C_END

#endif
