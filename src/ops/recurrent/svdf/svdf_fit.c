/* SPDX-License-Identifier: MIT */
/* Whether parameters of svdf fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/recurrent/svdf/svdf.h"

static int fits(const nk_fit* f, uint32_t elem, uint32_t state_elem) {
  const nk_svdf_params* p = (const nk_svdf_params*)f->params;
  const int32_t x[2] = {p->batch, p->input}, feature[3] = {p->units, p->rank, p->input};
  const int32_t time[3] = {p->units, p->rank, p->memory}, y[2] = {p->batch, p->units};
  const int32_t state[4] = {p->batch, p->units, p->rank, p->memory};
  const uint32_t bias = p->units < 1 ? NK_FIT_MANY : (uint32_t)p->units;
  return nk_fit_in(f, 0, elem, nk_fit_count(x, 2)) &&
         nk_fit_in(f, 1, elem, nk_fit_count(feature, 3)) &&
         nk_fit_in(f, 2, state_elem, nk_fit_count(time, 3)) && nk_fit_optional(f, 3, 4, bias) &&
         nk_fit_in(f, 4, state_elem, nk_fit_count(state, 4)) &&
         nk_fit_out(f, 0, elem, nk_fit_count(y, 2)) &&
         nk_fit_out(f, 1, state_elem, nk_fit_count(state, 4)) && nk_is_shift(p->shift[0]) &&
         nk_is_shift(p->shift[1]) && nk_is_offset_x8(p->input_offset) &&
         nk_is_offset_x8(p->state_offset) && nk_is_offset(p->output_offset);
}

NK_FIT(nk_svdf_f32_fit) { return nk_fit_apart(fits(f, 4, 4)); }
NK_FIT(nk_svdf_s8_s16_fit) { return nk_fit_apart(fits(f, 1, 2)); }
NK_FIT(nk_svdf_s8_fit) { return nk_fit_apart(fits(f, 1, 1)); }
