/* SPDX-License-Identifier: MIT */
/* dwconv2d for cores without SIMD (planar.h has layout and walk). */
#include "ops/dwconv2d/dwconv2d_scalar.h"

/* One tap of four windows, `s` apart. */
static inline void add_tap(nk_dsp_sums* sums, const int16_t* x, ptrdiff_t s, int32_t tap) {
  const int16_t* next = x + 2 * s;
  sums->a0 = nk_wrap_add(sums->a0, x[0] * tap);
  sums->a1 = nk_wrap_add(sums->a1, x[s] * tap);
  sums->a2 = nk_wrap_add(sums->a2, next[0] * tap);
  sums->a3 = nk_wrap_add(sums->a3, next[s] * tap);
}

static inline int32_t window(const nk_planar_channel* c, const int16_t* x, const int32_t* taps) {
  int32_t acc = c->bias, ky, k;
  for (ky = c->kernel_h; ky != 0; --ky) {
    for (k = 0; k < c->kernel_w; k += 2) {
      const int32_t pair = taps[k >> 1];
      acc = nk_wrap_add(acc, x[k] * nk_low_half(pair));
      if (k + 1 < c->kernel_w) acc = nk_wrap_add(acc, x[k + 1] * nk_high_half(pair));
    }
    x += c->row;
    taps += c->words;
  }
  return acc;
}

static NK_APART void write_row(const nk_planar_channel* c, const int16_t* x, const int32_t* taps,
                               int8_t* y) {
  const ptrdiff_t s = c->stride;
  int32_t left, ky, k;
  for (left = c->width; left >= 4 && !NK_FEW_REGISTERS; left -= 4) {
    nk_dsp_sums sums = {c->bias, c->bias, c->bias, c->bias};
    for (ky = 0; ky < c->kernel_h; ++ky) {
      const int16_t* at = x + ky * c->row;
      const int32_t* row = taps + ky * c->words;
      for (k = c->kernel_w; k > 0; k -= 2, at += 2) {
        const int32_t pair = *row++;
        add_tap(&sums, at, s, nk_low_half(pair));
        if (k > 1) add_tap(&sums, at + 1, s, nk_high_half(pair));
      }
    }
    y = nk_planar_store4(&sums, c, y);
    x += 4 * s;
  }
  for (; left > 0; --left) {
    y = nk_planar_store1(window(c, x, taps), c, y);
    x += s;
  }
}

/* A row of three taps: one window, and four. */
static inline int32_t add_row_of_3(int32_t acc, const int16_t* x, const int32_t* taps) {
  const int32_t pair = taps[0];
  acc = nk_wrap_add(acc, x[0] * nk_low_half(pair));
  acc = nk_wrap_add(acc, x[1] * nk_high_half(pair));
  return nk_wrap_add(acc, x[2] * nk_low_half(taps[1]));
}

static inline void add_rows_of_3(nk_dsp_sums* sums, const int16_t* x, ptrdiff_t s,
                                 const int32_t* taps) {
  const int32_t pair = taps[0];
  add_tap(sums, x, s, nk_low_half(pair));
  add_tap(sums, x + 1, s, nk_high_half(pair));
  add_tap(sums, x + 2, s, nk_low_half(taps[1]));
}

static NK_APART void write_row_3x3(const nk_planar_channel* c, const int16_t* x,
                                   const int32_t* taps, int8_t* y) {
  const ptrdiff_t row = c->row;
  int32_t left;
  for (left = c->width; left >= 4 && !NK_FEW_REGISTERS; left -= 4) {
    nk_dsp_sums sums = {c->bias, c->bias, c->bias, c->bias};
    add_rows_of_3(&sums, x, c->stride, taps);
    add_rows_of_3(&sums, x + row, c->stride, taps + 2);
    add_rows_of_3(&sums, x + 2 * row, c->stride, taps + 4);
    y = nk_planar_store4(&sums, c, y);
    x += 4 * c->stride;
  }
  for (; left > 0; --left) {
    const int32_t acc = add_row_of_3(add_row_of_3(c->bias, x, taps), x + row, taps + 2);
    y = nk_planar_store1(add_row_of_3(acc, x + 2 * row, taps + 4), c, y);
    x += c->stride;
  }
}

void nk_dwconv2d_s8_scalar(const void* params, const void* const* in, void* const* out,
                           void* scratch) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_planar d = nk_planar_of(p);
  nk_planar_run(p, &d, in, (int8_t*)out[0], scratch,
                d.kernel_w == 3 && d.kernel_h == 3 ? write_row_3x3 : write_row);
}
