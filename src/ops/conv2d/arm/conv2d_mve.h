/* SPDX-License-Identifier: MIT */
/* The row of conv2d for Helium.
 * Kernel in[]:     x, weights, table (dsp_requantize.h).
 * Layout blocks2:  weights as in mve_dot.h, products in the order of the node.
 * Scratch:         nk_conv2d_mve_scratch bytes: the windows of three pixels. They are read before
 *                  their pixels are written: distances of a walk that reads each pixel first
 *                  (overlap.h). None where nk_conv2d_mve_as_they_stand. */
#ifndef NETKIT_OPS_CONV2D_ARM_CONV2D_MVE_H
#define NETKIT_OPS_CONV2D_ARM_CONV2D_MVE_H

#include "ops/common/arm/mve_dot.h"
#include "ops/conv2d/window_walk.h"

#define NK_CONV2D_MVE_MOST_SCRATCH 9216 /* bytes; larger windows are the reference row's */

static inline int64_t nk_conv2d_mve_scratch(const nk_conv2d_params* p) {
  const int64_t window = (int64_t)p->kernel_h * p->kernel_w * p->in_c;
  return (window + NK_MVE_BYTES - 1) / NK_MVE_BYTES * (NK_MVE_BYTES * NK_MVE_COLUMNS);
}

/* The input's own pixels serve as columns: no scratch. */
static inline int nk_conv2d_mve_as_they_stand(const nk_conv2d_params* p) {
  return nk_conv2d_is_pointwise(p) && p->mode == NK_MODE_PLAIN && p->in_c % NK_MVE_BYTES == 0;
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_conv2d_s8_mve);
NK_EXTERN_C_END

#endif
