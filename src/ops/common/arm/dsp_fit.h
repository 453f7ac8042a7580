/* SPDX-License-Identifier: MIT */
/* What the DSP and Helium rows ask of a file beyond fit.h. */
#ifndef NETKIT_OPS_COMMON_ARM_DSP_FIT_H
#define NETKIT_OPS_COMMON_ARM_DSP_FIT_H

#include "ops/common/arm/dsp_requantize.h"
#include "ops/common/fit.h"

/* Input i is the constant table of dsp_requantize.h, and the fields of requantisation are sane. */
static inline int nk_fit_dsp_table(const nk_fit* f, uint32_t i, const nk_weighted* w,
                                   int32_t out_channels) {
  const uint32_t count = nk_fit_times((uint32_t)out_channels, NK_DSP_TABLE_FIELDS);
  const int32_t* table = nk_fit_constant(f, i, count);
  uint32_t at;
  if (table == NULL || !nk_is_within(w->input_offset, -127, 128) ||
      !nk_is_within(w->output_offset, INT8_MIN, INT8_MAX) || !nk_is_offset(w->act_min) ||
      !nk_is_offset(w->act_max)) {
    return 0;
  }
  for (at = 2; at < count; at += NK_DSP_TABLE_FIELDS) {
    if (!nk_is_within(table[at], 1, NK_DSP_MAX_SHIFT) &&
        !nk_is_shift(table[at] - NK_DSP_ANY_SHIFT)) {
      return 0;
    }
  }
  return 1;
}

/* The same, with clamps within int8. */
static inline int nk_fit_mve_table(const nk_fit* f, uint32_t i, const nk_weighted* w,
                                   int32_t out_channels) {
  return nk_fit_dsp_table(f, i, w, out_channels) &&
         nk_is_within(w->act_min, INT8_MIN, INT8_MAX) &&
         nk_is_within(w->act_max, INT8_MIN, INT8_MAX);
}

#endif
