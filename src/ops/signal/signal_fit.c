/* SPDX-License-Identifier: MIT */
/* Whether parameters of the audio front end fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/signal/filter_bank.h"
#include "ops/signal/signal.h"

NK_FIT(nk_signal_window_fit) {
  const nk_signal_window_params* p = (const nk_signal_window_params*)f->params;
  const int32_t sizes[2] = {p->count, p->size};
  const uint32_t elems = nk_fit_count(sizes, 2);
  return nk_is_within(p->shift, 0, 31) && nk_fit_in(f, 0, 2, elems) &&
         nk_fit_in(f, 1, 2, nk_fit_count(&p->size, 1)) && nk_fit_out(f, 0, 2, elems);
}

NK_FIT(nk_signal_scale_fit) {
  const nk_signal_scale_params* p = (const nk_signal_scale_params*)f->params;
  const uint32_t elems = nk_fit_count(&p->count, 1);
  return nk_fit_in(f, 0, 2, elems) && nk_fit_out(f, 0, 2, elems) && nk_fit_out(f, 1, 4, 1);
}

NK_FIT(nk_signal_rfft_fit) {
  const nk_signal_rfft_params* p = (const nk_signal_rfft_params*)f->params;
  const int32_t in[2] = {p->outer, p->size};
  int32_t out[2] = {p->outer, 0};
  uint32_t turns;
  if (!nk_is_within(p->half_log2, NK_RFFT_MIN_HALF_LOG2, NK_RFFT_MAX_HALF_LOG2)) return 0;
  out[1] = (2 << p->half_log2) + 2;
  turns = (uint32_t)(nk_rfft_turns(p->half_log2) + (1 << (p->half_log2 - 1)));
  return nk_fit_apart(p->size <= (2 << p->half_log2) && nk_fit_in(f, 0, 2, nk_fit_count(in, 2)) &&
                      nk_fit_in(f, 1, 2, 2 * turns) && nk_fit_out(f, 0, 2, nk_fit_count(out, 2)));
}

NK_FIT(nk_signal_energy_fit) {
  const nk_signal_energy_params* p = (const nk_signal_energy_params*)f->params;
  const uint32_t pairs = nk_fit_count(&p->count, 1);
  return nk_fit_in(f, 0, 2, nk_fit_times(pairs, 2)) && nk_fit_out(f, 0, 4, pairs);
}

/* Rows are constants: what they point at lies inside the energies and the weights. */
NK_FIT(nk_filter_bank_fit) {
  const nk_filter_bank_params* p = (const nk_filter_bank_params*)f->params;
  const int32_t* row;
  int32_t i;
  if (!nk_is_within(p->channels, 1, NK_FIT_FAR) || p->energies < 1 || p->taps < 1) return 0;
  row = nk_fit_constant(f, 3, nk_fit_times((uint32_t)p->channels + 1, 3));
  if (row == NULL) return 0;
  for (i = 0; i <= p->channels; ++i, row += 3) {
    if (!nk_is_within(row[2], 0, p->taps) || !nk_is_within(row[0], 0, p->energies) ||
        !nk_is_within(row[1], 0, p->taps) || row[2] > p->energies - row[0] ||
        row[2] > p->taps - row[1]) {
      return 0;
    }
  }
  return nk_fit_apart(nk_fit_in(f, 0, 4, (uint32_t)p->energies) &&
                      nk_fit_in(f, 1, 2, (uint32_t)p->taps) &&
                      nk_fit_in(f, 2, 2, (uint32_t)p->taps) &&
                      nk_fit_out(f, 0, 8, (uint32_t)p->channels));
}

NK_FIT(nk_filter_bank_sqrt_fit) {
  const nk_filter_bank_sqrt_params* p = (const nk_filter_bank_sqrt_params*)f->params;
  const uint32_t count = nk_fit_count(&p->count, 1);
  return nk_fit_in(f, 0, 8, count) && nk_fit_in(f, 1, 4, 1) && nk_fit_out(f, 0, 4, count);
}

NK_FIT(nk_spectral_subtraction_fit) {
  const nk_spectral_subtraction_params* p = (const nk_spectral_subtraction_params*)f->params;
  const uint32_t count = nk_fit_count(&p->count, 1);
  return nk_is_within(p->smoothing_bits, 0, 31) && nk_is_within(p->bits, 0, 31) &&
         nk_fit_in(f, 0, 4, count) && nk_fit_in(f, 1, 4, count) && nk_fit_out(f, 0, 4, count) &&
         nk_fit_out(f, 1, 4, count);
}

NK_FIT(nk_pcan_fit) {
  const nk_pcan_params* p = (const nk_pcan_params*)f->params;
  const uint32_t count = nk_fit_count(&p->count, 1);
  return nk_is_within(p->snr_shift, 0, 63) && nk_fit_in(f, 0, 4, count) &&
         nk_fit_in(f, 1, 4, count) && nk_fit_in(f, 2, 2, NK_PCAN_GAINS) &&
         nk_fit_out(f, 0, 4, count);
}

NK_FIT(nk_filter_bank_log_fit) {
  const nk_filter_bank_log_params* p = (const nk_filter_bank_log_params*)f->params;
  const uint32_t count = nk_fit_count(&p->count, 1);
  return nk_is_within(p->correction_bits, 0, 31) && nk_fit_in(f, 0, 4, count) &&
         nk_fit_table(f, 1, NK_LOG_SEGMENTS + 1, 0, UINT16_MAX) && nk_fit_out(f, 0, 2, count);
}
