/* SPDX-License-Identifier: MIT */
/* Whether parameters of dwconv2d fit int16 arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/dwconv2d/s16/dwconv2d_s16.h"

NK_FIT(nk_dwconv2d_s16_fit) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)f->params;
  const int32_t weights[3] = {p->kernel_h, p->kernel_w, p->out_c};
  return nk_fit_spatial(f, (const nk_spatial*)f->params) && p->depth_multiplier >= 1 &&
         nk_fit_times((uint32_t)p->in_c, (uint32_t)p->depth_multiplier) == (uint32_t)p->out_c &&
         nk_fit_in(f, 1, 1, nk_fit_count(weights, 3)) &&
         nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) &&
         nk_fit_wide(f, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}
