/* SPDX-License-Identifier: MIT */
/* The walk of conv2d's packed rows over output pixels in their order in memory, and the copy of a
 * pixel's window. Groups 1. C99 and C++. */
#ifndef NETKIT_OPS_CONV2D_WINDOW_WALK_H
#define NETKIT_OPS_CONV2D_WINDOW_WALK_H

#include "ops/common/arm/mve.h"
#include "ops/conv2d/conv2d.h"

/* Windows are the pixels of the input, one after the other. */
static inline int nk_conv2d_is_pointwise(const nk_conv2d_params* p) {
  return p->kernel_h == 1 && p->kernel_w == 1 && p->stride_h == 1 && p->stride_w == 1 &&
         p->pad_top == 0 && p->pad_left == 0 && p->out_h == p->in_h && p->out_w == p->in_w;
}

typedef struct nk_window_walk {
  const int8_t* image; /* of the pixel */
  int32_t oy, ox;
} nk_window_walk;

static inline nk_window_walk nk_window_walk_at(const nk_conv2d_params* p, const int8_t* x,
                                               int32_t pixel) {
  const int32_t line = pixel / p->out_w;
  nk_window_walk at;
  at.ox = pixel - line * p->out_w;
  at.oy = line % p->out_h;
  at.image = x + (line / p->out_h) * p->in_h * p->in_w * p->in_c;
  return at;
}

static inline void nk_window_walk_on(const nk_conv2d_params* p, nk_window_walk* at) {
  if (++at->ox < p->out_w) return;
  at->ox = 0;
  if (++at->oy < p->out_h) return;
  at->oy = 0;
  at->image += p->in_h * p->in_w * p->in_c;
}

/* The window of a pixel, side by side; taps outside the input are its zero point. */
static inline void nk_copy_window(const nk_conv2d_params* p, const nk_pixel* pixel,
                                  const int8_t* image, int8_t* to) {
  const int32_t row = p->kernel_w * p->in_c;
  int32_t ky, kx;
  if (pixel->kx1 - pixel->kx0 != p->kernel_w || pixel->ky1 - pixel->ky0 != p->kernel_h) {
    nk_mve_fill(to, -p->input_offset, p->kernel_h * row);
  }
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    const int8_t* line = image + (pixel->in_y + ky * p->dilation_h) * p->in_w * p->in_c;
    if (p->dilation_w == 1) {
      nk_mve_copy(to + ky * row + pixel->kx0 * p->in_c,
                  line + (pixel->in_x + pixel->kx0) * p->in_c,
                  (pixel->kx1 - pixel->kx0) * p->in_c);
      continue;
    }
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx) {
      nk_mve_copy(to + ky * row + kx * p->in_c, line + (pixel->in_x + kx * p->dilation_w) * p->in_c,
                  p->in_c);
    }
  }
}

#endif
