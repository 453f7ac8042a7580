/* SPDX-License-Identifier: MIT */
/* Whether parameters of the functions of two tensors, and of where, fit the arguments (fit.h). */
#include "ops/binary/binary.h"
#include "ops/common/fit.h"

static int is_box(const nk_fit* f, int32_t rank, const int32_t* dims, uint32_t out_elem) {
  return nk_is_within(rank, 1, NK_MAX_RANK) && nk_fit_out(f, 0, out_elem, nk_fit_count(dims, rank));
}

/* Elements of 8 and 16 bits may be quantised: no step of the rescaling leaves int32. */
static int is_scaled(const nk_fit* f, const nk_binary_params* p) {
  const int32_t zero_limit = f->in_elem == 1 ? NK_FIT_OFFSET_LIMIT_X8 : 32768;
  if (f->in_elem > 2) return 1;
  return nk_is_within(p->left_shift, 0, f->in_elem == 1 ? 22 : 15) &&
         nk_is_within(p->a_zero_point, -zero_limit, zero_limit) &&
         nk_is_within(p->b_zero_point, -zero_limit, zero_limit) && nk_is_shift(p->a_shift) &&
         nk_is_shift(p->b_shift) && nk_is_shift(p->shift) && nk_is_offset(p->zero_point) &&
         nk_is_offset(p->act_min) && nk_is_offset(p->act_max);
}

static int fits(const nk_fit* f, uint32_t out_elem) {
  const nk_binary_params* p = (const nk_binary_params*)f->params;
  return is_box(f, p->rank, p->dims, out_elem) && is_scaled(f, p) &&
         nk_fit_in(f, 0, f->in_elem, nk_fit_span(p->dims, p->a_strides, p->rank, 0)) &&
         nk_fit_in(f, 1, f->in_elem, nk_fit_span(p->dims, p->b_strides, p->rank, 0));
}

NK_FIT(nk_binary_fit) { return fits(f, f->out_elem); }
NK_FIT(nk_compare_fit) { return fits(f, 1); }

NK_FIT(nk_where_fit) {
  const nk_where_params* p = (const nk_where_params*)f->params;
  return is_box(f, p->rank, p->dims, f->out_elem) &&
         nk_fit_in(f, 0, 1, nk_fit_span(p->dims, p->c_strides, p->rank, 0)) &&
         nk_fit_in(f, 1, f->in_elem, nk_fit_span(p->dims, p->a_strides, p->rank, 0)) &&
         nk_fit_in(f, 2, f->in_elem, nk_fit_span(p->dims, p->b_strides, p->rank, 0));
}
