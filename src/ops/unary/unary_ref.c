/* SPDX-License-Identifier: MIT */
/* Elementwise functions that need no mathematics library, and those of integers. NaN goes through
 * every float function but sign and is_*. */
#include "ops/common/requantize.h"
#include "ops/unary/unary_loop.h"

void nk_relu_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, x < 0.0f ? 0.0f : x) }
void nk_relu6_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, nk_clamp_f32(x, 0.0f, 6.0f)) }
void nk_relu_n1_to_1_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, nk_clamp_f32(x, -1.0f, 1.0f))
}
void nk_relu_0_to_1_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, nk_clamp_f32(x, 0.0f, 1.0f))
}
static inline float min_f32(float x, float limit) { return x > limit ? limit : x; }

/* min(max, max(min, x)): where min > max the result is max (ONNX Clip). */
void nk_clip_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, min_f32(x < p->alpha ? p->alpha : x, p->beta))
}
void nk_leaky_relu_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x > 0.0f ? x : x * p->alpha)
}
void nk_thresholded_relu_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x <= p->alpha ? 0.0f : x)
}
void nk_hard_sigmoid_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, nk_clamp_f32(p->alpha * x + p->beta, 0.0f, 1.0f))
}
void nk_hard_swish_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x * nk_clamp_f32(x + 3.0f, 0.0f, 6.0f) / 6.0f)
}

static inline float shrink_f32(float x, float lambda, float bias) {
  return x < -lambda ? x + bias : (x > lambda ? x - bias : 0.0f * x);
}

void nk_shrink_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, shrink_f32(x, p->alpha, p->beta))
}
void nk_softsign_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x / (1.0f + (x < 0.0f ? -x : x)))
}
void nk_abs_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x < 0.0f ? -x : (x == 0.0f ? 0.0f : x))
}
void nk_neg_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, -x) }
void nk_sign_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, (x > 0.0f) - (x < 0.0f)) }
void nk_square_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, x * x) }
void nk_reciprocal_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, 1.0f / x) }

/* Integers wrap as two's complement. */
void nk_abs_s32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(int32_t, int32_t, x < 0 ? 0u - (uint32_t)x : (uint32_t)x)
}
void nk_neg_s32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(int32_t, int32_t, 0u - (uint32_t)x) }
void nk_sign_s32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(int32_t, int32_t, (x > 0) - (x < 0)) }
void nk_square_s32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(int32_t, int32_t, (uint32_t)x * (uint32_t)x)
}
void nk_bitwise_not_s32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(int32_t, int32_t, ~x) }
void nk_abs_s64_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(int64_t, int64_t, x < 0 ? 0u - (uint64_t)x : (uint64_t)x)
}
void nk_neg_s64_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(int64_t, int64_t, 0u - (uint64_t)x) }
void nk_sign_s64_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(int64_t, int64_t, (x > 0) - (x < 0)) }
void nk_square_s64_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(int64_t, int64_t, (uint64_t)x * (uint64_t)x)
}
void nk_bitwise_not_s64_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(int64_t, int64_t, ~x) }
void nk_logical_not_b8_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(uint8_t, uint8_t, x == 0) }
void nk_is_nan_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, uint8_t, x != x) }
void nk_is_inf_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, uint8_t, x == x && x - x != 0.0f && (x > 0.0f ? p->beta : p->alpha) != 0.0f)
}

/* Any function of a byte: the table holds its value at every stored byte. */
void nk_lut_x8_ref(NK_KERNEL_ARGS) {
  const nk_unary_params* p = (const nk_unary_params*)params;
  const uint8_t* source = (const uint8_t*)in[0];
  const uint8_t* table = (const uint8_t*)in[1];
  uint8_t* target = (uint8_t*)out[0];
  int32_t i;
  (void)scratch;
  for (i = 0; i < p->count; ++i) target[i] = table[source[i]];
}

/* Piecewise linear functions of int16 (relu, relu6, leaky_relu, clip): one multiplier on each side
 * of zero, then clamping, as the TensorFlow Lite reference kernels. */
void nk_piecewise_s16_ref(NK_KERNEL_ARGS) {
  const nk_unary_params* p = (const nk_unary_params*)params;
  const int16_t* source = (const int16_t*)in[0];
  int16_t* target = (int16_t*)out[0];
  int32_t i;
  (void)scratch;
  for (i = 0; i < p->count; ++i) {
    const int32_t x = source[i] - p->in_zero_point;
    target[i] = (int16_t)nk_requantize(x, x < 0 ? p->multiplier_neg : p->multiplier,
                                       x < 0 ? p->shift_neg : p->shift, p->zero_point,
                                       p->act_min, p->act_max);
  }
}
