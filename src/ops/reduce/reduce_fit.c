/* SPDX-License-Identifier: MIT */
/* Whether parameters of reductions, arg reductions and running sums fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/common/nd_walk.h"
#include "ops/reduce/reduce.h"

/* Every element of x is read once: the two boxes hold no more cells than x. */
static int reads_inside(const nk_fit* f, const nk_reduce_params* p, uint32_t kept) {
  int32_t dims[6], strides[6], i;
  const int32_t rank = p->kept_rank + p->reduced_rank;
  for (i = 0; i < rank; ++i) {
    const int is_kept = i < p->kept_rank;
    const int32_t at = is_kept ? i : i - p->kept_rank;
    dims[i] = is_kept ? p->kept_dims[at] : p->reduced_dims[at];
    strides[i] = is_kept ? p->kept_strides[at] : p->reduced_strides[at];
  }
  return nk_fit_in(f, 0, f->in_elem,
                   nk_fit_times(kept, nk_fit_count(p->reduced_dims, p->reduced_rank))) &&
         nk_fit_in(f, 0, f->in_elem, nk_fit_span(dims, strides, rank, 0));
}

NK_FIT(nk_reduce_fit) {
  const nk_reduce_params* p = (const nk_reduce_params*)f->params;
  uint32_t kept;
  if (!nk_is_within(p->kept_rank, 0, 3) || !nk_is_within(p->reduced_rank, 0, 3)) {
    return NK_FIT_REFUSED;
  }
  kept = nk_fit_count(p->kept_dims, p->kept_rank);
  return nk_fit_out(f, 0, f->out_elem, kept) && nk_is_shift(p->shift) &&
         nk_is_offset(p->zero_point) && f->in_count >= 1 &&
         (nk_nd_empty(p->reduced_dims, p->reduced_rank) || reads_inside(f, p, kept));
}

NK_FIT(nk_arg_fit) {
  const nk_axis_params* p = (const nk_axis_params*)f->params;
  const int32_t sizes[3] = {p->outer, p->inner, p->n};
  return nk_fit_in(f, 0, f->in_elem, nk_fit_count(sizes, 3)) &&
         nk_fit_out(f, 0, f->out_elem, nk_fit_count(sizes, 2));
}

NK_FIT(nk_cumsum_fit) {
  const nk_axis_params* p = (const nk_axis_params*)f->params;
  const int32_t sizes[3] = {p->outer, p->inner, p->n};
  const uint32_t count = nk_fit_count(sizes, 3);
  return nk_fit_in(f, 0, f->in_elem, count) && nk_fit_out(f, 0, f->out_elem, count);
}
