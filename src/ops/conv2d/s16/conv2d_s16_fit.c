/* SPDX-License-Identifier: MIT */
/* Whether parameters of conv2d fit int16 arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/conv2d/s16/conv2d_s16.h"

NK_FIT(nk_conv2d_s16_fit) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)f->params;
  return nk_fit_grouped(f, (const nk_spatial*)f->params, p->groups, 1) &&
         nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) &&
         nk_fit_wide(f, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}
