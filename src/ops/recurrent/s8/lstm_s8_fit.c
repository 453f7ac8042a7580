/* SPDX-License-Identifier: MIT */
/* Whether parameters of lstm_integer fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/recurrent/s8/lstm_s8.h"

static int good_scales(const nk_lstm_integer_params* p) {
  int i;
  for (i = 0; i < 4; ++i) {
    if (!nk_is_shift(p->shift[i]) || !nk_is_shift(p->recurrent_shift[i])) return 0;
  }
  return nk_is_shift(p->hidden_shift) && nk_is_offset_x8(p->input_offset) &&
         nk_is_offset_x8(p->h_offset) && nk_is_offset(p->output_offset) &&
         nk_is_within(p->cell_exponent, -15, -11) && nk_is_within(p->cell_clip, 0, INT16_MAX) &&
         p->x_batch >= 0 && p->x_step >= 0 && p->y_batch >= 0 && p->y_step >= 0;
}

NK_FIT(nk_lstm_integer_fit) {
  const nk_lstm_integer_params* p = (const nk_lstm_integer_params*)f->params;
  const int32_t x[3] = {p->batch, p->steps, p->input}, y[3] = {p->batch, p->steps, p->hidden};
  const int32_t x_strides[3] = {p->x_batch, p->x_step, 1};
  const int32_t y_strides[3] = {p->y_batch, p->y_step, 1};
  const int32_t w[3] = {4, p->hidden, p->input}, r[3] = {4, p->hidden, p->hidden};
  const int32_t state[2] = {p->batch, p->hidden};
  const uint32_t states = nk_fit_count(state, 2);
  if (!good_scales(p) || !nk_fit_in(f, 0, 1, nk_fit_count(x, 3))) return NK_FIT_REFUSED;
  return nk_fit_apart(nk_fit_in(f, 0, 1, nk_fit_span(x, x_strides, 3, 0)) &&
                      nk_fit_in(f, 1, 1, nk_fit_count(w, 3)) &&
                      nk_fit_in(f, 2, 1, nk_fit_count(r, 3)) &&
                      nk_fit_in(f, 3, 4, nk_fit_count(w, 2)) && nk_fit_in(f, 4, 1, states) &&
                      nk_fit_in(f, 5, 2, states) &&
                      nk_fit_out(f, 0, 1, nk_fit_span(y, y_strides, 3, 0)) &&
                      nk_fit_out(f, 1, 1, states) && nk_fit_out(f, 2, 2, states) &&
                      nk_fit_scratch(f, 1, (uint32_t)p->hidden));
}
