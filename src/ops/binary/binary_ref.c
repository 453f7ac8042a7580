/* SPDX-License-Identifier: MIT */
/* Functions of two tensors of floats and quantised ones. Quantised ones: the integer arithmetic of
 * the TensorFlow Lite reference kernels (both sides brought to twice the larger scale under a left
 * shift, combined, rescaled). */
#include <math.h>

#include "ops/binary/binary_loop.h"
#include "ops/common/requantize.h"

static inline float activated(float x, const nk_binary_params* p) {
  return nk_clamp_f32(x, p->act_min_f32, p->act_max_f32);
}

void nk_add_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, activated(a + b, p)) }
void nk_sub_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, activated(a - b, p)) }
void nk_mul_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, activated(a * b, p)) }
void nk_div_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, activated(a / b, p)) }

/* NaN on either side goes through. */
static inline float min_f32(float a, float b) { return a != a ? a : (a < b ? a : b); }
static inline float max_f32(float a, float b) { return a != a ? a : (a > b ? a : b); }

/* Remainder with the sign of the divisor (numpy mod). */
static inline float floor_mod_f32(float a, float b) {
  const float r = fmodf(a, b);
  return (r != 0.0f && (r < 0.0f) != (b < 0.0f)) ? r + b : r;
}

void nk_minimum_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, min_f32(a, b)) }
void nk_maximum_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, max_f32(a, b)) }
void nk_squared_difference_f32_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(float, float, (a - b) * (a - b))
}
void nk_prelu_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, a < 0.0f ? a * b : a) }
void nk_pow_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, powf(a, b)) }
void nk_floor_div_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, floorf(a / b)) }
void nk_floor_mod_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, floor_mod_f32(a, b)) }
void nk_fmod_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, fmodf(a, b)) }
void nk_atan2_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, float, atan2f(a, b)) }

static inline double min_f64(double a, double b) { return a != a ? a : (a < b ? a : b); }
static inline double max_f64(double a, double b) { return a != a ? a : (a > b ? a : b); }

void nk_add_f64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(double, double, a + b) }
void nk_sub_f64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(double, double, a - b) }
void nk_mul_f64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(double, double, a * b) }
void nk_div_f64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(double, double, a / b) }
void nk_minimum_f64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(double, double, min_f64(a, b)) }
void nk_maximum_f64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(double, double, max_f64(a, b)) }
void nk_fmod_f64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(double, double, fmod(a, b)) }

static inline int32_t scaled_a(int32_t a, const nk_binary_params* p) {
  const int32_t x = (a - p->a_zero_point) * ((int32_t)1 << p->left_shift);
  return nk_multiply_by_quantized(x, p->a_multiplier, p->a_shift);
}

static inline int32_t scaled_b(int32_t b, const nk_binary_params* p) {
  const int32_t x = (b - p->b_zero_point) * ((int32_t)1 << p->left_shift);
  return nk_multiply_by_quantized(x, p->b_multiplier, p->b_shift);
}

static inline int32_t rescaled(int32_t x, const nk_binary_params* p) {
  return nk_requantize(x, p->multiplier, p->shift, p->zero_point, p->act_min, p->act_max);
}

static inline int32_t sum(int32_t a, int32_t b, const nk_binary_params* p) {
  return rescaled(nk_wrap_add(scaled_a(a, p), scaled_b(b, p)), p);
}

static inline int32_t difference(int32_t a, int32_t b, const nk_binary_params* p) {
  return rescaled(nk_wrap_sub(scaled_a(a, p), scaled_b(b, p)), p);
}

static inline int32_t product(int32_t a, int32_t b, const nk_binary_params* p) {
  return rescaled(nk_wrap_mul(a - p->a_zero_point, b - p->b_zero_point), p);
}

static inline int32_t squared_difference(int32_t a, int32_t b, const nk_binary_params* p) {
  const int32_t raw = nk_wrap_sub(scaled_a(a, p), scaled_b(b, p));
  return rescaled(nk_wrap_mul(raw, raw), p);
}

/* x >= 0 by (multiplier, shift); x < 0 times slope by (a_multiplier, a_shift). */
static inline int32_t sloped(int32_t a, int32_t b, const nk_binary_params* p) {
  const int32_t x = a - p->a_zero_point;
  if (x >= 0) return rescaled(x, p);
  return nk_requantize(x * (b - p->b_zero_point), p->a_multiplier, p->a_shift, p->zero_point,
                       p->act_min, p->act_max);
}

void nk_add_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, int8_t, sum(a, b, p)) }
void nk_sub_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, int8_t, difference(a, b, p)) }
void nk_mul_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, int8_t, product(a, b, p)) }
void nk_minimum_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, int8_t, a < b ? a : b) }
void nk_maximum_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, int8_t, a > b ? a : b) }
void nk_squared_difference_s8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int8_t, int8_t, squared_difference(a, b, p))
}
void nk_prelu_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, int8_t, sloped(a, b, p)) }

void nk_add_u8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, sum(a, b, p)) }
void nk_sub_u8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, difference(a, b, p)) }
void nk_mul_u8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, product(a, b, p)) }
void nk_minimum_u8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, a < b ? a : b) }
void nk_maximum_u8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, a > b ? a : b) }
void nk_squared_difference_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, squared_difference(a, b, p))
}
void nk_prelu_u8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, sloped(a, b, p)) }

void nk_add_s16_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int16_t, int16_t, sum(a, b, p)) }
void nk_sub_s16_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int16_t, int16_t, difference(a, b, p)) }
void nk_mul_s16_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int16_t, int16_t, product(a, b, p)) }
void nk_minimum_s16_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int16_t, int16_t, a < b ? a : b) }
void nk_maximum_s16_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int16_t, int16_t, a > b ? a : b) }
void nk_squared_difference_s16_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int16_t, int16_t, squared_difference(a, b, p))
}
