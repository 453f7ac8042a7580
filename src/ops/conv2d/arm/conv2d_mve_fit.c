/* SPDX-License-Identifier: MIT */
/* Whether parameters of conv2d's Helium row fit the arguments (fit.h). */
#include "ops/common/arm/dsp_fit.h"
#include "ops/conv2d/arm/conv2d_mve.h"

NK_FIT(nk_conv2d_mve_fit) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)f->params;
  const nk_spatial* s = (const nk_spatial*)f->params;
  const int32_t taps[3] = {p->kernel_h, p->kernel_w, p->in_c};
  int32_t weights[2];
  if (!nk_fit_spatial(f, s) || !nk_is_whole(s) || p->groups != 1 ||
      !nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) ||
      nk_fit_count(taps, 3) > NK_CONV2D_MVE_MOST_SCRATCH ||
      nk_conv2d_mve_scratch(p) > NK_CONV2D_MVE_MOST_SCRATCH) {
    return NK_FIT_REFUSED;
  }
  weights[0] = p->out_c / 2 + p->out_c % 2;
  weights[1] = (int32_t)nk_conv2d_mve_scratch(p) / NK_MVE_COLUMNS * 2;
  return nk_fit_in(f, 1, 1, nk_fit_count(weights, 2)) &&
         (nk_conv2d_mve_as_they_stand(p) ||
          nk_fit_scratch(f, 1, (uint32_t)nk_conv2d_mve_scratch(p))) &&
         nk_fit_mve_table(f, 2, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}
