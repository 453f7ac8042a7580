/* SPDX-License-Identifier: MIT */
/* Whether parameters of the normalisations fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/norm/norm.h"

static int same_size(const nk_fit* f, const int32_t* sizes, int32_t rank) {
  const uint32_t count = nk_fit_count(sizes, rank);
  return nk_fit_in(f, 0, sizeof(float), count) && nk_fit_out(f, 0, sizeof(float), count);
}

NK_FIT(nk_norm_fit) {
  const nk_norm_params* p = (const nk_norm_params*)f->params;
  const int32_t sizes[4] = {p->batch, p->spatial, p->groups, p->channels};
  const uint32_t channels = nk_fit_count(sizes + 2, 2);
  return same_size(f, sizes, 4) && nk_fit_optional(f, 1, sizeof(float), channels) &&
         nk_fit_optional(f, 2, sizeof(float), channels);
}

NK_FIT(nk_batch_norm_fit) {
  const nk_norm_params* p = (const nk_norm_params*)f->params;
  const int32_t sizes[2] = {p->batch, p->channels};
  return same_size(f, sizes, 2) && nk_fit_in(f, 1, sizeof(float), (uint32_t)p->channels) &&
         nk_fit_in(f, 2, sizeof(float), (uint32_t)p->channels);
}

NK_FIT(nk_l2_norm_fit) {
  const nk_norm_params* p = (const nk_norm_params*)f->params;
  const int32_t sizes[2] = {p->batch, p->channels};
  return same_size(f, sizes, 2);
}

NK_FIT(nk_lrn_fit) {
  const nk_lrn_params* p = (const nk_lrn_params*)f->params;
  const int32_t sizes[2] = {p->rows, p->channels};
  return same_size(f, sizes, 2) && nk_is_within(p->before, 0, NK_FIT_FAR) &&
         nk_is_within(p->after, 0, NK_FIT_FAR);
}
