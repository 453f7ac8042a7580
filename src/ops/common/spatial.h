/* SPDX-License-Identifier: MIT */
/* Geometry shared by the sliding-window operators (conv2d, dwconv2d, pool2d): parameter fields and
 * the walk over output pixels. Activations are NHWC. C99 and C++. */
#ifndef NETKIT_OPS_COMMON_SPATIAL_H
#define NETKIT_OPS_COMMON_SPATIAL_H

#include <stddef.h>
#include <stdint.h>

#include "ops/common/kernel.h"

/* First fields of every spatial parameter struct, so that it can be read as an nk_spatial.
 *   pad_top, pad_left      rows and columns of padding before the input; what is needed behind it
 *                          follows from the output size
 *   out_y0, out_y1         the band of output rows to compute, 0 <= out_y0 <= out_y1 <= out_h
 *   in_ring_h, out_ring_h  rows held by the input and the output buffer of one image: row y stands
 *                          at y mod ring; in_h and out_h for whole tensors
 *   mode                   an nk_spatial_mode
 * Every tensor has less than 2^31 elements; kernel extents fit into int32. */
#define NK_SPATIAL_FIELDS(S, A)                                                          \
  S(int32_t, batch)                                                                      \
  S(int32_t, in_h) S(int32_t, in_w) S(int32_t, in_c)                                     \
  S(int32_t, out_h) S(int32_t, out_w) S(int32_t, out_c)                                  \
  S(int32_t, kernel_h) S(int32_t, kernel_w)                                              \
  S(int32_t, stride_h) S(int32_t, stride_w)                                              \
  S(int32_t, dilation_h) S(int32_t, dilation_w)                                          \
  S(int32_t, pad_top) S(int32_t, pad_left)                                               \
  S(int32_t, out_y0) S(int32_t, out_y1)                                                  \
  S(int32_t, in_ring_h) S(int32_t, out_ring_h)                                           \
  S(int32_t, mode)

typedef struct nk_spatial { NK_SPATIAL_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_spatial;

/* How a kernel walks; the distances of each are computed in overlap.h. */
typedef enum nk_spatial_mode {
  NK_MODE_PLAIN = 0,          /* output and input are apart */
  NK_MODE_FORWARD = 1,        /* pixels and channels from first to last */
  NK_MODE_BACKWARD = 2,       /* pixels and channels from last to first */
  NK_MODE_FORWARD_PIXEL = 3,  /* forward; each input pixel is copied to scratch (1x1 only) */
  NK_MODE_BACKWARD_PIXEL = 4, /* backward; each input pixel is copied to scratch (1x1 only) */
  NK_MODE_CHANNEL_RING = 5    /* channel by channel; the input rows of one window and one channel
                                 are held in scratch (dwconv2d, one output per input channel) */
} nk_spatial_mode;

static inline int nk_walks_backward(int32_t mode) {
  return mode == NK_MODE_BACKWARD || mode == NK_MODE_BACKWARD_PIXEL;
}
static inline int nk_copies_pixel(int32_t mode) {
  return mode == NK_MODE_FORWARD_PIXEL || mode == NK_MODE_BACKWARD_PIXEL;
}

/* Whole tensors: one band of all rows, no rings. */
static inline int nk_is_whole(const nk_spatial* s) {
  return s->out_y0 == 0 && s->out_y1 == s->out_h && s->in_ring_h == s->in_h &&
         s->out_ring_h == s->out_h;
}

/* One output pixel: its place and the taps of its window that lie inside the input. */
typedef struct nk_pixel {
  int32_t image;             /* n */
  int32_t in_y, in_x;        /* input position of tap (0, 0); may be negative */
  int32_t ky0, ky1, kx0, kx1; /* taps [ky0, ky1) x [kx0, kx1); equal where none */
  size_t out_index;          /* of the pixel in the output buffer, in pixels */
} nk_pixel;

/* Taps k of [0, taps) with 0 <= origin + k * dilation < size, as [*begin, *end). */
static inline void nk_tap_range(int32_t origin, int32_t dilation, int32_t taps, int32_t size,
                                int32_t* begin, int32_t* end) {
  int32_t first = 0, last = taps;
  if (origin < 0) first = (-origin + dilation - 1) / dilation;
  if (origin + (taps - 1) * dilation >= size) {
    last = size > origin ? (size - origin + dilation - 1) / dilation : 0;
  }
  *begin = first < last ? first : last;
  *end = last;
}

/* Output pixels of the band, over all images. */
static inline int32_t nk_pixel_count(const nk_spatial* s) {
  return s->batch * (s->out_y1 - s->out_y0) * s->out_w;
}

/* The i-th pixel in the order of the mode. */
static inline nk_pixel nk_pixel_at(const nk_spatial* s, int32_t i) {
  const int32_t rows = s->out_y1 - s->out_y0;
  const int32_t index = nk_walks_backward(s->mode) ? nk_pixel_count(s) - 1 - i : i;
  const int32_t line = index / s->out_w;
  const int32_t x = index - line * s->out_w;
  const int32_t y = s->out_y0 + line % rows;
  const int32_t ring_y = y < s->out_ring_h ? y : y % s->out_ring_h;
  nk_pixel pixel;
  pixel.image = line / rows;
  pixel.in_y = y * s->stride_h - s->pad_top;
  pixel.in_x = x * s->stride_w - s->pad_left;
  nk_tap_range(pixel.in_y, s->dilation_h, s->kernel_h, s->in_h, &pixel.ky0, &pixel.ky1);
  nk_tap_range(pixel.in_x, s->dilation_w, s->kernel_w, s->in_w, &pixel.kx0, &pixel.kx1);
  pixel.out_index = ((size_t)pixel.image * (size_t)s->out_ring_h + (size_t)ring_y) *
                        (size_t)s->out_w + (size_t)x;
  return pixel;
}

/* Index of input pixel (tap ky, tap kx) in the input buffer, in pixels; the tap is inside. */
static inline size_t nk_tap_index(const nk_spatial* s, const nk_pixel* pixel, int32_t ky,
                                  int32_t kx) {
  const int32_t y = pixel->in_y + ky * s->dilation_h;
  const int32_t x = pixel->in_x + kx * s->dilation_w;
  const int32_t ring_y = y < s->in_ring_h ? y : y % s->in_ring_h;
  return ((size_t)pixel->image * (size_t)s->in_ring_h + (size_t)ring_y) * (size_t)s->in_w +
         (size_t)x;
}

#endif
