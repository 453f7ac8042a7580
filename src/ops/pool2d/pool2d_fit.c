/* SPDX-License-Identifier: MIT */
/* Whether parameters of max_pool2d and avg_pool2d fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/pool2d/pool2d.h"

/* Windows are small enough that an int32 holds the sum of 8-bit elements. */
#define MOST_TAPS (1u << 23)

/* Does every window along an axis hold an element? Nothing has no greatest value and no mean. */
static int none_is_empty(int32_t windows, int32_t stride, int32_t pad, int32_t dilation,
                         int32_t taps, int32_t size) {
  int32_t o, begin = 0, end = 1;
  for (o = 0; o < windows && begin < end; ++o) {
    nk_tap_range(o * stride - pad, dilation, taps, size, &begin, &end);
  }
  return begin < end;
}

NK_FIT(nk_pool2d_fit) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)f->params;
  return nk_fit_spatial(f, (const nk_spatial*)f->params) && p->in_c == p->out_c &&
         none_is_empty(p->out_h, p->stride_h, p->pad_top, p->dilation_h, p->kernel_h, p->in_h) &&
         none_is_empty(p->out_w, p->stride_w, p->pad_left, p->dilation_w, p->kernel_w, p->in_w) &&
         nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) &&
         nk_is_within(p->pad_bottom, -NK_FIT_FAR, NK_FIT_FAR) &&
         nk_is_within(p->pad_right, -NK_FIT_FAR, NK_FIT_FAR) &&
         nk_is_within(p->pad_value, INT8_MIN, UINT8_MAX) &&
         nk_fit_times((uint32_t)p->kernel_h, (uint32_t)p->kernel_w) <=
             (f->in_elem == 1 ? MOST_TAPS : NK_FILE_MAX_PLACE);
}
