/* SPDX-License-Identifier: MIT */
/* fully_connected for the DSP extension (fully_connected_dsp.h). */
#include "ops/matmul/arm/fully_connected_dsp.h"

/* Sums of a row with the channels of the streams at w and w + pair, the last few inputs among
 * them. */
static void sum(const int8_t* x, int32_t count, const int32_t* w, ptrdiff_t pair,
                nk_dsp_sums* sums) {
  const int32_t whole = count & ~3;
  nk_dsp_dot_4x1(w, pair, x, x + whole, sums);
  if (whole != count) {
    int8_t rest[4] = {0, 0, 0, 0};
    memcpy(rest, x + whole, (size_t)(count - whole));
    nk_dsp_dot_4x1(w + whole / 2, pair, rest, rest + 4, sums);
  }
}

static inline int8_t scaled(int32_t acc, const int32_t* table, int32_t offset) {
  const nk_dsp_scale scale = nk_dsp_scale_of(table, offset);
  acc = nk_wrap_add(acc, table[0]);
  return (int8_t)(nk_dsp_is_short(&scale) ? nk_dsp_scaled(acc, &scale)
                                          : nk_dsp_scaled_any(acc, &scale));
}

void nk_fully_connected_s8_dsp(const void* params, const void* const* in, void* const* out,
                               void* scratch) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)params;
  const ptrdiff_t pair = (p->in_features + 3) / 4 * 2;
  const int8_t* x = (const int8_t*)in[0];
  int8_t* y = (int8_t*)out[0];
  int32_t row, o, i;
  (void)scratch;
  for (row = 0; row < p->rows; ++row) {
    const int32_t* w = (const int32_t*)in[1];
    const int32_t* table = (const int32_t*)in[2];
    for (o = 0; o < p->out_features; o += 4) {
      const int32_t left = p->out_features - o < 4 ? p->out_features - o : 4;
      nk_dsp_sums sums = {0, 0, 0, 0};
      int32_t acc[4];
      sum(x, p->in_features, w, left > 2 ? pair : 0, &sums);
      acc[0] = sums.a0;
      acc[1] = nk_wrap_sub(sums.a1, sums.a0) >> 8;
      acc[2] = sums.a2;
      acc[3] = nk_wrap_sub(sums.a3, sums.a2) >> 8;
      if (left == 4) { /* in registers */
        y[o] = scaled(acc[0], table, p->output_offset);
        y[o + 1] = scaled(acc[1], table + NK_DSP_TABLE_FIELDS, p->output_offset);
        y[o + 2] = scaled(acc[2], table + 2 * NK_DSP_TABLE_FIELDS, p->output_offset);
        y[o + 3] = scaled(acc[3], table + 3 * NK_DSP_TABLE_FIELDS, p->output_offset);
        table += 4 * NK_DSP_TABLE_FIELDS;
      } else {
        for (i = 0; i < left; ++i, table += NK_DSP_TABLE_FIELDS) {
          y[o + i] = scaled(acc[i], table, p->output_offset);
        }
      }
      w += 2 * pair;
    }
    nk_dsp_clamp(y, (size_t)p->out_features, p->act_min, p->act_max);
    x += p->in_features;
    y += p->out_features;
  }
}
