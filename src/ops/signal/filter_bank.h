/* SPDX-License-Identifier: MIT */
/* From the energies of a spectrum to features, as the signal operators of TensorFlow Lite Micro
 * compute them, bit for bit. All of rank 1; n is the number of channels.
 *   filter_bank           in: energies uint32, weights, unweights int16 [taps], first energies,
 *                         first weights, widths int16 [n + 1], all constant; out: uint64 [n].
 *                         Channel i is the sum of row i + 1 by weights and of row i by unweights
 *   filter_bank_sqrt      in: x uint64 [n], shift int32 []. out: uint32, the nearest square root,
 *                         shifted right; a shift below 0 is 0, above 31 leaves nothing
 *   spectral_subtraction  in: x uint32 [n], estimate of the noise uint32 [n]. out: what is left of
 *                         x, and the next estimate. Attributes by the names of the fields
 *   pcan                  in: x, noise uint32 [n], int16 table of gains [125 or more]; attribute
 *                         snr_shift. out: uint32, x by the gain of its noise, compressed (Wang et
 *                         al., Trainable frontend for robust and far-field keyword spotting, 2017)
 *   filter_bank_log       in: x uint32 [n]; attributes correction_bits, output_scale. out: int16,
 *                         the natural logarithm of x << correction_bits, times output_scale;
 *                         saturated, 0 where that x is 0 or 1 */
#ifndef NETKIT_OPS_SIGNAL_FILTER_BANK_H
#define NETKIT_OPS_SIGNAL_FILTER_BANK_H

#include "ops/common/kernel.h"

/* The kernel's in[]: energies, weights, unweights, rows int32 [channels + 1][3] of first energy,
 * first weight and width. */
#define NK_FILTER_BANK_FIELDS(S, A) S(int32_t, channels) S(int32_t, energies) S(int32_t, taps)
typedef struct nk_filter_bank_params {
  NK_FILTER_BANK_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_filter_bank_params;

#define NK_FILTER_BANK_SQRT_FIELDS(S, A) S(int32_t, count)
typedef struct nk_filter_bank_sqrt_params {
  NK_FILTER_BANK_SQRT_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_filter_bank_sqrt_params;

/* smoothing and its rest: of channels of even, then of odd number. */
#define NK_SPECTRAL_SUBTRACTION_FIELDS(S, A) \
  S(int32_t, count)                          \
  A(uint32_t, smoothing, 2)                  \
  A(uint32_t, one_minus_smoothing, 2)        \
  S(uint32_t, min_signal_remaining)          \
  S(int32_t, smoothing_bits)                 \
  S(int32_t, bits)                           \
  S(int32_t, clamping)
typedef struct nk_spectral_subtraction_params {
  NK_SPECTRAL_SUBTRACTION_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_spectral_subtraction_params;

#define NK_PCAN_FIELDS(S, A) S(int32_t, count) S(int32_t, snr_shift)
typedef struct nk_pcan_params {
  NK_PCAN_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_pcan_params;

#define NK_PCAN_GAINS 125 /* 2, then 3 of every 4 places for each power of two up to 2^31 */

/* The kernel's in[]: x, table int32 [NK_LOG_SEGMENTS + 1] (at 2^-7 steps of f, how far log2(1 + f)
 * lies above f, Q16). */
#define NK_FILTER_BANK_LOG_FIELDS(S, A) \
  S(int32_t, count) S(int32_t, correction_bits) S(uint32_t, output_scale)
typedef struct nk_filter_bank_log_params {
  NK_FILTER_BANK_LOG_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_filter_bank_log_params;

#define NK_LOG_SEGMENTS_LOG2 7
#define NK_LOG_SEGMENTS (1 << NK_LOG_SEGMENTS_LOG2)

#endif
