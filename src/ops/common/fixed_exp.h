/* SPDX-License-Identifier: MIT */
/* exp, 1/(1+x) and log in 32-bit fixed point: the algorithms and roundings of gemmlowp's
 * fixedpoint.h and TensorFlow Lite's common.h, so that results are equal to theirs bit for bit.
 * Qn: n integer bits and 31 - n fractional bits. C99 and C++; no libc. */
#ifndef NETKIT_OPS_COMMON_FIXED_EXP_H
#define NETKIT_OPS_COMMON_FIXED_EXP_H

#include <stdint.h>

#include "base/fixed_point.h"

/* x * 2^exponent, saturated; exponent in [0, 30]. */
static inline int32_t nk_saturating_shift_left(int32_t x, int exponent) {
  const int32_t limit = (int32_t)(((int64_t)1 << (31 - exponent)) - 1);
  if (exponent == 0) return x;
  if (x > limit) return INT32_MAX;
  if (x < -limit) return INT32_MIN;
  return (int32_t)((uint32_t)x << exponent);
}

static inline int32_t nk_saturating_add(int32_t a, int32_t b) {
  const int64_t sum = (int64_t)a + b;
  return sum > INT32_MAX ? INT32_MAX : (sum < INT32_MIN ? INT32_MIN : (int32_t)sum);
}

/* (a + b) / 2, ties away from zero. */
static inline int32_t nk_rounding_half_sum(int32_t a, int32_t b) {
  const int64_t sum = (int64_t)a + b;
  return (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
}

static inline int nk_leading_zeros(uint32_t x) {
  int count = 0;
  while (count < 32 && (x & 0x80000000u) == 0) {
    x <<= 1;
    ++count;
  }
  return count;
}

/* exp(a) in Q0 for a in [-1/4, 0) of Q0: Taylor series of degree 4 about -1/8. */
static inline int32_t nk_exp_quarter(int32_t a) {
  const int32_t exp_minus_eighth = 1895147668, third = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = nk_rounding_doubling_high_mul(x, x);
  const int32_t x3 = nk_rounding_doubling_high_mul(x2, x);
  const int32_t x4 = nk_rounding_doubling_high_mul(x2, x2);
  const int32_t x4_over_4 = nk_rounding_divide_by_pot(x4, 2);
  const int32_t tail = nk_rounding_divide_by_pot(
      nk_rounding_doubling_high_mul(x4_over_4 + x3, third) + x2, 1);
  return exp_minus_eighth + nk_rounding_doubling_high_mul(exp_minus_eighth, x + tail);
}

/* exp(a) in Q0 for a <= 0 of Q(integer_bits), integer_bits in [1, 5]. */
static inline int32_t nk_exp_negative(int32_t a, int integer_bits) {
  /* exp(-2^k) in Q0 for k = -2 .. 4 */
  static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};
  const int fraction_bits = 31 - integer_bits;
  const int32_t quarter = (int32_t)(1u << (fraction_bits - 2));
  const int32_t part = (a & (quarter - 1)) - quarter;
  const int32_t rest = part - a;
  int32_t result = nk_exp_quarter(nk_saturating_shift_left(part, integer_bits));
  int k;
  if (a == 0) return INT32_MAX;
  for (k = -2; k < integer_bits; ++k) {
    if (((uint32_t)rest >> (fraction_bits + k) & 1u) != 0) {
      result = nk_rounding_doubling_high_mul(result, powers[k + 2]);
    }
  }
  return result;
}

/* 1 / (1 + a) in Q0 for a in [0, 1) of Q0: three Newton steps. */
static inline int32_t nk_one_over_one_plus(int32_t a) {
  const int32_t half = nk_rounding_half_sum(a, INT32_MAX);
  int32_t x = 1515870810 + nk_rounding_doubling_high_mul(half, -1010580540); /* 48/17, -32/17 */
  int i;
  for (i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - nk_rounding_doubling_high_mul(half, x);
    x += nk_saturating_shift_left(nk_rounding_doubling_high_mul(x, error), 2);
  }
  return nk_saturating_shift_left(x, 1);
}

/* 1 / x for x > 0 of Q(integer_bits): the result is *return* * 2^-(*bits_over_unit). */
static inline int32_t nk_reciprocal(int32_t x, int integer_bits, int* bits_over_unit) {
  const int headroom = nk_leading_zeros((uint32_t)x);
  *bits_over_unit = integer_bits - headroom;
  return nk_one_over_one_plus((int32_t)(((uint32_t)x << headroom) - 0x80000000u));
}

/* log(x) in Q5 for x >= 1 of Q12. */
static inline int32_t nk_log_q12_to_q5(int32_t x) {
  const int32_t log_2 = 1488522236, sqrt_half = 1518500250, fourth_root_half = 1805811301;
  const int32_t alpha_n = 117049297, alpha_d = 127690142, alpha_i = 1057819769;
  const int32_t alpha_f = 638450708;
  const int32_t quarter = 1 << 23; /* in Q6, the format of the sums */
  const int head_a = nk_leading_zeros((uint32_t)x);
  const int32_t scaled = nk_rounding_doubling_high_mul(x, sqrt_half);
  const int head_b = nk_leading_zeros((uint32_t)scaled) - 1;
  const int32_t mantissa_a = nk_saturating_shift_left(
      nk_rounding_doubling_high_mul(nk_saturating_shift_left(x, head_a - 1), sqrt_half), 1);
  const int32_t mantissa_b = nk_saturating_shift_left(x, head_b);
  const int32_t power_a = nk_saturating_add(nk_saturating_shift_left(12 - head_a, 25), quarter);
  const int32_t power_b = nk_saturating_add(nk_saturating_shift_left(12 - head_b, 25), -quarter);
  const int32_t r = mantissa_a < mantissa_b ? mantissa_a : mantissa_b;
  const int32_t power = power_a > power_b ? power_a : power_b;
  const int32_t p = nk_rounding_half_sum(r, fourth_root_half);
  const int32_t q = (r - fourth_root_half) * 2;
  const int32_t q2 = nk_rounding_doubling_high_mul(q, q);
  const int32_t numerator =
      nk_rounding_doubling_high_mul(q, r) +
      nk_rounding_doubling_high_mul(nk_rounding_doubling_high_mul(q, q2), alpha_n);
  const int32_t denominator =
      nk_rounding_doubling_high_mul(
          p, alpha_i + q + nk_rounding_doubling_high_mul(alpha_d, q2)) +
      nk_rounding_doubling_high_mul(alpha_f, q);
  const int32_t sum =
      nk_rounding_doubling_high_mul(power, log_2) +
      nk_rounding_doubling_high_mul(nk_rounding_divide_by_pot(numerator, 6),
                                    nk_one_over_one_plus(denominator));
  return nk_saturating_shift_left(sum, 1);
}

#endif
