/* SPDX-License-Identifier: MIT */
/* The references of gru and rnn (recurrent.h). */
#include "ops/recurrent/recurrent_cell.h"

/* A row's bias; `of_r` 1: that of r. */
static float bias_of(const nk_recurrent_cell* cell, int32_t row, int of_r) {
  return cell->bias != NULL ? cell->bias[(of_r != 0 ? 3 * cell->p->hidden : 0) + row] : 0.0f;
}

static float gate(const nk_recurrent_cell* cell, const float* x, const float* h, int32_t row) {
  const float sum = nk_recurrent_product(cell, row, x, h);
  return nk_recurrent_apply(
      cell->p, 0,
      nk_recurrent_clip(sum + bias_of(cell, row, 0) + bias_of(cell, row, 1),
                        cell->p->gate_clip));
}

/* The hidden gate where the reset applies to the product with r. */
static float reset_product(const nk_recurrent_cell* cell, const float* x, const float* h,
                           int32_t row, float reset) {
  const nk_recurrent_params* p = cell->p;
  const float of_x = nk_dot_f32(0.0f, x, cell->w + (size_t)row * (size_t)p->input, p->input);
  const float of_h = nk_dot_f32(0.0f, h, cell->r + (size_t)row * (size_t)p->hidden, p->hidden);
  return of_x + reset * (of_h + bias_of(cell, row, 1)) + bias_of(cell, row, 0);
}

/* scratch: update, reset (then reset * h), hidden. */
static void gru_step(const nk_recurrent_cell* cell, float* scratch, const float* x, float* h) {
  const nk_recurrent_params* p = cell->p;
  const int32_t n = p->hidden;
  float *update = scratch, *reset = scratch + n, *fresh = scratch + 2 * n;
  int32_t j;
  for (j = 0; j < n; ++j) {
    update[j] = gate(cell, x, h, j);
    reset[j] = gate(cell, x, h, n + j);
  }
  if (p->linear_before_reset == 0) {
    for (j = 0; j < n; ++j) reset[j] *= h[j];
  }
  for (j = 0; j < n; ++j) {
    const int32_t row = 2 * n + j;
    const float sum = p->linear_before_reset != 0
                          ? reset_product(cell, x, h, row, reset[j])
                          : nk_recurrent_product(cell, row, x, reset) + bias_of(cell, row, 0) +
                                bias_of(cell, row, 1);
    fresh[j] = nk_recurrent_apply(p, 1, nk_recurrent_clip(sum, p->gate_clip));
  }
  for (j = 0; j < n; ++j) h[j] = (1.0f - update[j]) * fresh[j] + update[j] * h[j];
}

static void rnn_step(const nk_recurrent_cell* cell, float* scratch, const float* x, float* h) {
  const nk_recurrent_params* p = cell->p;
  int32_t j;
  for (j = 0; j < p->hidden; ++j) {
    const float sum = nk_recurrent_product(cell, j, x, h) +
                      (cell->bias != NULL ? cell->bias[j] : 0.0f);
    scratch[j] = nk_recurrent_apply(p, 0, nk_recurrent_clip(sum, p->gate_clip));
  }
  memcpy(h, scratch, (size_t)p->hidden * sizeof(float));
}

void nk_gru_f32_ref(NK_KERNEL_ARGS) {
  NK_RECURRENT_WALK(gru_step(&cell, (float*)scratch, x, h))
}
void nk_rnn_f32_ref(NK_KERNEL_ARGS) {
  NK_RECURRENT_WALK(rnn_step(&cell, (float*)scratch, x, h))
}
