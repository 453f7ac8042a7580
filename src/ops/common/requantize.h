/* SPDX-License-Identifier: MIT */
/* What follows an accumulation: requantisation and clamp, integer and float; the parameter fields
 * shared by operators with weights. C99 and C++. */
#ifndef NETKIT_OPS_COMMON_REQUANTIZE_H
#define NETKIT_OPS_COMMON_REQUANTIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/fixed_point.h"

/* Fields of operators with weights (conv2d, dwconv2d, fully_connected).
 *   input_offset, filter_offset  minus the zero points, added to each input and weight
 *   output_offset                the output's zero point
 *   act_min, act_max             clamp of the quantised output
 *   per_channel                  1: a multiplier and shift per output channel; 0: one for all
 *   narrow_weights               1: weights and bias are constants, no weight is -128, and those of
 *                                an output channel add up to NK_NARROW_SUM at most in magnitude;
 *                                0: not known. For rows that pack sums; the reference ignores it
 *   clamp_min, clamp_max         clamp of a float output (infinite where there is none) */
#define NK_WEIGHTED_FIELDS(S, A)                                                \
  S(int32_t, input_offset) S(int32_t, filter_offset) S(int32_t, output_offset)  \
  S(int32_t, act_min) S(int32_t, act_max) S(int32_t, per_channel)               \
  S(int32_t, narrow_weights)                                                    \
  S(float, clamp_min) S(float, clamp_max)

#define NK_NARROW_SUM 65535

/* These fields inside a parameter struct, from `input_offset` on. */
#define NK_WEIGHTED_MEMBER(type, name) type name;
typedef struct nk_weighted {
  NK_WEIGHTED_FIELDS(NK_WEIGHTED_MEMBER, NK_WEIGHTED_MEMBER)
} nk_weighted;

/* acc * multiplier * 2^(shift - 31) + offset, clamped to [lo, hi] (|lo|, |hi|, |offset| <= 2^16).
 * The clamp comes before the offset, so that no sum can overflow. */
static inline int32_t nk_requantize(int32_t acc, int32_t multiplier, int32_t shift, int32_t offset,
                                    int32_t lo, int32_t hi) {
  const int32_t scaled = nk_multiply_by_quantized(acc, multiplier, (int)shift);
  return nk_clamp_i32(scaled, lo - offset, hi - offset) + offset;
}

/* NaN passes through. */
static inline float nk_clamp_f32(float x, float lo, float hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}

/* acc + sum of (x[i] + x_offset) * (w[i] + w_offset), modulo 2^32; _s8: of int8, _u8: of uint8. */
#define NK_DOT_X8(type)                                                                  \
  const type* a = (const type*)x;                                                        \
  const type* b = (const type*)w;                                                        \
  int32_t i;                                                                             \
  for (i = 0; i < count; ++i) acc += (uint32_t)((a[i] + x_offset) * (b[i] + w_offset)); \
  return acc;

static inline uint32_t nk_dot_s8(uint32_t acc, const void* x, const void* w, int32_t count,
                                 int32_t x_offset, int32_t w_offset) {
  NK_DOT_X8(int8_t)
}
static inline uint32_t nk_dot_u8(uint32_t acc, const void* x, const void* w, int32_t count,
                                 int32_t x_offset, int32_t w_offset) {
  NK_DOT_X8(uint8_t)
}

/* acc + sum of x[i] * w[i], from first to last. */
static inline float nk_dot_f32(float acc, const float* x, const float* w, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) acc += x[i] * w[i];
  return acc;
}

#endif
