/* SPDX-License-Identifier: MIT */
/* The row of dwconv2d for Arm's DSP extension, one output for each input channel: channel by
 * channel, with rows spread out to int16 in scratch.
 * Kernel in[]:    x, weights, table (dsp_requantize.h).
 * Layout taps4:   int8, channel by channel, row by row of the kernel; a row in fours of taps k to
 *                 k + 3 (zeros behind the last) in the order k, k + 2, k + 1, k + 3. Rows of three
 *                 taps have the middle one again as the fourth.
 * Modes:          plain and NK_MODE_CHANNEL_RING, which are one walk.
 * Scratch:        rows of one channel with the padding around them: all of them where that takes
 *                 NK_DWCONV2D_DSP_PLANE bytes at most, else a ring of kernel_h. Then the channel's
 *                 taps as pairs, rows 0 to kernel_h - 1 and again 0 to kernel_h - 2, so that the
 *                 rows of the ring, whichever is first, find theirs in order.
 * An image of one column counts as one of one row: both lie in memory alike. */
#ifndef NETKIT_OPS_DWCONV2D_ARM_DWCONV2D_DSP_H
#define NETKIT_OPS_DWCONV2D_ARM_DWCONV2D_DSP_H

#include "ops/common/arm/dsp_requantize.h"
#include "ops/dwconv2d/channel_ring.h"
#include "ops/dwconv2d/dwconv2d.h"

#define NK_DWCONV2D_DSP_PLANE 512

/* The walk along the rows of one channel, in elements. */
typedef struct nk_dwconv2d_dsp {
  int32_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  int32_t row;   /* halves of a row in scratch, even: all that the windows of a row read */
  int32_t loads; /* of them, elements of the input */
  int32_t rows;  /* in scratch: of the padded image (read by some window), or kernel_h */
  int32_t words; /* pairs of taps in a row of the kernel, even */
} nk_dwconv2d_dsp;

static inline nk_dwconv2d_dsp nk_dwconv2d_dsp_of(const nk_dwconv2d_params* p) {
  const int column = p->in_w == 1 && p->kernel_w == 1 && p->out_w == 1 && p->pad_left == 0;
  nk_dwconv2d_dsp d;
  d.in_h = column ? 1 : p->in_h;
  d.in_w = column ? p->in_h : p->in_w;
  d.out_h = column ? 1 : p->out_h;
  d.out_w = column ? p->out_h : p->out_w;
  d.kernel_h = column ? 1 : p->kernel_h;
  d.kernel_w = column ? p->kernel_h : p->kernel_w;
  d.stride_h = column ? 1 : p->stride_h;
  d.stride_w = column ? p->stride_h : p->stride_w;
  d.pad_h = column ? 0 : p->pad_top;
  d.pad_w = column ? p->pad_top : p->pad_left;
  d.words = (d.kernel_w + 3) / 4 * 2;
  d.row = ((d.out_w - 1) * d.stride_w + d.kernel_w + 1) / 2 * 2;
  d.loads = d.row - d.pad_w < d.in_w ? d.row - d.pad_w : d.in_w;
  d.rows = (d.out_h - 1) * d.stride_h + d.kernel_h;
  if ((int64_t)d.rows * d.row > NK_DWCONV2D_DSP_PLANE / (int64_t)sizeof(int16_t)) {
    d.rows = d.kernel_h;
  }
  return d;
}

/* A multiple of 8 bytes. */
static inline int64_t nk_dwconv2d_dsp_scratch(const nk_dwconv2d_params* p) {
  const nk_dwconv2d_dsp d = nk_dwconv2d_dsp_of(p);
  const int64_t ring = ((int64_t)d.rows * d.row * (int64_t)sizeof(int16_t) + 7) / 8 * 8;
  return ring + (2 * (int64_t)d.kernel_h - 1) * d.words * (int64_t)sizeof(int32_t);
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_dwconv2d_s8_dsp);
NK_EXTERN_C_END

#endif
