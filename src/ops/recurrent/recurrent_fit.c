/* SPDX-License-Identifier: MIT */
/* Whether parameters of the recurrences fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/recurrent/recurrent.h"

#define NK_FIT_F32 ((uint32_t)sizeof(float))

static int holds_sequence(const nk_fit* f, const nk_recurrent_params* p) {
  const int32_t dims[3] = {p->batch, p->steps, p->input};
  const int32_t y_dims[3] = {p->batch, p->steps, p->output};
  const int32_t strides[3] = {p->x_batch, p->x_step, 1}, y_strides[3] = {p->y_batch, p->y_step, 1};
  if (p->steps < 1 || p->batch < 1 || p->input < 1 || p->output < 1 || p->hidden < 1) return 0;
  if (p->x_batch < 0 || p->x_step < 0 || p->y_batch < 0 || p->y_step < 0) return 0;
  if (!nk_fit_in(f, 0, NK_FIT_F32, nk_fit_span(dims, strides, 3, 0)) ||
      !nk_fit_in(f, 0, NK_FIT_F32, nk_fit_count(dims, 3))) {
    return 0;
  }
  if (p->sequence == 0) return 1;
  return p->sequence == 1 && nk_fit_out(f, 0, NK_FIT_F32, nk_fit_span(y_dims, y_strides, 3, 0));
}

static int holds_weights(const nk_fit* f, const nk_recurrent_params* p, int32_t gates,
                         int32_t biases) {
  const int32_t w[3] = {gates, p->hidden, p->input}, r[3] = {gates, p->hidden, p->output};
  const int32_t bias[2] = {biases, p->hidden}, state[2] = {p->batch, p->output};
  const uint32_t h = nk_fit_count(state, 2);
  int i;
  for (i = 0; i < 3; ++i) {
    if (!nk_is_within(p->activation[i], 0, NK_RECURRENT_ACTIVATION_COUNT - 1)) return 0;
  }
  return nk_fit_in(f, 1, NK_FIT_F32, nk_fit_count(w, 3)) &&
         nk_fit_in(f, 2, NK_FIT_F32, nk_fit_count(r, 3)) &&
         nk_fit_optional(f, 3, NK_FIT_F32, nk_fit_count(bias, 2)) &&
         nk_fit_optional(f, 4, NK_FIT_F32, h) &&
         nk_fit_out(f, (uint32_t)p->sequence, NK_FIT_F32, h);
}

static int holds_scratch(const nk_fit* f, const nk_recurrent_params* p, int32_t rows) {
  const int32_t sizes[2] = {rows, p->hidden};
  return nk_fit_scratch(f, NK_FIT_F32, nk_fit_count(sizes, 2));
}

NK_FIT(nk_lstm_fit) {
  const nk_recurrent_params* p = (const nk_recurrent_params*)f->params;
  const int32_t cells[2] = {p->batch, p->hidden}, peephole[2] = {3, p->hidden};
  const int32_t projection[2] = {p->output, p->hidden};
  const int projected = f->in_count > 7 && f->in[7].place != NK_ARG_ABSENT;
  if (!holds_sequence(f, p) || !holds_weights(f, p, 4, 4) || !holds_scratch(f, p, 2)) return 0;
  if (!projected && p->output != p->hidden) return 0;
  return nk_fit_apart(nk_fit_optional(f, 5, NK_FIT_F32, nk_fit_count(cells, 2)) &&
                      nk_fit_optional(f, 6, NK_FIT_F32, nk_fit_count(peephole, 2)) &&
                      nk_fit_optional(f, 7, NK_FIT_F32, nk_fit_count(projection, 2)) &&
                      nk_fit_optional(f, 8, NK_FIT_F32, (uint32_t)p->output) &&
                      nk_is_within(p->coupled, 0, 2) &&
                      nk_fit_out(f, (uint32_t)p->sequence + 1, NK_FIT_F32,
                                 nk_fit_count(cells, 2)));
}

NK_FIT(nk_gru_fit) {
  const nk_recurrent_params* p = (const nk_recurrent_params*)f->params;
  return nk_fit_apart(p->output == p->hidden && holds_sequence(f, p) &&
                      holds_weights(f, p, 3, 6) && holds_scratch(f, p, 3));
}

NK_FIT(nk_rnn_fit) {
  const nk_recurrent_params* p = (const nk_recurrent_params*)f->params;
  return nk_fit_apart(p->output == p->hidden && holds_sequence(f, p) &&
                      holds_weights(f, p, 1, 1) && holds_scratch(f, p, 1));
}
