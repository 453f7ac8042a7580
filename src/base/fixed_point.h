/* SPDX-License-Identifier: MIT */
/* The one written rounding contract for integers (docs/numerics.md): the arithmetic of the
 * TensorFlow Lite reference kernels. C99 and C++; no libc. */
#ifndef NETKIT_BASE_FIXED_POINT_H
#define NETKIT_BASE_FIXED_POINT_H

#include <stdint.h>

/* Sums, differences and products modulo 2^32, as every target has them. */
static inline int32_t nk_wrap_add(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}
static inline int32_t nk_wrap_sub(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a - (uint32_t)b);
}
static inline int32_t nk_wrap_mul(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a * (uint32_t)b);
}

/* round(a * b / 2^31) with ties upward (toward plus infinity for positive, as gemmlowp:
 * nudge then truncating division); saturates the one case a = b = INT32_MIN. */
static inline int32_t nk_rounding_doubling_high_mul(int32_t a, int32_t b) {
  int64_t product, nudged;
  if (a == b && a == INT32_MIN) return INT32_MAX;
  product = (int64_t)a * (int64_t)b;
  nudged = product + (product >= 0 ? ((int64_t)1 << 30) : (1 - ((int64_t)1 << 30)));
  return (int32_t)(nudged / ((int64_t)1 << 31));
}

/* x / 2^exponent rounded to nearest, ties away from zero; exponent in [0, 31]. */
static inline int32_t nk_rounding_divide_by_pot(int32_t x, int exponent) {
  const int32_t mask = (int32_t)(((int64_t)1 << exponent) - 1);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

/* x * multiplier * 2^(shift - 31), double rounding; multiplier is a 31-bit mantissa (or 0),
 * shift in [-31, 30]. The left shift wraps as unsigned, as on every target. */
static inline int32_t nk_multiply_by_quantized(int32_t x, int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const int32_t shifted = (int32_t)((uint32_t)x << left);
  return nk_rounding_divide_by_pot(nk_rounding_doubling_high_mul(shifted, multiplier), right);
}

static inline int32_t nk_clamp_i32(int32_t x, int32_t lo, int32_t hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

#endif
