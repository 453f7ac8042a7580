/* SPDX-License-Identifier: MIT */
/* Fixed-point functions of the rounding contract: bit-equal to those that the TensorFlow Lite
 * reference kernels take from gemmlowp (exp, logistic, tanh, reciprocal). A number "Qm" is an int32
 * with m bits before the binary point: value = raw / 2^(31 - m). C99 and C++; no libc. */
#ifndef NETKIT_BASE_FIXED_FUNCTIONS_H
#define NETKIT_BASE_FIXED_FUNCTIONS_H

#include "base/fixed_point.h"

/* raw * 2^exponent, saturating (exponent >= 0). */
static inline int32_t nk_shift_left_saturated(int32_t raw, int exponent) {
  const int64_t wide = (int64_t)raw * ((int64_t)1 << exponent);
  return wide > INT32_MAX ? INT32_MAX : (wide < INT32_MIN ? INT32_MIN : (int32_t)wide);
}

/* exp of a Q0 in [-1/4, 0): a Taylor polynomial about -1/8. */
static inline int32_t nk_exp_small_q0(int32_t a) {
  const int32_t constant = 1895147668; /* exp(-1/8) */
  const int32_t third = 715827883;
  const int32_t x = a + ((int32_t)1 << 28);
  const int32_t x2 = nk_rounding_doubling_high_mul(x, x);
  const int32_t x3 = nk_rounding_doubling_high_mul(x2, x);
  const int32_t x4 = nk_rounding_doubling_high_mul(x2, x2);
  const int32_t cubic =
      nk_rounding_doubling_high_mul(nk_rounding_divide_by_pot(x4, 2) + x3, third) + x2;
  const int32_t rest = x + nk_rounding_divide_by_pot(cubic, 1);
  return constant + nk_rounding_doubling_high_mul(constant, rest);
}

/* exp of a Qm <= 0 with m = integer_bits in [1, 30], as a Q0 (1 saturates to INT32_MAX). */
static inline int32_t nk_exp_on_negative(int32_t a, int integer_bits) {
  /* exp(-2^k) as Q0 for k = -2 .. 4. */
  static const int32_t kPowers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                     39332535,   720401,     242};
  const int fraction_bits = 31 - integer_bits;
  const int32_t quarter = (int32_t)1 << (fraction_bits - 2);
  const int32_t part = (a & (quarter - 1)) - quarter;
  const int32_t remainder = (int32_t)((uint32_t)part - (uint32_t)a);
  int32_t result;
  int k;
  if (a == 0) return INT32_MAX;
  result = nk_exp_small_q0(nk_shift_left_saturated(part, integer_bits));
  for (k = 0; k < 7; ++k) {
    const int exponent = k - 2;
    if (integer_bits > exponent && (remainder & ((int32_t)1 << (fraction_bits + exponent))) != 0) {
      result = nk_rounding_doubling_high_mul(result, kPowers[k]);
    }
  }
  if (integer_bits > 5 && a < -((int32_t)1 << (36 - integer_bits))) return 0;
  return result;
}

/* Newton's iteration for 1 / ((1 + a) / 2) of a Q0 in [0, 1), as a Q2 in [1, 2]. */
static inline int32_t nk_two_over_one_plus_q2(int32_t a) {
  const int32_t one = (int32_t)1 << 29;
  /* round((a + 1) / 2) in Q0, ties away from zero. */
  const int64_t sum = (int64_t)a + INT32_MAX;
  const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
  int32_t x = 1515870810 + nk_rounding_doubling_high_mul(half, -1010580540); /* 48/17 - 32/17 d */
  int i;
  for (i = 0; i < 3; ++i) {
    const int32_t error = one - nk_rounding_doubling_high_mul(half, x);
    x += nk_shift_left_saturated(nk_rounding_doubling_high_mul(x, error), 2);
  }
  return x;
}

/* 1 / (1 + a) of a Q0 in [0, 1), as a Q0. */
static inline int32_t nk_one_over_one_plus(int32_t a) {
  return nk_shift_left_saturated(nk_two_over_one_plus_q2(a), 1);
}

/* (1 - a) / (1 + a) of a Q0 in [0, 1), as a Q0. */
static inline int32_t nk_one_minus_over_one_plus(int32_t a) {
  return nk_shift_left_saturated(nk_two_over_one_plus_q2(a) - ((int32_t)1 << 29), 2);
}

/* 1 / (1 + exp(-a)) of a Qm, as a Q0. */
static inline int32_t nk_logistic(int32_t a, int integer_bits) {
  int32_t positive;
  if (a == 0) return (int32_t)1 << 30;
  positive = nk_one_over_one_plus(nk_exp_on_negative(a > 0 ? -a : a, integer_bits));
  return a > 0 ? positive : INT32_MAX - positive;
}

/* tanh of a Qm, as a Q0. */
static inline int32_t nk_tanh(int32_t a, int integer_bits) {
  int32_t negated;
  if (a == 0) return 0;
  /* The same raw value read as Q(m+1) is 2a. */
  negated = nk_one_minus_over_one_plus(nk_exp_on_negative(a > 0 ? -a : a, integer_bits + 1));
  return a > 0 ? negated : -negated;
}

/* Bits above the highest set bit of x; 32 for 0. */
static inline int nk_leading_zeros(uint32_t x) {
  int n = 0;
  if (x == 0) return 32;
  while ((x & 0x80000000u) == 0) {
    x <<= 1;
    ++n;
  }
  return n;
}

/* 1 / x of an x > 0 with integer_digits bits before the point: the Q0 of a number in (1/2, 1], to
 * be divided by 2^bits_over_unit. */
static inline int32_t nk_reciprocal(int32_t x, int integer_digits, int* bits_over_unit) {
  const int headroom = nk_leading_zeros((uint32_t)x);
  *bits_over_unit = integer_digits - headroom;
  return nk_one_over_one_plus((int32_t)(((uint32_t)x << headroom) - 0x80000000u));
}

#endif
