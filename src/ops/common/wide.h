/* SPDX-License-Identifier: MIT */
/* int16 activations with int8 weights: the sum is 64 bits wide, as is the bias, and requantised in
 * one rounding with a 16-bit multiplier (docs/numerics.md). C99 and C++. */
#ifndef NETKIT_OPS_COMMON_WIDE_H
#define NETKIT_OPS_COMMON_WIDE_H

#include <stdint.h>

#include "ops/common/kernel.h"
#include "ops/common/requantize.h"
#include "ops/common/spatial.h"

/* Shifts that nk_requantize_s64 takes. */
#define NK_WIDE_MIN_SHIFT (-31)
#define NK_WIDE_MAX_SHIFT 7

/* acc + sum of x[i] * w[i], modulo 2^64. */
static inline uint64_t nk_dot_s16_s8(uint64_t acc, const int16_t* x, const int8_t* w,
                                     int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) acc += (uint64_t)(int64_t)((int32_t)x[i] * w[i]);
  return acc;
}

/* round(acc * m / 2^(15 - shift)), ties upward, clamped to [lo, hi]; m is the 31-bit multiplier
 * rounded to 15 bits. Equals TensorFlow Lite for |acc| < 2^47; the product wraps. */
static inline int32_t nk_requantize_s64(uint64_t acc, int32_t multiplier, int32_t shift, int32_t lo,
                                        int32_t hi) {
  const int32_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int total = 15 - (int)shift;
  const uint64_t product = acc * (uint64_t)(int64_t)reduced + ((uint64_t)1 << (total - 1));
  const int64_t scaled = (int64_t)product >> total;
  return scaled < lo ? lo : (scaled > hi ? hi : (int32_t)scaled);
}

/* The value of output channel oc with the sum `acc` of its products; in[2] to in[4] are bias,
 * multiplier and shift. narrow_weights 1: the file's bias is int32, and the sum is then 32 bits
 * wide and requantised as that of int8 is (as in TensorFlow Lite). */
static inline int16_t nk_finish_s16(uint64_t acc, const void* const* in, const nk_weighted* w,
                                    int32_t oc) {
  const int32_t q = w->per_channel ? oc : 0;
  const int32_t multiplier = ((const int32_t*)in[3])[q], shift = ((const int32_t*)in[4])[q];
  const uint64_t sum = acc + (uint64_t)((const int64_t*)in[2])[oc];
  if (w->narrow_weights != 0) {
    return (int16_t)nk_requantize((int32_t)(uint32_t)sum, multiplier, shift, 0, w->act_min,
                                  w->act_max);
  }
  return (int16_t)nk_requantize_s64(sum, multiplier, shift, w->act_min, w->act_max);
}

/* The sum of products of output channel oc at a pixel. */
typedef uint64_t (*nk_window_s16)(const void* params, const nk_pixel* pixel, const int16_t* x,
                                  const int8_t* weights, int32_t oc);

/* Every output of an operator of windows, in the order of its mode. The params begin with
 * nk_spatial and hold `weighted`; in[]: x, weights, bias, multiplier, shift. */
static inline void nk_run_windows_s16(const void* params, const nk_weighted* weighted,
                                      const void* const* in, void* const* out,
                                      nk_window_s16 window) {
  const nk_spatial* s = (const nk_spatial*)params;
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    int16_t* y = (int16_t*)out[0] + pixel.out_index * (size_t)s->out_c;
    for (j = 0; j < s->out_c; ++j) {
      const int32_t oc = nk_walks_backward(s->mode) ? s->out_c - 1 - j : j;
      y[oc] = nk_finish_s16(window(params, &pixel, (const int16_t*)in[0], (const int8_t*)in[1], oc),
                            in, weighted, oc);
    }
  }
}

#endif
