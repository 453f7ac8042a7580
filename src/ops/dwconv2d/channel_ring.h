/* SPDX-License-Identifier: MIT */
/* What the kernels with NK_MODE_CHANNEL_RING share. C99 and C++. */
#ifndef NETKIT_OPS_DWCONV2D_CHANNEL_RING_H
#define NETKIT_OPS_DWCONV2D_CHANNEL_RING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ops/dwconv2d/dwconv2d.h"

/* In NHWC a channel's elements stand out_c apart, so a pass over one channel touches nothing of the
 * others as long as input and output agree on where each channel stands. Where the output lies over
 * the input at another distance, the dead input is moved down to the next place that agrees; the
 * bytes below it are the output's. Returns where the input stands. */
static inline const void* nk_agree_on_channels(const void* in, const void* out, size_t in_bytes,
                                               size_t out_bytes, size_t pixel_bytes) {
  const uintptr_t x = (uintptr_t)in, y = (uintptr_t)out;
  size_t down;
  if (y > x || x >= y + out_bytes) return in; /* apart, or in place */
  down = (size_t)(x - y) % pixel_bytes;
  if (down == 0) return in;
  memmove((uint8_t*)(uintptr_t)(x - down), in, in_bytes);
  return (const uint8_t*)in - down;
}

/* Rows of one channel that scratch holds: those of one window. */
static inline int32_t nk_ring_rows(const nk_dwconv2d_params* p) {
  const int32_t extent = (p->kernel_h - 1) * p->dilation_h + 1;
  return extent < p->in_h ? extent : p->in_h;
}

/* Copies one channel of the rows that output row y needs and the ring lacks; *next is the first row
 * not yet seen. `image` points to the channel in the image's first pixel. */
static inline void nk_load_channel_rows(const nk_dwconv2d_params* p, const uint8_t* image,
                                        uint8_t* ring, int32_t y, int32_t* next,
                                        size_t elem_bytes) {
  const int32_t top = y * p->stride_h - p->pad_top;
  const int32_t end = top + (p->kernel_h - 1) * p->dilation_h + 1;
  const int32_t rows = nk_ring_rows(p);
  int32_t iy, x;
  if (*next < top) *next = top;
  for (iy = *next; iy < end && iy < p->in_h; ++iy) {
    const size_t at = (size_t)(iy % p->in_ring_h) * (size_t)p->in_w;
    uint8_t* to = ring + (size_t)(iy % rows) * (size_t)p->in_w * elem_bytes;
    for (x = 0; x < p->in_w; ++x) {
      memcpy(to + (size_t)x * elem_bytes, image + (at + (size_t)x) * (size_t)p->in_c * elem_bytes,
             elem_bytes);
    }
  }
  if (*next < iy) *next = iy;
}

#endif
