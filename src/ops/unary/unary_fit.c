/* SPDX-License-Identifier: MIT */
/* Whether parameters of the functions of one tensor fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/unary/unary.h"

static int fits(const nk_fit* f, uint32_t out_elem) {
  const nk_unary_params* p = (const nk_unary_params*)f->params;
  const uint32_t count = nk_fit_count(&p->count, 1);
  return nk_fit_in(f, 0, f->in_elem, count) && nk_fit_out(f, 0, out_elem, count);
}

NK_FIT(nk_unary_fit) { return fits(f, f->out_elem); }
NK_FIT(nk_unary_test_fit) { return fits(f, 1); }
NK_FIT(nk_lut_fit) { return fits(f, f->out_elem) && nk_fit_in(f, 1, 1, 256); }

NK_FIT(nk_piecewise_fit) {
  const nk_unary_params* p = (const nk_unary_params*)f->params;
  return fits(f, f->out_elem) && nk_is_shift(p->shift) && nk_is_shift(p->shift_neg) &&
         nk_is_offset(p->in_zero_point) && nk_is_offset(p->zero_point) &&
         nk_is_offset(p->act_min) && nk_is_offset(p->act_max);
}
