/* SPDX-License-Identifier: MIT */
/* The row of dwconv2d for Helium: channel by channel, rows of the input side by side.
 * Kernel in[]:        x, weights, table (common/arm/dsp_requantize.h).
 * Columns:            in scratch, `height` bytes for each column of the padded image: as many rows
 *                     of one channel. A window is kernel_w columns in a row, taps of 0 beside it,
 *                     so that one product of vectors sums it; a window `r` rows lower begins r
 *                     bytes later. So a block of `height` rows serves `lines` lines of outputs.
 * Layout tap_columns: int8, channel by channel, tap (ky, kx) at kx * height + ky of whole vectors.
 * Modes:              plain and NK_MODE_CHANNEL_RING, which are one walk: a block is read before
 *                     the outputs of the one before it are written.
 * Scratch:            nk_mve_planar_scratch bytes: two blocks.
 * An image of one column counts as one of one row (planar.h). One that is higher than wide and
 * gives outputs of its size is walked with rows and columns exchanged; an output over it moves it
 * down first, so that each pixel stands where its output will. */
#ifndef NETKIT_OPS_DWCONV2D_ARM_DWCONV2D_MVE_H
#define NETKIT_OPS_DWCONV2D_ARM_DWCONV2D_MVE_H

#include "ops/common/arm/mve.h"
#include "ops/dwconv2d/planar.h"

#define NK_MVE_MOST_HEIGHT 8
#define NK_MVE_MOST_REACH 65535 /* of offsets that are gathered at once */

/* The walk, in elements but where bytes are named. */
typedef struct nk_mve_planar {
  int32_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  int32_t in_column, in_row, out_column, out_row; /* bytes from one to the next */
  int32_t height;                                 /* 1, 4 or 8 */
  int32_t lines;                                  /* of outputs from a block */
  int32_t vectors;                                /* of a window */
  int32_t loads;                                  /* columns of the input that windows read */
  int32_t block;                                  /* bytes, whole vectors */
} nk_mve_planar;

/* Whether the walk goes down columns, which are longer than rows. */
static inline int nk_mve_is_upright(const nk_dwconv2d_params* p) {
  return p->in_h > p->in_w && p->out_h == p->in_h && p->out_w == p->in_w && p->stride_h == 1 &&
         p->stride_w == 1;
}

static inline int32_t nk_mve_height(int32_t kernel_h) {
  return kernel_h == 1 ? 1 : (kernel_h <= 4 ? 4 : NK_MVE_MOST_HEIGHT);
}

/* Kernels of NK_MVE_MOST_HEIGHT rows at most. */
static inline nk_mve_planar nk_mve_planar_of(const nk_dwconv2d_params* p) {
  nk_mve_planar m;
  int32_t reads;
  if (nk_mve_is_upright(p)) {
    m.in_h = m.out_h = p->in_w;
    m.in_w = m.out_w = p->in_h;
    m.kernel_h = p->kernel_w;
    m.kernel_w = p->kernel_h;
    m.stride_h = m.stride_w = 1;
    m.pad_h = p->pad_left;
    m.pad_w = p->pad_top;
    m.in_column = m.out_column = p->in_w * p->in_c;
    m.in_row = m.out_row = p->in_c;
  } else {
    const nk_planar d = nk_planar_of(p);
    m.in_h = d.in_h;
    m.in_w = d.in_w;
    m.out_h = d.out_h;
    m.out_w = d.out_w;
    m.kernel_h = d.kernel_h;
    m.kernel_w = d.kernel_w;
    m.stride_h = d.stride_h;
    m.stride_w = d.stride_w;
    m.pad_h = d.pad_h;
    m.pad_w = d.pad_w;
    m.in_column = m.out_column = p->in_c;
    m.in_row = d.in_w * p->in_c;
    m.out_row = d.out_w * p->in_c;
  }
  m.height = nk_mve_height(m.kernel_h);
  m.lines = (m.height - m.kernel_h) / m.stride_h + 1;
  m.vectors = (m.kernel_w * m.height + NK_MVE_BYTES - 1) / NK_MVE_BYTES;
  reads = (m.out_w - 1) * m.stride_w + m.kernel_w - m.pad_w;
  m.loads = reads < m.in_w ? reads : m.in_w;
  /* Windows come in fours; one that is `lines` lower reads some bytes more. */
  m.block = ((m.out_w + 3) / 4 * 4 - 1) * m.stride_w * m.height + m.vectors * NK_MVE_BYTES;
  m.block = nk_mve_whole(m.block + m.height);
  return m;
}

static inline int64_t nk_mve_planar_scratch(const nk_dwconv2d_params* p) {
  return 2 * (int64_t)nk_mve_planar_of(p).block;
}

/* Whether the walk serves these sizes: rows of a block, what a gather reaches, and that a block
 * does not begin above what the one before it has left (in place). */
static inline int nk_mve_planar_serves(const nk_dwconv2d_params* p) {
  const int64_t far = 32768;
  nk_mve_planar m;
  int64_t reach;
  if (p->in_c != p->out_c || p->kernel_h > far || p->kernel_w > far || p->stride_h > far ||
      p->stride_w > far || p->in_h > far || p->in_w > far || p->out_h > far || p->out_w > far ||
      p->in_c > far || (int64_t)p->out_w * p->stride_w > far ||
      (int64_t)p->out_h * p->stride_h > far) {
    return 0;
  }
  m = nk_mve_planar_of(p);
  reach = m.height == 1 ? 7 * (int64_t)m.in_column
                        : (int64_t)(m.height - 1) * m.in_row + (m.height == 4 ? m.in_column : 0);
  return m.kernel_h <= NK_MVE_MOST_HEIGHT && reach <= NK_MVE_MOST_REACH &&
         (m.lines + 1) * m.stride_h >= m.kernel_h;
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_dwconv2d_s8_mve);
NK_EXTERN_C_END

#endif
