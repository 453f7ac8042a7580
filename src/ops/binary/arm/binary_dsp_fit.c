/* SPDX-License-Identifier: MIT */
/* Whether parameters of add's DSP and Helium rows fit the arguments (fit.h). */
#include "ops/binary/arm/binary_dsp.h"
#include "ops/common/fit.h"

NK_FIT(nk_add_dsp_fit) {
  const nk_binary_params* p = (const nk_binary_params*)f->params;
  return nk_add_dsp_is_flat(p) && nk_add_dsp_has_shifts(p) &&
         nk_is_within(p->left_shift, 0, 20) && nk_is_within(p->a_zero_point, INT8_MIN, INT8_MAX) &&
         nk_is_within(p->b_zero_point, INT8_MIN, INT8_MAX) &&
         nk_is_within(p->zero_point, INT8_MIN, INT8_MAX) && nk_is_offset(p->act_min) &&
         nk_is_offset(p->act_max) && nk_fit_out(f, 0, 1, nk_fit_count(p->dims, 1)) &&
         nk_fit_in(f, 0, 1, nk_fit_count(p->dims, 1)) &&
         nk_fit_in(f, 1, 1, nk_fit_count(p->dims, 1));
}

NK_FIT(nk_add_mve_fit) {
  const nk_binary_params* p = (const nk_binary_params*)f->params;
  return nk_add_dsp_fit(f) && nk_is_within(p->act_min, INT8_MIN, INT8_MAX) &&
         nk_is_within(p->act_max, INT8_MIN, INT8_MAX);
}
