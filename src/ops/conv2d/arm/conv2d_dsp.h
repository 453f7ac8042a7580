/* SPDX-License-Identifier: MIT */
/* The row of conv2d for Arm's DSP extension.
 * Kernel in[]:    x, weights, table (dsp_requantize.h).
 * Layout pairs2:  weights as in dsp_dot.h; each row of the window begins a new four.
 * Scratch:        nk_conv2d_dsp_scratch bytes: the windows of four pixels, word by word. Windows
 *                 are read before their pixels are written, so that the modes plain, forward and
 *                 backward need the distances of a walk that reads each pixel first (overlap.h). */
#ifndef NETKIT_OPS_CONV2D_ARM_CONV2D_DSP_H
#define NETKIT_OPS_CONV2D_ARM_CONV2D_DSP_H

#include "ops/common/arm/dsp_dot.h"
#include "ops/common/arm/dsp_requantize.h"
#include "ops/conv2d/conv2d.h"

#define NK_DSP_COLUMNS 4
#define NK_CONV2D_DSP_MOST_SCRATCH 9216 /* bytes; larger windows are the reference row's */

/* Words of a column: two products each. */
static inline int32_t nk_conv2d_dsp_words(const nk_conv2d_params* p) {
  return p->kernel_h * ((p->kernel_w * p->in_c + 3) / 4) * 2;
}
static inline int64_t nk_conv2d_dsp_scratch(const nk_conv2d_params* p) {
  return (int64_t)p->kernel_h * (((int64_t)p->kernel_w * p->in_c + 3) / 4) *
         (2 * NK_DSP_COLUMNS * (int64_t)sizeof(int32_t));
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_conv2d_s8_dsp);
NK_EXTERN_C_END

#endif
