/* SPDX-License-Identifier: MIT */
/* The reference of conv2d for int16 activations and int8 weights (conv2d_s16.h). */
#include "ops/common/wide.h"
#include "ops/conv2d/s16/conv2d_s16.h"

static uint64_t window(const void* params, const nk_pixel* pixel, const int16_t* x,
                       const int8_t* weights, int32_t oc) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const int32_t group_in = p->in_c / p->groups;
  const size_t first = (size_t)(oc / (p->out_c / p->groups)) * (size_t)group_in;
  uint64_t acc = 0;
  int32_t ky, kx;
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    const size_t row = ((size_t)oc * (size_t)p->kernel_h + (size_t)ky) * (size_t)p->kernel_w;
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx) {
      const size_t at = nk_tap_index(s, pixel, ky, kx) * (size_t)p->in_c + first;
      acc = nk_dot_s16_s8(acc, x + at, weights + (row + (size_t)kx) * (size_t)group_in, group_in);
    }
  }
  return acc;
}

void nk_conv2d_s16_ref(NK_KERNEL_ARGS) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)params;
  (void)scratch;
  nk_run_windows_s16(params, (const nk_weighted*)(const void*)&p->input_offset, in, out, window);
}
