/* SPDX-License-Identifier: MIT */
/* The reference of signal_window, signal_scale and signal_energy (signal.h). All three walk from
 * low to high addresses and read what an element needs before they write it. */
#include <string.h>

#include "ops/signal/signal.h"

void nk_signal_window_ref(NK_KERNEL_ARGS) {
  const nk_signal_window_params* p = (const nk_signal_window_params*)params;
  const int16_t *x = (const int16_t*)in[0], *window = (const int16_t*)in[1];
  int16_t* y = (int16_t*)out[0];
  int32_t i, k;
  (void)scratch;
  for (i = 0; i < p->count; ++i) {
    for (k = 0; k < p->size; ++k, ++x, ++y) {
      const int32_t product = ((int32_t)*x * window[k]) >> p->shift;
      const int32_t above = product < INT16_MIN ? INT16_MIN : product;
      *y = (int16_t)(above > INT16_MAX ? INT16_MAX : above);
    }
  }
}

void nk_signal_scale_ref(NK_KERNEL_ARGS) {
  const nk_signal_scale_params* p = (const nk_signal_scale_params*)params;
  const int16_t* x = (const int16_t*)in[0];
  int16_t *y = (int16_t*)out[0], greatest = 0;
  int32_t i, shift;
  (void)scratch;
  for (i = 0; i < p->count; ++i) {
    /* The magnitude of -32768 has 16 bits and becomes negative: whatever follows is greater. */
    if (x[i] > greatest) {
      greatest = x[i];
    } else if (-(int32_t)x[i] > greatest) {
      greatest = (int16_t)(uint16_t)(-(int32_t)x[i]);
    }
  }
  shift = 15 - nk_signal_digits((uint32_t)(int32_t)greatest);
  if (shift < 0) shift = 0;
  for (i = 0; i < p->count; ++i) y[i] = (int16_t)(uint16_t)((uint32_t)(int32_t)x[i] << shift);
  ((int32_t*)out[1])[0] = shift;
}

void nk_signal_energy_ref(NK_KERNEL_ARGS) {
  const nk_signal_energy_params* p = (const nk_signal_energy_params*)params;
  const uint8_t* x = (const uint8_t*)in[0];
  uint8_t* y = (uint8_t*)out[0];
  int32_t i;
  (void)scratch;
  for (i = 0; i < p->count; ++i, x += 4, y += 4) {
    int16_t pair[2];
    uint32_t energy = 0;
    memcpy(pair, x, sizeof(pair));
    if (i >= p->start && i < p->end) {
      energy = (uint32_t)((int32_t)pair[0] * pair[0]) + (uint32_t)((int32_t)pair[1] * pair[1]);
    }
    memcpy(y, &energy, sizeof(energy));
  }
}
