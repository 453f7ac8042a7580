/* SPDX-License-Identifier: MIT */
/* Elementwise functions of float32 that call the mathematics library. Each formula is chosen so
 * that neither overflow nor cancellation spoils it anywhere (unary_test.cc states the bounds). */
#include <math.h>

#include "ops/unary/unary_loop.h"

static inline float sigmoid_f32(float x) {
  const float e = expf(x < 0.0f ? x : -x);
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

static inline float softplus_f32(float x) {
  return (x > 0.0f ? x : 0.0f) + log1pf(expf(x > 0.0f ? -x : x));
}

/* x tanh(softplus(x)) with e = exp(-|x|), free of the difference of near values. */
static inline float mish_f32(float x) {
  const float e = expf(x > 0.0f ? -x : x);
  if (x > 0.0f) return x * (1.0f + 2.0f * e) / (1.0f + 2.0f * e + 2.0f * e * e);
  return x * (e * (e + 2.0f)) / (e * (e + 2.0f) + 2.0f);
}

void nk_ceil_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, ceilf(x)) }
void nk_floor_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, floorf(x)) }
void nk_round_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, rintf(x)) } /* ties to even */
void nk_sqrt_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, sqrtf(x)) }
void nk_rsqrt_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, 1.0f / sqrtf(x)) }
void nk_exp_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, expf(x)) }
void nk_log_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, logf(x)) }
void nk_sigmoid_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, sigmoid_f32(x)) }
void nk_tanh_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, tanhf(x)) }
void nk_erf_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, erff(x)) }
/* x/2 (1 + erf(x/sqrt 2)), through erfc so that the left tail keeps its digits. */
void nk_gelu_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, 0.5f * x * erfcf(x * -0.70710678118654752f))
}
/* 1 + tanh(u) is 2 sigmoid(2u). */
void nk_gelu_tanh_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x * sigmoid_f32(1.5957691216057308f * (x + 0.044715f * x * x * x)))
}
void nk_elu_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x < 0.0f ? p->alpha * expm1f(x) : x)
}
void nk_selu_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, p->beta * (x <= 0.0f ? p->alpha * expm1f(x) : x))
}
void nk_celu_f32_ref(NK_KERNEL_ARGS) {
  NK_UNARY_LOOP(float, float, x < 0.0f ? p->alpha * expm1f(x / p->alpha) : x)
}
void nk_softplus_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, softplus_f32(x)) }
void nk_mish_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, mish_f32(x)) }
void nk_swish_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, x * sigmoid_f32(p->alpha * x)) }
void nk_sin_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, sinf(x)) }
void nk_cos_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, cosf(x)) }
void nk_tan_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, tanf(x)) }
void nk_asin_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, asinf(x)) }
void nk_acos_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, acosf(x)) }
void nk_atan_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, atanf(x)) }
void nk_sinh_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, sinhf(x)) }
void nk_cosh_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, coshf(x)) }
void nk_asinh_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, asinhf(x)) }
void nk_acosh_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, acoshf(x)) }
void nk_atanh_f32_ref(NK_KERNEL_ARGS) { NK_UNARY_LOOP(float, float, atanhf(x)) }
