/* SPDX-License-Identifier: MIT */
/* The row of conv2d for cores without SIMD.
 * Kernel in[]:        x, weights, table (common/arm/dsp_requantize.h).
 * Layout ohwi_table:  weights as in the node; the input's zero point is part of the bias.
 * Scratch:            one window, nk_conv2d_scalar_scratch bytes. It is read before its pixel is
 *                     written: distances of a walk that reads each pixel first (overlap.h). */
#ifndef NETKIT_OPS_CONV2D_CONV2D_SCALAR_H
#define NETKIT_OPS_CONV2D_CONV2D_SCALAR_H

#include "ops/conv2d/conv2d.h"

#define NK_CONV2D_SCALAR_MOST_SCRATCH 9216 /* bytes; larger windows are the reference row's */

static inline int64_t nk_conv2d_scalar_scratch(const nk_conv2d_params* p) {
  return (int64_t)p->kernel_h * p->kernel_w * p->in_c;
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_conv2d_s8_scalar);
NK_EXTERN_C_END

#endif
