/* SPDX-License-Identifier: MIT */
/* Whether parameters of softmax and log_softmax fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/softmax/softmax.h"

/* Differences from diff_min (or the least there is) to 0 become Q5 numbers from INT32_MIN to 0. */
static int is_scale(const nk_softmax_params* p) {
  const int32_t least = p->diff_min < -255 ? -255 : p->diff_min;
  return p->multiplier >= 0 && nk_is_shift(p->shift) && p->diff_min <= 0 &&
         p->diff_min > INT32_MIN && nk_is_shift(p->reverse_shift) &&
         (p->shift <= 0 || (int64_t)least * ((int64_t)1 << p->shift) >= INT32_MIN);
}

NK_FIT(nk_softmax_fit) {
  const nk_softmax_params* p = (const nk_softmax_params*)f->params;
  const int32_t sizes[2] = {p->rows, p->depth};
  const uint32_t count = nk_fit_count(sizes, 2);
  return nk_fit_in(f, 0, f->in_elem, count) && nk_fit_out(f, 0, f->out_elem, count) &&
         (f->in_elem != 1 || is_scale(p));
}
