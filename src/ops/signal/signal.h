/* SPDX-License-Identifier: MIT */
/* From samples to the energies of a spectrum, as the signal operators of TensorFlow Lite Micro
 * compute them, bit for bit.
 *   signal_window  in: x int16 [..., n], window int16 [n]; attribute shift. out: x times window,
 *                  shifted right (rounded down), saturated
 *   signal_scale   in: x int16. out: x shifted left as far as its greatest magnitude leaves room,
 *                  and that shift, int32 []. -32768 turns the search for the greatest magnitude
 *                  back to its start, and what does not fit wraps, as it does there
 *   signal_rfft    in: x int16 [..., n], read with zeros behind it as fft_length samples (a power
 *                  of two). out: int16 [..., fft_length + 2], fft_length / 2 + 1 pairs of real and
 *                  imaginary part, divided by fft_length. The order, products and rounding of
 *                  KISS FFT's fixed-point transform of 16 bits, radices 4 and 2
 *   signal_energy  in: pairs int16 [2 n]; attributes start, end. out: uint32 [n], the squared
 *                  magnitude of pairs [start, end), 0 elsewhere */
#ifndef NETKIT_OPS_SIGNAL_SIGNAL_H
#define NETKIT_OPS_SIGNAL_SIGNAL_H

#include "ops/common/kernel.h"

#define NK_SIGNAL_WINDOW_FIELDS(S, A) S(int32_t, count) S(int32_t, size) S(int32_t, shift)
typedef struct nk_signal_window_params {
  NK_SIGNAL_WINDOW_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_signal_window_params;

#define NK_SIGNAL_SCALE_FIELDS(S, A) S(int32_t, count)
typedef struct nk_signal_scale_params {
  NK_SIGNAL_SCALE_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_signal_scale_params;

/* fft_length is 2 << half_log2. */
#define NK_SIGNAL_RFFT_FIELDS(S, A) S(int32_t, outer) S(int32_t, size) S(int32_t, half_log2)
typedef struct nk_signal_rfft_params {
  NK_SIGNAL_RFFT_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_signal_rfft_params;

#define NK_RFFT_MIN_HALF_LOG2 1
#define NK_RFFT_MAX_HALF_LOG2 14

/* The constant behind x, in pairs of cosine and sine: 3/4 of half the length (at least 1) for the
 * turns of the complex transform, then half of half the length for those of the real one. */
static inline int32_t nk_rfft_turns(int32_t half_log2) {
  return half_log2 < 2 ? 1 : 3 << (half_log2 - 2);
}

#define NK_SIGNAL_ENERGY_FIELDS(S, A) S(int32_t, count) S(int32_t, start) S(int32_t, end)
typedef struct nk_signal_energy_params {
  NK_SIGNAL_ENERGY_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_signal_energy_params;

/* Digits of x in base 2; 32 for 0. */
static inline int32_t nk_signal_digits(uint32_t x) {
  int32_t digits = 0;
  if (x == 0u) return 32;
  while (x != 0u) {
    x >>= 1;
    ++digits;
  }
  return digits;
}

#endif
