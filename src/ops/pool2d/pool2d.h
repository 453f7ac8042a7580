/* SPDX-License-Identifier: MIT */
/* max_pool2d, avg_pool2d: the greatest value, or the mean, of each window.
 * Node input:  x [n, in_h, in_w, c]. Output [n, out_h, out_w, c] of x's type and quantisation.
 * Attributes:  kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w (1), pads [top, left,
 *              bottom, right], ceil_mode (0; 1: output size rounded up),
 *              count_include_pad (avg, 0; 1: the mean counts padding as zeros),
 *              activation ("none", "relu", "relu6", "relu_n1_to_1"), clamp_min, clamp_max.
 * Kernel in[]: x.
 * s8 and u8 equal the TensorFlow Lite reference kernels bit for bit: the mean of the quantised
 * values is rounded half away from zero. f32 adds a window in the order kernel_h, kernel_w and
 * divides.
 * No window lies wholly in the padding: infer and nk_pool2d_fit refuse that. */
#ifndef NETKIT_OPS_POOL2D_POOL2D_H
#define NETKIT_OPS_POOL2D_POOL2D_H

#include "ops/common/kernel.h"
#include "ops/common/requantize.h"
#include "ops/common/spatial.h"

/* pad_bottom, pad_right: padding that count_include_pad counts; pad_value: value of a padded
 * cell of s8 or u8 (the zero point). */
#define NK_POOL2D_FIELDS(S, A)                                                     \
  NK_SPATIAL_FIELDS(S, A)                                                          \
  S(int32_t, pad_bottom) S(int32_t, pad_right) S(int32_t, count_include_pad)       \
  S(int32_t, pad_value) S(int32_t, act_min) S(int32_t, act_max)                    \
  S(float, clamp_min) S(float, clamp_max)

typedef struct nk_pool2d_params {
  NK_POOL2D_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_pool2d_params;
typedef nk_pool2d_params nk_max_pool2d_params;
typedef nk_pool2d_params nk_avg_pool2d_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_max_pool2d_s8_ref);
NK_DECLARE_KERNEL(nk_max_pool2d_u8_ref);
NK_DECLARE_KERNEL(nk_max_pool2d_f32_ref);
NK_DECLARE_KERNEL(nk_avg_pool2d_s8_ref);
NK_DECLARE_KERNEL(nk_avg_pool2d_u8_ref);
NK_DECLARE_KERNEL(nk_avg_pool2d_f32_ref);
NK_EXTERN_C_END

#endif
