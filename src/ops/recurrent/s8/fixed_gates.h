/* SPDX-License-Identifier: MIT */
/* Logistic function and hyperbolic tangent in 16-bit fixed point: the algorithms and roundings of
 * gemmlowp's fixedpoint.h on int16_t, which TensorFlow Lite's integer LSTM uses, bit for bit.
 * Qn: n integer bits and 15 - n fractional bits. C99 and C++; no libc. */
#ifndef NETKIT_OPS_RECURRENT_S8_FIXED_GATES_H
#define NETKIT_OPS_RECURRENT_S8_FIXED_GATES_H

#include <stdint.h>

#include "base/fixed_point.h"

/* a * b in Q0, ties upward in magnitude as gemmlowp rounds; -1 * -1 saturates. */
static inline int32_t nk_mul_q15(int32_t a, int32_t b) {
  const int32_t product = a * b;
  if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
  return (int16_t)((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/* x * 2^shift, saturated to 16 bits. */
static inline int32_t nk_saturate_shift_q15(int32_t x, int shift) {
  const int32_t limit = (1 << (15 - shift)) - 1;
  if (x > limit) return INT16_MAX;
  if (x < -limit) return INT16_MIN;
  return (int16_t)(x * (1 << shift));
}

/* exp(a) in Q0 for a in [-1/4, 0) of Q0: Taylor series of degree 4 about -1/8. */
static inline int32_t nk_exp_quarter_q15(int32_t a) {
  const int32_t exp_minus_eighth = 28918, third = 10923;
  const int32_t x = (int16_t)(a + (1 << 12));
  const int32_t x2 = nk_mul_q15(x, x), x3 = nk_mul_q15(x2, x), x4 = nk_mul_q15(x2, x2);
  const int32_t x4_over_4 = nk_rounding_divide_by_pot(x4, 2);
  const int32_t tail =
      nk_rounding_divide_by_pot((int16_t)(nk_mul_q15((int16_t)(x4_over_4 + x3), third) + x2), 1);
  const int32_t sum = exp_minus_eighth + nk_mul_q15(exp_minus_eighth, (int16_t)(x + tail));
  return sum > INT16_MAX ? INT16_MAX : sum;
}

/* exp(a) in Q0 for a <= 0 of Q(integer_bits), integer_bits in [1, 5]. */
static inline int32_t nk_exp_negative_q15(int32_t a, int integer_bits) {
  /* exp(-2^k) in Q0 for k = -2 .. 4 */
  static const int16_t powers[7] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const int fraction_bits = 15 - integer_bits;
  const int32_t quarter = 1 << (fraction_bits - 2);
  const int32_t part = (a & (quarter - 1)) - quarter;
  const int32_t rest = part - a;
  int32_t result = nk_exp_quarter_q15(nk_saturate_shift_q15(part, integer_bits));
  int k;
  if (a == 0) return INT16_MAX;
  for (k = -2; k < integer_bits; ++k) {
    if (((uint32_t)rest >> (fraction_bits + k) & 1u) != 0) {
      result = nk_mul_q15(result, powers[k + 2]);
    }
  }
  return result;
}

/* 1 / (1 + a) in Q1 with a in [0, 1] of Q0, scaled by 2: three Newton steps in Q2. */
static inline int32_t nk_reciprocal_q13(int32_t a) {
  const int32_t sum = a + INT16_MAX;
  const int32_t half = (sum + 1) / 2;           /* ties away from zero */
  int32_t x = 23130 + nk_mul_q15(half, -15420); /* 48/17, -32/17 */
  int i;
  for (i = 0; i < 3; ++i) {
    const int32_t error = (int16_t)((1 << 13) - nk_mul_q15(half, x));
    x = (int16_t)(x + nk_saturate_shift_q15(nk_mul_q15(x, error), 2));
  }
  return x;
}

/* 1 / (1 + exp(-x)) in Q0 for x of Q3. */
static inline int16_t nk_logistic_q12(int16_t x) {
  const int32_t magnitude = (int16_t)(x > 0 ? x : -x);
  int32_t y;
  if (x == 0) return 1 << 14;
  y = nk_saturate_shift_q15(nk_reciprocal_q13(nk_exp_negative_q15((int16_t)-magnitude, 3)), 1);
  return (int16_t)(x > 0 ? y : INT16_MAX - y);
}

/* tanh(x) in Q0 for x of Q(integer_bits), integer_bits in [0, 4]. */
static inline int16_t nk_tanh_q15(int16_t x, int integer_bits) {
  const int32_t negative = (int16_t)(x < 0 ? x : -x);
  int32_t y;
  if (x == 0) return 0;
  y = nk_reciprocal_q13(nk_exp_negative_q15(negative, integer_bits + 1));
  y = nk_saturate_shift_q15((int16_t)(y - (1 << 13)), 2);
  return (int16_t)(x < 0 ? -y : y);
}

#endif
