/* SPDX-License-Identifier: MIT */
/* quantize and dequantize, per tensor or per axis. */
#include <string.h>

#include "ops/quantize/quantize.h"

/* Nearest integer to x within [lo, hi]; exact, as |lo| and |hi| are below 2^22. */
static inline int32_t rounded(float x, int32_t lo, int32_t hi, int32_t ties_to_even) {
  int32_t whole;
  float rest;
  if (!(x >= (float)lo)) return lo;
  if (x > (float)hi) return hi;
  whole = (int32_t)x;
  rest = x - (float)whole;
  if (rest == 0.5f || rest == -0.5f) {
    if (ties_to_even != 0 && (whole & 1) == 0) return whole;
  } else if (rest > -0.5f && rest < 0.5f) {
    return whole;
  }
  return rest > 0.0f ? whole + 1 : whole - 1;
}

/* Body of a kernel from float32. */
#define NK_QUANTIZE_LOOP(type, lo, hi)                                                      \
  const nk_quantize_params* p = (const nk_quantize_params*)params;                          \
  const float* source = (const float*)in[0];                                                \
  const float* scales = (const float*)in[1];                                                \
  const int32_t* zero_points = (const int32_t*)in[2];                                       \
  uint8_t* target = (uint8_t*)out[0];                                                       \
  int32_t o, c, i;                                                                          \
  (void)scratch;                                                                            \
  for (o = 0; o < p->outer; ++o) {                                                          \
    for (c = 0; c < p->channels; ++c) {                                                     \
      const float scale = scales != NULL ? scales[c] : p->scale;                            \
      const int32_t zero = zero_points != NULL ? zero_points[c] : p->zero_point;            \
      for (i = 0; i < p->inner; ++i) {                                                      \
        const type q = (type)(zero + rounded(*source++ / scale, (lo)-zero, (hi)-zero,       \
                                             p->ties_to_even));                             \
        memcpy(target, &q, sizeof(q));                                                      \
        target += sizeof(q);                                                                \
      }                                                                                     \
    }                                                                                       \
  }

void nk_quantize_f32_s8_ref(NK_KERNEL_ARGS) { NK_QUANTIZE_LOOP(int8_t, INT8_MIN, INT8_MAX) }
void nk_quantize_f32_u8_ref(NK_KERNEL_ARGS) { NK_QUANTIZE_LOOP(uint8_t, 0, UINT8_MAX) }
void nk_quantize_f32_s16_ref(NK_KERNEL_ARGS) { NK_QUANTIZE_LOOP(int16_t, INT16_MIN, INT16_MAX) }

/* Body of a kernel to float32, from the last element to the first. */
#define NK_DEQUANTIZE_LOOP(type, difference_type)                                           \
  const nk_quantize_params* p = (const nk_quantize_params*)params;                          \
  const size_t count = (size_t)p->outer * (size_t)p->channels * (size_t)p->inner;           \
  const uint8_t* source = (const uint8_t*)in[0] + count * sizeof(type);                     \
  const float* scales = (const float*)in[1];                                                \
  const int32_t* zero_points = (const int32_t*)in[2];                                       \
  float* target = (float*)out[0] + count;                                                   \
  int32_t o, c, i;                                                                          \
  (void)scratch;                                                                            \
  for (o = 0; o < p->outer; ++o) {                                                          \
    for (c = p->channels; c-- > 0;) {                                                       \
      const float scale = scales != NULL ? scales[c] : p->scale;                            \
      const int32_t zero = zero_points != NULL ? zero_points[c] : p->zero_point;            \
      for (i = 0; i < p->inner; ++i) {                                                      \
        type q;                                                                             \
        source -= sizeof(type);                                                             \
        memcpy(&q, source, sizeof(q));                                                      \
        *--target = (float)((difference_type)q - zero) * scale;                             \
      }                                                                                     \
    }                                                                                       \
  }

void nk_dequantize_s8_f32_ref(NK_KERNEL_ARGS) { NK_DEQUANTIZE_LOOP(int8_t, int32_t) }
void nk_dequantize_u8_f32_ref(NK_KERNEL_ARGS) { NK_DEQUANTIZE_LOOP(uint8_t, int32_t) }
void nk_dequantize_s16_f32_ref(NK_KERNEL_ARGS) { NK_DEQUANTIZE_LOOP(int16_t, int32_t) }
void nk_dequantize_s32_f32_ref(NK_KERNEL_ARGS) { NK_DEQUANTIZE_LOOP(int32_t, int64_t) }
