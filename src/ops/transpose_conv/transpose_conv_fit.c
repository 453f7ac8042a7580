/* SPDX-License-Identifier: MIT */
/* Whether parameters of transpose_conv fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/transpose_conv/transpose_conv.h"

static int fits(const nk_fit* f, uint32_t w_elem) {
  const nk_transpose_conv_params* p = (const nk_transpose_conv_params*)f->params;
  return nk_fit_grouped(f, (const nk_spatial*)f->params, p->groups, w_elem) &&
         nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD);
}

static const nk_weighted* weighted_of(const nk_fit* f) {
  const nk_transpose_conv_params* p = (const nk_transpose_conv_params*)f->params;
  return (const nk_weighted*)(const void*)&p->input_offset;
}

static int32_t channels(const nk_fit* f) {
  return ((const nk_transpose_conv_params*)f->params)->out_c;
}

NK_FIT(nk_transpose_conv_fit) {
  return fits(f, f->in_elem) && nk_fit_weighted(f, weighted_of(f), channels(f));
}

NK_FIT(nk_transpose_conv_s16_fit) {
  return fits(f, 1) && nk_fit_wide(f, weighted_of(f), channels(f));
}
