/* SPDX-License-Identifier: MIT */
/* Whether parameters of conv2d's scalar row fit the arguments (fit.h). */
#include "ops/common/arm/dsp_fit.h"
#include "ops/conv2d/conv2d_scalar.h"

NK_FIT(nk_conv2d_scalar_fit) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)f->params;
  const int32_t weights[4] = {p->kernel_h, p->kernel_w, p->in_c, p->out_c};
  const uint32_t window = nk_fit_count(weights, 3);
  return nk_fit_spatial(f, (const nk_spatial*)f->params) && p->groups == 1 &&
         nk_is_whole((const nk_spatial*)f->params) &&
         nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) &&
         nk_fit_in(f, 1, 1, nk_fit_count(weights, 4)) && window != NK_FIT_MANY &&
         nk_fit_scratch(f, 1, window) &&
         nk_fit_dsp_table(f, 2, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}
