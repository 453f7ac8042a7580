/* SPDX-License-Identifier: MIT */
/* The reference of the operators on channels (filter_bank.h). Whatever does not fit wraps. */
#include <string.h>

#include "ops/signal/filter_bank.h"
#include "ops/signal/signal.h"

void nk_filter_bank_ref(NK_KERNEL_ARGS) {
  const nk_filter_bank_params* p = (const nk_filter_bank_params*)params;
  const uint32_t* energies = (const uint32_t*)in[0];
  const int16_t *weights = (const int16_t*)in[1], *unweights = (const int16_t*)in[2];
  const int32_t* row = (const int32_t*)in[3];
  uint64_t* y = (uint64_t*)out[0];
  uint64_t rest = 0; /* what the row before gives to this channel */
  int32_t i, k;
  (void)scratch;
  for (i = 0; i <= p->channels; ++i, row += 3) {
    uint64_t sum = rest;
    rest = 0;
    for (k = 0; k < row[2]; ++k) {
      const uint64_t energy = energies[row[0] + k];
      sum += (uint64_t)(int64_t)weights[row[1] + k] * energy;
      rest += (uint64_t)(int64_t)unweights[row[1] + k] * energy;
    }
    if (i > 0) y[i - 1] = sum;
  }
}

/* The square root of x to the nearest integer, digit by digit; one that would need more bits than
 * half of those of x's width (32, else 64) stays. */
static uint32_t root_of(uint64_t x) {
  const uint64_t most = (x >> 32) == 0u ? 0xFFFFu : 0xFFFFFFFFu;
  uint64_t root = 0, bit = (uint64_t)1 << 62;
  while (bit > x) bit >>= 2;
  while (bit != 0u) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
    bit >>= 2;
  }
  return (uint32_t)(x > root && root != most ? root + 1u : root);
}

void nk_filter_bank_sqrt_ref(NK_KERNEL_ARGS) {
  const nk_filter_bank_sqrt_params* p = (const nk_filter_bank_sqrt_params*)params;
  const uint8_t* x = (const uint8_t*)in[0];
  uint8_t* y = (uint8_t*)out[0];
  const int32_t shift = *(const int32_t*)in[1];
  int32_t i;
  (void)scratch;
  for (i = 0; i < p->count; ++i, x += sizeof(uint64_t), y += sizeof(uint32_t)) {
    uint64_t square;
    uint32_t root;
    memcpy(&square, x, sizeof(square));
    root = root_of(square);
    if (shift > 0) root = shift > 31 ? 0u : root >> shift;
    memcpy(y, &root, sizeof(root));
  }
}

void nk_spectral_subtraction_ref(NK_KERNEL_ARGS) {
  const nk_spectral_subtraction_params* p = (const nk_spectral_subtraction_params*)params;
  const uint32_t *x = (const uint32_t*)in[0], *before = (const uint32_t*)in[1];
  uint32_t *y = (uint32_t*)out[0], *after = (uint32_t*)out[1];
  int32_t i;
  (void)scratch;
  for (i = 0; i < p->count; ++i) {
    const uint32_t signal = x[i], scaled = signal << p->smoothing_bits;
    const uint64_t sum = (uint64_t)scaled * p->smoothing[i & 1] +
                         (uint64_t)before[i] * p->one_minus_smoothing[i & 1];
    const uint32_t least = (uint32_t)(((uint64_t)signal * p->min_signal_remaining) >> p->bits);
    uint32_t noise = (uint32_t)(sum >> p->bits), left;
    const uint32_t estimate = noise > scaled ? scaled : noise;
    if (p->clamping != 0) noise = estimate;
    left = (scaled - estimate) >> p->smoothing_bits;
    y[i] = left > least ? left : least;
    after[i] = noise;
  }
}

/* The gain for a level of noise: table values at 1, 2 and powers of two, parabolas between. */
static uint32_t gain_of(uint32_t noise, const int16_t* gains) {
  int32_t digits;
  uint32_t fraction, slope;
  if (noise <= 2u) return (uint32_t)(int32_t)gains[noise];
  digits = nk_signal_digits(noise);
  gains += 4 * digits - 6;
  fraction = (digits < 11 ? noise << (11 - digits) : noise >> (digits - 11)) & 0x3FFu;
  slope = (uint32_t)(((int32_t)gains[2] * (int32_t)fraction) >> 5);
  slope += (uint32_t)(int32_t)gains[1] << 5;
  slope = slope * fraction + (1u << 14);
  return (uint32_t)(int32_t)(int16_t)(((int32_t)slope >> 15) + gains[0]);
}

/* x^2 / 4 below 2, else x - 1; x has 12 fractional bits, the result 6. */
static uint32_t compressed(uint32_t x) {
  return x < (2u << 12) ? (x * x) >> 20 : (x >> 6) - (1u << 6);
}

void nk_pcan_ref(NK_KERNEL_ARGS) {
  const nk_pcan_params* p = (const nk_pcan_params*)params;
  const uint32_t *x = (const uint32_t*)in[0], *noise = (const uint32_t*)in[1];
  uint32_t* y = (uint32_t*)out[0];
  int32_t i;
  (void)scratch;
  for (i = 0; i < p->count; ++i) {
    const uint64_t gained = (uint64_t)x[i] * gain_of(noise[i], (const int16_t*)in[2]);
    y[i] = compressed((uint32_t)(gained >> p->snr_shift));
  }
}

/* log2(x), Q16, of x above 0: the whole digits and, of the rest f, f and what log2(1 + f) is above
 * it. What lies between two places of the table is shifted by 16 bits, not by the 9 of a segment,
 * as it is in TensorFlow Lite Micro: it all but vanishes. */
static uint32_t log2_of(uint32_t x, const int32_t* table) {
  const int32_t whole = nk_signal_digits(x) - 1, segment_log2 = 16 - NK_LOG_SEGMENTS_LOG2;
  const uint32_t above = x - ((uint32_t)1 << whole);
  const uint32_t f = whole < 16 ? above << (16 - whole) : above >> (whole - 16);
  const int32_t* segment = table + (f >> segment_log2);
  const int32_t into = (int32_t)(f & ((1u << segment_log2) - 1u));
  const int32_t more = ((segment[1] - segment[0]) * into) >> 16;
  return ((uint32_t)whole << 16) + f + (uint32_t)segment[0] + (uint32_t)more;
}

#define NK_LN_2_Q16 45426u

void nk_filter_bank_log_ref(NK_KERNEL_ARGS) {
  const nk_filter_bank_log_params* p = (const nk_filter_bank_log_params*)params;
  const uint8_t* x = (const uint8_t*)in[0];
  uint8_t* y = (uint8_t*)out[0];
  int32_t i;
  (void)scratch;
  for (i = 0; i < p->count; ++i, x += sizeof(uint32_t), y += sizeof(int16_t)) {
    uint32_t value;
    int16_t result = 0;
    memcpy(&value, x, sizeof(value));
    value <<= p->correction_bits;
    if (value > 1u) {
      const uint64_t log2 = log2_of(value, (const int32_t*)in[1]);
      const uint32_t natural = (uint32_t)((log2 * NK_LN_2_Q16 + 32768u) >> 16);
      const uint32_t scaled = (natural * p->output_scale + 32768u) >> 16;
      result = (int16_t)(scaled < INT16_MAX ? scaled : INT16_MAX);
    }
    memcpy(y, &result, sizeof(result));
  }
}
