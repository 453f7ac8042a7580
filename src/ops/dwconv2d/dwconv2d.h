/* SPDX-License-Identifier: MIT */
/* dwconv2d: depthwise convolution; output channel c reads input channel c / depth_multiplier.
 * Node inputs:  x [n, in_h, in_w, in_c], weights [1, kernel_h, kernel_w, out_c],
 *               bias [out_c] or absent; out_c is a multiple of in_c.
 *               Output [n, out_h, out_w, out_c] of x's dtype.
 * Attributes:   stride_h, stride_w, dilation_h, dilation_w (1), pads [top, left, bottom, right],
 *               activation ("none", "relu", "relu6", "relu_n1_to_1"), clamp_min, clamp_max.
 * Kernel in[]:  x, weights, bias, multiplier, shift, as conv2d's.
 * Layout hwc:   weights as in the node.
 * s8 and u8 equal the TensorFlow Lite reference kernels bit for bit. f32 adds the products in the
 * order kernel_h, kernel_w, then the bias.
 *
 * dwconv2d_parts: the same of an input whose channels stand in parts (parts.h).
 * Node inputs:  the first part, weights, bias or absent, the other parts; all of one type but for
 *               their channels. Kernel in[]: the parts in order, weights, bias, multiplier, shift.
 * Every result equals that of dwconv2d on the concatenation bit for bit. */
#ifndef NETKIT_OPS_DWCONV2D_DWCONV2D_H
#define NETKIT_OPS_DWCONV2D_DWCONV2D_H

#include "ops/common/kernel.h"
#include "ops/common/parts.h"
#include "ops/common/requantize.h"
#include "ops/common/spatial.h"

#define NK_DWCONV2D_FIELDS(S, A) \
  NK_SPATIAL_FIELDS(S, A) S(int32_t, depth_multiplier) NK_WEIGHTED_FIELDS(S, A)

typedef struct nk_dwconv2d_params {
  NK_DWCONV2D_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_dwconv2d_params;

/* Begins as nk_dwconv2d_params. */
#define NK_DWCONV2D_PARTS_FIELDS(S, A) NK_DWCONV2D_FIELDS(S, A) NK_PARTS_FIELDS(S, A)

typedef struct nk_dwconv2d_parts_params {
  NK_DWCONV2D_PARTS_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_dwconv2d_parts_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_dwconv2d_s8_ref);
NK_DECLARE_KERNEL(nk_dwconv2d_u8_ref);
NK_DECLARE_KERNEL(nk_dwconv2d_f32_ref);
/* As nk_dwconv2d_f32_ref, one output per channel and one image, with weights
 * [out_c, kernel_h, kernel_w]: for networks built on a device, no row of the table. */
NK_DECLARE_KERNEL(nk_dwconv2d_planar_f32);
NK_DECLARE_KERNEL(nk_dwconv2d_parts_s8_ref);
NK_DECLARE_KERNEL(nk_dwconv2d_parts_u8_ref);
NK_DECLARE_KERNEL(nk_dwconv2d_parts_f32_ref);
NK_EXTERN_C_END

#endif
