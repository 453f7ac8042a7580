/* SPDX-License-Identifier: MIT */
/* What the float recurrences share: activations, products of a gate, the walk over the steps. */
#ifndef NETKIT_OPS_RECURRENT_RECURRENT_CELL_H
#define NETKIT_OPS_RECURRENT_RECURRENT_CELL_H

#include <math.h>
#include <string.h>

#include "ops/common/requantize.h"
#include "ops/recurrent/recurrent.h"

static inline float nk_recurrent_sigmoid(float x) {
  const float e = expf(x < 0.0f ? x : -x);
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/* Function `i` of the recurrence. */
static inline float nk_recurrent_apply(const nk_recurrent_params* p, int i, float x) {
  const float alpha = p->alpha[i], beta = p->beta[i];
  switch (p->activation[i]) {
    case NK_RECURRENT_sigmoid:
      return nk_recurrent_sigmoid(x);
    case NK_RECURRENT_tanh:
      return tanhf(x);
    case NK_RECURRENT_relu:
      return x < 0.0f ? 0.0f : x;
    case NK_RECURRENT_leaky_relu:
      return x < 0.0f ? alpha * x : x;
    case NK_RECURRENT_thresholdedrelu:
      return x > alpha ? x : 0.0f;
    case NK_RECURRENT_affine:
      return alpha * x + beta;
    case NK_RECURRENT_scaledtanh:
      return alpha * tanhf(beta * x);
    case NK_RECURRENT_hardsigmoid:
      return nk_clamp_f32(alpha * x + beta, 0.0f, 1.0f);
    case NK_RECURRENT_elu:
      return x < 0.0f ? alpha * expm1f(x) : x;
    case NK_RECURRENT_softsign:
      return x / (1.0f + fabsf(x));
    case NK_RECURRENT_softplus:
      return (x > 0.0f ? x : 0.0f) + log1pf(expf(x > 0.0f ? -x : x));
    case NK_RECURRENT_relu6:
      return nk_clamp_f32(x, 0.0f, 6.0f);
    default:
      return x;
  }
}

/* x in [-limit, limit]; limit 0: x. */
static inline float nk_recurrent_clip(float x, float limit) {
  return limit > 0.0f ? nk_clamp_f32(x, -limit, limit) : x;
}

/* in[0] to in[4] of every recurrence. */
typedef struct nk_recurrent_cell {
  const nk_recurrent_params* p;
  const float *w, *r, *bias;
} nk_recurrent_cell;

static inline nk_recurrent_cell nk_recurrent_cell_of(const void* params, const void* const* in) {
  nk_recurrent_cell cell;
  cell.p = (const nk_recurrent_params*)params;
  cell.w = (const float*)in[1];
  cell.r = (const float*)in[2];
  cell.bias = (const float*)in[3];
  return cell;
}

/* Row `row` of w times x and of r times h. */
static inline float nk_recurrent_product(const nk_recurrent_cell* cell, int32_t row, const float* x,
                                         const float* h) {
  const nk_recurrent_params* p = cell->p;
  const float acc = nk_dot_f32(0.0f, x, cell->w + (size_t)row * (size_t)p->input, p->input);
  return nk_dot_f32(acc, h, cell->r + (size_t)row * (size_t)p->output, p->output);
}

static inline void nk_recurrent_start(float* to, const float* from, int32_t count) {
  if (from != NULL) {
    memcpy(to, from, (size_t)count * sizeof(float));
  } else {
    memset(to, 0, (size_t)count * sizeof(float));
  }
}

/* Offset of a step in a sequence with these distances. */
static inline size_t nk_recurrent_at(const nk_recurrent_params* p, int32_t batch, int32_t step,
                                     int32_t per_batch, int32_t per_step) {
  const int32_t at = p->reverse != 0 ? p->steps - 1 - step : step;
  return (size_t)batch * (size_t)per_batch + (size_t)at * (size_t)per_step;
}

/* Heads the body of a recurrence: for each batch and step, `x` is the row, `h` the state. */
#define NK_RECURRENT_WALK(STEP)                                                               \
  const nk_recurrent_cell cell = nk_recurrent_cell_of(params, in);                            \
  const nk_recurrent_params* p = cell.p;                                                      \
  float* states = (float*)out[p->sequence];                                                   \
  int32_t b, t;                                                                               \
  nk_recurrent_start(states, (const float*)in[4], p->batch * p->output);                      \
  for (b = 0; b < p->batch; ++b) {                                                            \
    float* h = states + (size_t)b * (size_t)p->output;                                        \
    for (t = 0; t < p->steps; ++t) {                                                          \
      const float* x = (const float*)in[0] + nk_recurrent_at(p, b, t, p->x_batch, p->x_step); \
      STEP;                                                                                   \
      if (p->sequence != 0) {                                                                 \
        memcpy((float*)out[0] + nk_recurrent_at(p, b, t, p->y_batch, p->y_step), h,           \
               (size_t)p->output * sizeof(float));                                            \
      }                                                                                       \
    }                                                                                         \
  }

#endif
