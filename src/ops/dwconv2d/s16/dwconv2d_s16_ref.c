/* SPDX-License-Identifier: MIT */
/* The reference of dwconv2d for int16 activations and int8 weights (dwconv2d_s16.h). */
#include "ops/common/wide.h"
#include "ops/dwconv2d/s16/dwconv2d_s16.h"

static uint64_t window(const void* params, const nk_pixel* pixel, const int16_t* x,
                       const int8_t* weights, int32_t oc) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
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
  (void)scratch;
  nk_run_windows_s16(params, (const nk_weighted*)(const void*)&p->input_offset, in, out, window);
}
