/* SPDX-License-Identifier: MIT */
/* Requantisation of the DSP rows: the same bits as nk_requantize in half the instructions.
 *
 * Layout of the table, three int32 for each output channel (dsp_pack.h makes it):
 *   bias        input_offset * (sum of the channel's weights) added
 *   multiplier  as in requantize.h
 *   shift       1 to 22: right by that, and every sum of the channel is within 2^30
 *               33 to 94: any channel; the shift of requantize.h plus 64
 * round(2a * m / 2^32) is the rounding doubling high product of a and m; adding half of 2^shift,
 * less 1 where a is negative, and shifting rounds ties away from zero. (a has the sign of the
 * product but for a = -1 where the product is 0; half less 1 gives 0 then too.) */
#ifndef NETKIT_OPS_COMMON_ARM_DSP_REQUANTIZE_H
#define NETKIT_OPS_COMMON_ARM_DSP_REQUANTIZE_H

#include "ops/common/arm/dsp.h"
#include "ops/common/requantize.h"

#define NK_DSP_TABLE_FIELDS 3
#define NK_DSP_MAX_SHIFT 22
#define NK_DSP_ANY_SHIFT 64 /* added to the shift of channels that take the long way */

typedef struct nk_dsp_scale {
  int32_t multiplier, shift;
  int32_t half;   /* half of 2^shift, and the output's offset above it; channels on the short way */
  int32_t offset; /* of the output */
} nk_dsp_scale;

static inline int nk_dsp_is_short(const nk_dsp_scale* scale) {
  return scale->shift <= NK_DSP_MAX_SHIFT;
}

/* The scale of the channel whose fields begin at `table`. */
static inline nk_dsp_scale nk_dsp_scale_of(const int32_t* table, int32_t output_offset) {
  nk_dsp_scale scale;
  scale.multiplier = table[1];
  scale.shift = table[2];
  scale.offset = output_offset;
  scale.half = 0;
  if (nk_dsp_is_short(&scale)) {
    scale.half = (int32_t)((uint32_t)(2 * output_offset + 1) << scale.shift) >> 1;
  }
  return scale;
}

/* acc requantised and clamped to int8, the short way. */
static inline int32_t nk_dsp_scaled(int32_t acc, const nk_dsp_scale* scale) {
  const int32_t twice = (int32_t)((uint32_t)acc << 1);
  const int32_t product = nk_smmlar(twice, scale->multiplier, scale->half);
  return nk_ssat8((product + (twice >> 31)) >> scale->shift);
}

/* The same for every channel. */
static NK_APART int32_t nk_dsp_scaled_any(int32_t acc, const nk_dsp_scale* scale) {
  if (nk_dsp_is_short(scale)) return nk_dsp_scaled(acc, scale);
  return nk_requantize(acc, scale->multiplier, scale->shift - NK_DSP_ANY_SHIFT, scale->offset,
                       INT8_MIN, INT8_MAX);
}

static NK_APART void nk_dsp_store4_any(const nk_dsp_sums* sums, const nk_dsp_scale* scale,
                                       int8_t* y, ptrdiff_t step) {
  y[0] = (int8_t)nk_dsp_scaled_any(sums->a0, scale);
  y[step] = (int8_t)nk_dsp_scaled_any(sums->a1, scale);
  y[2 * step] = (int8_t)nk_dsp_scaled_any(sums->a2, scale);
  y[3 * step] = (int8_t)nk_dsp_scaled_any(sums->a3, scale);
}

/* Four outputs of one channel, `step` bytes apart. */
static inline void nk_dsp_store4(int32_t a0, int32_t a1, int32_t a2, int32_t a3,
                                 const nk_dsp_scale* scale, int8_t* y, ptrdiff_t step) {
  if (nk_dsp_is_short(scale)) {
    y[0] = (int8_t)nk_dsp_scaled(a0, scale);
    y[step] = (int8_t)nk_dsp_scaled(a1, scale);
    y += 2 * step;
    y[0] = (int8_t)nk_dsp_scaled(a2, scale);
    y[step] = (int8_t)nk_dsp_scaled(a3, scale);
  } else {
    const nk_dsp_scale all = *scale;
    const nk_dsp_sums sums = {a0, a1, a2, a3};
    nk_dsp_store4_any(&sums, &all, y, step);
  }
}

/* Clamps `count` outputs further, where the node's activation asks for it. */
static inline void nk_dsp_clamp(int8_t* y, size_t count, int32_t lo, int32_t hi) {
  size_t i;
  if (lo <= INT8_MIN && hi >= INT8_MAX) return;
  for (i = 0; i < count; ++i) y[i] = (int8_t)nk_clamp_i32(y[i], lo, hi);
}

#endif
