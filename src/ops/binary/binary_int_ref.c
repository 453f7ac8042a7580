/* SPDX-License-Identifier: MIT */
/* Functions of two tensors of plain integers and bools, and the quotient of 8-bit quantised ones.
 * Integers wrap as two's complement; a division by zero gives 0 and INT_MIN / -1 gives INT_MIN, so
 * that no input traps. */
#include "base/fixed_functions.h"
#include "ops/binary/binary_loop.h"
#include "ops/common/requantize.h"

/* Towards zero. */
static inline int64_t quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}

static inline int64_t remainder_of(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

/* Whether the remainder is not 0 and has another sign than the divisor. */
static inline int rounds_down(int64_t a, int64_t b) {
  const int64_t r = remainder_of(a, b);
  return r != 0 && (r < 0) != (b < 0);
}

static inline int64_t floor_quotient(int64_t a, int64_t b) {
  return quotient(a, b) - rounds_down(a, b);
}

static inline int64_t floor_remainder(int64_t a, int64_t b) {
  return remainder_of(a, b) + (rounds_down(a, b) ? b : 0);
}

/* Negative exponents: the real power, truncated. */
static inline int64_t power(int64_t a, int64_t b) {
  uint64_t base = (uint64_t)a, result = 1;
  if (b < 0) return a == 1 ? 1 : (a == -1 ? ((b & 1) != 0 ? -1 : 1) : 0);
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) result *= base;
    base *= base;
  }
  return (int64_t)result;
}

void nk_add_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, (uint32_t)a + (uint32_t)b) }
void nk_sub_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, (uint32_t)a - (uint32_t)b) }
void nk_mul_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, (uint32_t)a * (uint32_t)b) }
void nk_div_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, quotient(a, b)) }
void nk_pow_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, power(a, b)) }
void nk_minimum_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, a < b ? a : b) }
void nk_maximum_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, a > b ? a : b) }
void nk_squared_difference_s32_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int32_t, int32_t, ((uint32_t)a - (uint32_t)b) * ((uint32_t)a - (uint32_t)b))
}
void nk_floor_div_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, floor_quotient(a, b)) }
void nk_floor_mod_s32_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int32_t, int32_t, floor_remainder(a, b))
}
void nk_fmod_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, remainder_of(a, b)) }
void nk_bitwise_and_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, a & b) }
void nk_bitwise_or_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, a | b) }
void nk_bitwise_xor_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, int32_t, a ^ b) }

void nk_add_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, (uint64_t)a + (uint64_t)b) }
void nk_sub_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, (uint64_t)a - (uint64_t)b) }
void nk_mul_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, (uint64_t)a * (uint64_t)b) }
void nk_div_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, quotient(a, b)) }
void nk_pow_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, power(a, b)) }
void nk_minimum_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, a < b ? a : b) }
void nk_maximum_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, a > b ? a : b) }
void nk_squared_difference_s64_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int64_t, int64_t, ((uint64_t)a - (uint64_t)b) * ((uint64_t)a - (uint64_t)b))
}
void nk_floor_div_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, floor_quotient(a, b)) }
void nk_floor_mod_s64_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int64_t, int64_t, floor_remainder(a, b))
}
void nk_fmod_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, remainder_of(a, b)) }
void nk_bitwise_and_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, a & b) }
void nk_bitwise_or_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, a | b) }
void nk_bitwise_xor_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, int64_t, a ^ b) }

void nk_minimum_u64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint64_t, uint64_t, a < b ? a : b) }
void nk_maximum_u64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint64_t, uint64_t, a > b ? a : b) }
void nk_floor_mod_u64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint64_t, uint64_t, b == 0 ? 0 : a % b) }

void nk_shift_left_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, b < 8 ? (uint32_t)a << b : 0)
}
void nk_shift_left_u16_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint16_t, uint16_t, b < 16 ? (uint32_t)a << b : 0)
}
void nk_shift_left_u32_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint32_t, uint32_t, b < 32 ? a << b : 0)
}
void nk_shift_left_u64_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint64_t, uint64_t, b < 64 ? a << b : 0)
}
void nk_shift_right_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, b < 8 ? a >> b : 0)
}
void nk_shift_right_u16_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint16_t, uint16_t, b < 16 ? a >> b : 0)
}
void nk_shift_right_u32_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint32_t, uint32_t, b < 32 ? a >> b : 0)
}
void nk_shift_right_u64_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint64_t, uint64_t, b < 64 ? a >> b : 0)
}

void nk_logical_and_b8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, a != 0 && b != 0) }
void nk_logical_or_b8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, a != 0 || b != 0) }
void nk_logical_xor_b8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, (a != 0) != (b != 0))
}

/* (a / b) by a reciprocal in fixed point, as the TensorFlow Lite reference kernel; b equal to its
 * zero point counts as one step. */
static inline int32_t quantised_quotient(int32_t a, int32_t b, const nk_binary_params* p) {
  int32_t x = a - p->a_zero_point;
  int32_t y = b - p->b_zero_point;
  int32_t inverse, result;
  int bits, headroom, shift;
  if (y < 0) {
    x = -x;
    y = -y;
  }
  if (y == 0) y = 1;
  inverse = nk_reciprocal(y, 31, &bits);
  headroom = nk_leading_zeros((uint32_t)(x < 0 ? ~x : x)) - 1;
  result = nk_rounding_doubling_high_mul((int32_t)((uint32_t)x << headroom), inverse);
  result = nk_rounding_doubling_high_mul(result, p->multiplier);
  shift = headroom + bits - p->shift;
  if (shift < 0) {
    result = nk_shift_left_saturated(result, shift < -31 ? 31 : -shift);
  } else {
    result = shift > 31 ? 0 : nk_rounding_divide_by_pot(result, shift);
  }
  return nk_clamp_i32(result, p->act_min - p->zero_point, p->act_max - p->zero_point) +
         p->zero_point;
}

void nk_div_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, int8_t, quantised_quotient(a, b, p)) }
void nk_div_u8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, quantised_quotient(a, b, p)) }
