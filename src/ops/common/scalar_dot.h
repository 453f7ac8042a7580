/* SPDX-License-Identifier: MIT */
/* Sums of products of the scalar rows (cores without SIMD): two output channels at a time, so that
 * an input is read once for both. Weights as in the node; the table of channels is that of
 * arm/dsp_requantize.h. C99 and C++. */
#ifndef NETKIT_OPS_COMMON_SCALAR_DOT_H
#define NETKIT_OPS_COMMON_SCALAR_DOT_H

#include "ops/common/arm/dsp_requantize.h"

/* One product of each channel. Steps stay apart, or the compiler wants more registers than there
 * are. */
#if defined(__GNUC__)
#define NK_SETTLE(i, a, b) __asm__("" : "+r"(i), "+r"(a), "+r"(b))
#else
#define NK_SETTLE(i, a, b) (void)0
#endif
#define NK_SCALAR_STEP2            \
  {                                \
    const int32_t value = x[i];    \
    a += (uint32_t)(value * v[i]); \
    b += (uint32_t)(value * w[i]); \
    ++i;                           \
    NK_SETTLE(i, a, b);            \
  }

/* Sums of `count` (1 or more) products of x with the weights v and w of two channels: modulo 2^32,
 * that of v in the lower half. */
static NK_APART uint64_t nk_scalar_dot2(const int8_t* x, int32_t count, const int8_t* v,
                                        const int8_t* w) {
  uint32_t a = 0, b = 0;
#if NK_FEW_REGISTERS /* one index for all three */
  int32_t i = -count;
  x += count;
  v += count;
  w += count;
  if ((count & 1) != 0) {
    NK_SCALAR_STEP2
  }
  while (i != 0) {
    NK_SCALAR_STEP2
    NK_SCALAR_STEP2
  }
#else
  for (; count >= 4; count -= 4, x += 4, v += 4, w += 4) {
    a += (uint32_t)(x[0] * v[0]);
    b += (uint32_t)(x[0] * w[0]);
    a += (uint32_t)(x[1] * v[1]);
    b += (uint32_t)(x[1] * w[1]);
    a += (uint32_t)(x[2] * v[2]);
    b += (uint32_t)(x[2] * w[2]);
    a += (uint32_t)(x[3] * v[3]);
    b += (uint32_t)(x[3] * w[3]);
  }
  for (; count > 0; --count, ++x) {
    a += (uint32_t)(*x * *v++);
    b += (uint32_t)(*x * *w++);
  }
#endif
  return (uint64_t)b << 32 | a;
}

/* Sums of channels that take the long way. */
static NK_APART int8_t nk_scalar_scaled_any(uint32_t acc, const int32_t* table, int32_t offset) {
  const nk_dsp_scale scale = nk_dsp_scale_of(table, offset);
  return (int8_t)nk_dsp_scaled_any((int32_t)acc, &scale);
}

static NK_APART_IF_FEW int8_t nk_scalar_scaled(uint32_t acc, const int32_t* table, int32_t offset) {
  nk_dsp_scale scale;
  acc += (uint32_t)table[0];
  scale = nk_dsp_scale_of(table, offset);
  if (!nk_dsp_is_short(&scale)) return nk_scalar_scaled_any(acc, table, offset);
  return (int8_t)nk_dsp_scaled((int32_t)acc, &scale);
}

/* `channels` outputs at y of `count` inputs at x; w holds `count` weights for each channel. */
static inline void nk_scalar_outputs(const int8_t* x, int32_t count, const int8_t* w,
                                     const int32_t* table, int32_t channels, int32_t offset,
                                     int8_t* y) {
  for (; channels > 0; channels -= 2) {
    const int8_t* v = w;
    uint64_t sums;
    if (channels > 1) w += count; /* else the last channel is summed twice */
    sums = nk_scalar_dot2(x, count, v, w);
    w += count;
    *y++ = nk_scalar_scaled((uint32_t)sums, table, offset);
    table += NK_DSP_TABLE_FIELDS;
    if (channels > 1) *y++ = nk_scalar_scaled((uint32_t)(sums >> 32), table, offset);
    table += NK_DSP_TABLE_FIELDS;
  }
}

#endif
