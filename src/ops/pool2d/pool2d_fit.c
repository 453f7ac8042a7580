/* SPDX-License-Identifier: MIT */
/* Whether parameters of max_pool2d and avg_pool2d fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/pool2d/pool2d.h"

/* Windows are small enough that an int32 holds the sum of 8-bit elements. */
#define MOST_TAPS (1u << 23)

NK_FIT(nk_pool2d_fit) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)f->params;
  return nk_fit_spatial(f, (const nk_spatial*)f->params) && p->in_c == p->out_c &&
         nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) &&
         nk_is_within(p->pad_bottom, -NK_FIT_FAR, NK_FIT_FAR) &&
         nk_is_within(p->pad_right, -NK_FIT_FAR, NK_FIT_FAR) &&
         nk_is_within(p->pad_value, INT8_MIN, UINT8_MAX) &&
         nk_fit_times((uint32_t)p->kernel_h, (uint32_t)p->kernel_w) <=
             (f->in_elem == 1 ? MOST_TAPS : NK_FILE_MAX_PLACE);
}
