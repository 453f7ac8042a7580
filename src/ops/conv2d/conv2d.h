/* SPDX-License-Identifier: MIT */
/* conv2d: two-dimensional convolution (cross-correlation), grouped or not.
 * Node inputs:  x [n, in_h, in_w, in_c], weights [out_c, kernel_h, kernel_w, in_c / groups],
 *               bias [out_c] or absent. Output [n, out_h, out_w, out_c] of x's dtype.
 * Attributes:   stride_h, stride_w, dilation_h, dilation_w (1), pads [top, left, bottom, right],
 *               groups (1), activation ("none", "relu", "relu6", "relu_n1_to_1"),
 *               clamp_min, clamp_max (real values; narrows the activation further),
 *               to ("int32": the sums themselves, of 8-bit inputs, are the output).
 * Kernel in[]:  x, weights, bias, multiplier, shift. s8, u8: bias, multiplier and shift are int32
 *               and present, one multiplier and shift per out_c or a single one (per_channel 0).
 *               f32: multiplier and shift are NULL; bias may be NULL.
 * Layout ohwi:  weights as in the node.
 * s8_s32, u8_s32: sums of the differences to the zero points; only x and weights are there.
 * s8 and u8 equal the TensorFlow Lite reference kernels bit for bit. f32 adds the products in
 * the order kernel_h, kernel_w, in_c from first to last, then the bias.
 *
 * conv2d_parts: the same, groups 1, of an input whose channels stand in parts (parts.h).
 * Node inputs:  the first part, weights, bias or absent, the other parts; all of one type but for
 *               their channels. Kernel in[]: the parts in order, weights, bias, multiplier, shift.
 * Every result equals that of conv2d on the concatenation bit for bit. */
#ifndef NETKIT_OPS_CONV2D_CONV2D_H
#define NETKIT_OPS_CONV2D_CONV2D_H

#include "ops/common/kernel.h"
#include "ops/common/parts.h"
#include "ops/common/requantize.h"
#include "ops/common/spatial.h"

#define NK_CONV2D_FIELDS(S, A) NK_SPATIAL_FIELDS(S, A) S(int32_t, groups) NK_WEIGHTED_FIELDS(S, A)

typedef struct nk_conv2d_params {
  NK_CONV2D_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_conv2d_params;

/* Begins as nk_conv2d_params. */
#define NK_CONV2D_PARTS_FIELDS(S, A) NK_CONV2D_FIELDS(S, A) NK_PARTS_FIELDS(S, A)

typedef struct nk_conv2d_parts_params {
  NK_CONV2D_PARTS_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_conv2d_parts_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_conv2d_s8_ref);
NK_DECLARE_KERNEL(nk_conv2d_u8_ref);
NK_DECLARE_KERNEL(nk_conv2d_f32_ref);
NK_DECLARE_KERNEL(nk_conv2d_s8_s32_ref);
NK_DECLARE_KERNEL(nk_conv2d_u8_s32_ref);
NK_DECLARE_KERNEL(nk_conv2d_parts_s8_ref);
NK_DECLARE_KERNEL(nk_conv2d_parts_u8_ref);
NK_DECLARE_KERNEL(nk_conv2d_parts_f32_ref);
NK_EXTERN_C_END

#endif
