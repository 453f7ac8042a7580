/* SPDX-License-Identifier: MIT */
/* The walk over the output pixels of a transposed convolution, in the fields of spatial.h: input
 * pixel (iy, ix) and tap (ky, kx) meet in output pixel (iy * stride_h + ky * dilation_h - pad_top,
 * ix * stride_w + kx * dilation_w - pad_left). C99 and C++. */
#ifndef NETKIT_OPS_COMMON_TRANSPOSED_H
#define NETKIT_OPS_COMMON_TRANSPOSED_H

#include "ops/common/spatial.h"

/* What an output cell gathers along one axis: inputs in, in + in_step, … with the taps k,
 * k - k_step, …; count of them, the inputs ascending. */
typedef struct nk_gather {
  int32_t in, k, in_step, k_step, count;
} nk_gather;

/* `at` is the output cell plus the padding before it. */
static inline nk_gather nk_gather_at(int32_t at, int32_t stride, int32_t dilation, int32_t taps,
                                     int32_t size) {
  nk_gather g = {0, 0, 0, 0, 0};
  int32_t k;
  for (k = taps - 1; k >= 0; --k) {
    const int32_t way = at - k * dilation;
    if (way < 0 || way % stride != 0) continue;
    if (way / stride >= size) break;
    if (g.count == 0) {
      g.in = way / stride;
      g.k = k;
    } else if (g.count == 1) {
      g.in_step = way / stride - g.in;
      g.k_step = g.k - k;
    }
    ++g.count;
  }
  return g;
}

typedef struct nk_gather_pixel {
  int32_t image;     /* n */
  nk_gather y, x;    /* nothing is gathered where either count is 0 */
  size_t out_index;  /* of the pixel in the output buffer, in pixels */
} nk_gather_pixel;

/* The i-th pixel of the band in the order of the mode; nk_pixel_count of them. */
static inline nk_gather_pixel nk_gather_pixel_at(const nk_spatial* s, int32_t i) {
  const int32_t rows = s->out_y1 - s->out_y0;
  const int32_t index = nk_walks_backward(s->mode) ? nk_pixel_count(s) - 1 - i : i;
  const int32_t line = index / s->out_w;
  const int32_t x = index - line * s->out_w;
  const int32_t y = s->out_y0 + line % rows;
  nk_gather_pixel pixel;
  pixel.image = line / rows;
  pixel.y = nk_gather_at(y + s->pad_top, s->stride_h, s->dilation_h, s->kernel_h, s->in_h);
  pixel.x = nk_gather_at(x + s->pad_left, s->stride_w, s->dilation_w, s->kernel_w, s->in_w);
  pixel.out_index = ((size_t)pixel.image * (size_t)s->out_ring_h + (size_t)(y % s->out_ring_h)) *
                        (size_t)s->out_w + (size_t)x;
  return pixel;
}

/* Index in the input buffer, in pixels, of the pixel that gathered row i and column j stand for. */
static inline size_t nk_gathered_index(const nk_spatial* s, const nk_gather_pixel* pixel, int32_t i,
                                       int32_t j) {
  const int32_t y = (pixel->y.in + i * pixel->y.in_step) % s->in_ring_h;
  const int32_t x = pixel->x.in + j * pixel->x.in_step;
  return ((size_t)pixel->image * (size_t)s->in_ring_h + (size_t)y) * (size_t)s->in_w + (size_t)x;
}

#endif
