/* SPDX-License-Identifier: MIT */
/* Whether parameters of transpose_conv fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/transpose_conv/transpose_conv.h"

/* The sizes, the weights of w_elem bytes each, and the mode. The outputs' places are divided by the
 * strides, so that no product of them with the inputs' arises. */
static int fits(const nk_fit* f, uint32_t w_elem) {
  const nk_transpose_conv_params* p = (const nk_transpose_conv_params*)f->params;
  int32_t weights[4];
  if (!nk_fit_spatial(f, (const nk_spatial*)f->params) || p->groups < 1 ||
      p->in_c % p->groups != 0 || p->out_c % p->groups != 0) {
    return 0;
  }
  weights[0] = p->out_c;
  weights[1] = p->kernel_h;
  weights[2] = p->kernel_w;
  weights[3] = p->in_c / p->groups;
  return nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) &&
         nk_fit_in(f, 1, w_elem, nk_fit_count(weights, 4));
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
