/* SPDX-License-Identifier: MIT */
/* The references of softmax and log_softmax: they define what is right (softmax.h). */
#include <float.h>
#include <math.h>

#include "ops/common/fixed_exp.h"
#include "ops/softmax/softmax.h"

/* Element i of int8 (least INT8_MIN) or uint8 (least 0) data. */
static int32_t value_x8(const uint8_t* x, int32_t i, int32_t least) {
  return least == 0 ? x[i] : ((const int8_t*)x)[i];
}

static int32_t greatest_x8(const uint8_t* x, int32_t count, int32_t least) {
  int32_t best = least, i;
  for (i = 0; i < count; ++i) {
    const int32_t value = value_x8(x, i, least);
    if (value > best) best = value;
  }
  return best;
}

static float greatest_f32(const float* x, int32_t count) {
  float best = -FLT_MAX;
  int32_t i;
  for (i = 0; i < count; ++i) {
    if (x[i] > best) best = x[i];
  }
  return best;
}

static int32_t to_q5(const nk_softmax_params* p, int32_t diff) {
  return nk_multiply_by_quantized(diff, p->multiplier, (int)p->shift);
}

/* Sum of exp(x - max) over a row, Q12; saturated. */
static int32_t sum_of_exps(const nk_softmax_params* p, const uint8_t* x, int32_t max,
                           int32_t least) {
  int32_t sum = 0, i;
  for (i = 0; i < p->depth; ++i) {
    const int32_t diff = value_x8(x, i, least) - max;
    if (diff < p->diff_min) continue;
    sum = nk_saturating_add(sum, nk_rounding_divide_by_pot(nk_exp_negative(to_q5(p, diff), 5), 12));
  }
  return sum;
}

/* Element i of int16 (16 bits), int8 or uint8 (least 0) results. */
static void store(void* y, int32_t i, int32_t value, int bits) {
  if (bits == 16) {
    ((int16_t*)y)[i] = (int16_t)value;
  } else {
    ((uint8_t*)y)[i] = (uint8_t)value;
  }
}

/* least: of the input; the output is of `bits` bits and has its own least value. */
static void softmax_x8(const nk_softmax_params* p, const uint8_t* x, void* y, int32_t least,
                       int bits) {
  const int32_t floor = bits == 16 ? INT16_MIN : least;
  const int32_t top = floor + (int32_t)((1u << bits) - 1);
  int32_t row, i;
  for (row = 0; row < p->rows; ++row) {
    const int32_t max = greatest_x8(x, p->depth, least);
    int bits_over_unit = 0;
    const int32_t scale = nk_reciprocal(sum_of_exps(p, x, max, least), 12, &bits_over_unit);
    for (i = 0; i < p->depth; ++i) {
      const int32_t diff = value_x8(x, i, least) - max;
      int32_t value = floor;
      if (diff >= p->diff_min) {
        const int32_t product =
            nk_rounding_doubling_high_mul(scale, nk_exp_negative(to_q5(p, diff), 5));
        /* A sum of 2^9 (int16: 2^17) and more leaves less than half a step. */
        const int exponent = bits_over_unit + 31 - bits;
        if (exponent <= 31) value += nk_rounding_divide_by_pot(product, exponent);
      }
      store(y, row * p->depth + i, nk_clamp_i32(value, floor, top), bits);
    }
    x += p->depth;
  }
}

static void log_softmax_x8(const nk_softmax_params* p, const uint8_t* x, uint8_t* y,
                           int32_t least) {
  int32_t row, i;
  for (row = 0; row < p->rows; ++row) {
    const int32_t max = greatest_x8(x, p->depth, least);
    const int32_t log_sum = nk_log_q12_to_q5(sum_of_exps(p, x, max, least));
    /* Differences that would leave Q5 when the logarithm is subtracted give the least value. */
    const int32_t reach = nk_multiply_by_quantized(
        nk_wrap_add(INT32_MIN, log_sum), p->reverse_multiplier, (int)p->reverse_shift);
    const int32_t lowest = p->diff_min - 1 > reach ? p->diff_min - 1 : reach;
    for (i = 0; i < p->depth; ++i) {
      const int32_t diff = value_x8(x, i, least) - max;
      int32_t value = least;
      if (diff > lowest) {
        const int32_t log_share = nk_wrap_sub(to_q5(p, diff), log_sum);
        value = nk_rounding_divide_by_pot(log_share, 31 - 5 - 4) + least + 255;
      }
      y[i] = (uint8_t)nk_clamp_i32(value, least, least + 255);
    }
    x += p->depth;
    y += p->depth;
  }
}

void nk_softmax_s8_ref(NK_KERNEL_ARGS) {
  (void)scratch;
  softmax_x8((const nk_softmax_params*)params, (const uint8_t*)in[0], out[0], INT8_MIN, 8);
}
void nk_softmax_s8_s16_ref(NK_KERNEL_ARGS) {
  (void)scratch;
  softmax_x8((const nk_softmax_params*)params, (const uint8_t*)in[0], out[0], INT8_MIN, 16);
}
void nk_softmax_u8_ref(NK_KERNEL_ARGS) {
  (void)scratch;
  softmax_x8((const nk_softmax_params*)params, (const uint8_t*)in[0], out[0], 0, 8);
}
void nk_log_softmax_s8_ref(NK_KERNEL_ARGS) {
  (void)scratch;
  log_softmax_x8((const nk_softmax_params*)params, (const uint8_t*)in[0], (uint8_t*)out[0],
                 INT8_MIN);
}
void nk_log_softmax_u8_ref(NK_KERNEL_ARGS) {
  (void)scratch;
  log_softmax_x8((const nk_softmax_params*)params, (const uint8_t*)in[0], (uint8_t*)out[0], 0);
}

void nk_softmax_f32_ref(const void* params, const void* const* in, void* const* out,
                        void* scratch) {
  const nk_softmax_params* p = (const nk_softmax_params*)params;
  const float* x = (const float*)in[0];
  float* y = (float*)out[0];
  int32_t row, i;
  (void)scratch;
  for (row = 0; row < p->rows; ++row) {
    const float max = greatest_f32(x, p->depth);
    float sum = 0.0f;
    for (i = 0; i < p->depth; ++i) {
      const float e = expf((x[i] - max) * p->beta);
      sum += e;
      y[i] = e;
    }
    for (i = 0; i < p->depth; ++i) y[i] = y[i] / sum;
    x += p->depth;
    y += p->depth;
  }
}

void nk_log_softmax_f32_ref(const void* params, const void* const* in, void* const* out,
                            void* scratch) {
  const nk_softmax_params* p = (const nk_softmax_params*)params;
  const float* x = (const float*)in[0];
  float* y = (float*)out[0];
  int32_t row, i;
  (void)scratch;
  for (row = 0; row < p->rows; ++row) {
    const float max = greatest_f32(x, p->depth);
    float sum = 0.0f, log_sum;
    for (i = 0; i < p->depth; ++i) sum += expf(x[i] - max);
    log_sum = logf(sum);
    for (i = 0; i < p->depth; ++i) y[i] = x[i] - max - log_sum;
    x += p->depth;
    y += p->depth;
  }
}
