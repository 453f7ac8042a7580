/* SPDX-License-Identifier: MIT */
/* The reference of dwconv2d for int16 activations and int8 weights (dwconv2d_s16.h). */
#include "ops/common/wide.h"
#include "ops/dwconv2d/s16/dwconv2d_s16.h"

static uint64_t window(const nk_dwconv2d_params* p, const nk_pixel* pixel, const int16_t* x,
                       const int8_t* weights, int32_t oc) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const size_t ic = (size_t)(oc / p->depth_multiplier);
  uint64_t acc = 0;
  int32_t ky, kx;
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx) {
      const size_t tap = (size_t)ky * (size_t)p->kernel_w + (size_t)kx;
      acc = nk_dot_s16_s8(acc, x + nk_tap_index(s, pixel, ky, kx) * (size_t)p->in_c + ic,
                          weights + tap * (size_t)p->out_c + (size_t)oc, 1);
    }
  }
  return acc;
}

void nk_dwconv2d_s16_ref(NK_KERNEL_ARGS) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    int16_t* y = (int16_t*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
      y[oc] = nk_finish_s16(window(p, &pixel, (const int16_t*)in[0], (const int8_t*)in[1], oc), in,
                            (const nk_weighted*)(const void*)&p->input_offset, oc);
    }
  }
}
