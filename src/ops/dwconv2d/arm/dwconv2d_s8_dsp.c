/* SPDX-License-Identifier: MIT */
/* dwconv2d for the DSP extension (planar.h has layouts and walk). */
#include "ops/dwconv2d/arm/dwconv2d_dsp.h"

/* Any kernel: one output, and four side by side. */
static int32_t window(const nk_planar_channel* c, const int16_t* x, const int32_t* taps) {
  int32_t acc = c->bias, ky, k;
  for (ky = 0; ky < c->kernel_h; ++ky) {
    for (k = 0; 2 * k < c->kernel_w; ++k) acc = nk_smlad(nk_load_word(x + 2 * k), taps[k], acc);
    x += c->row;
    taps += c->words;
  }
  return acc;
}

static inline void windows(const nk_planar_channel* c, const int16_t* x, const int32_t* taps,
                           nk_dsp_sums* sums) {
  const ptrdiff_t s = c->stride;
  int32_t ky, k;
  for (ky = 0; ky < c->kernel_h; ++ky) {
    const int16_t* at = x;
    for (k = 0; 2 * k < c->kernel_w; ++k) {
      const int32_t pair = taps[k];
      const int16_t* next = at + 2 * s;
      sums->a0 = nk_smlad(nk_load_word(at), pair, sums->a0);
      sums->a1 = nk_smlad(nk_load_word(at + s), pair, sums->a1);
      sums->a2 = nk_smlad(nk_load_word(next), pair, sums->a2);
      sums->a3 = nk_smlad(nk_load_word(next + s), pair, sums->a3);
      at += 2;
    }
    x += c->row;
    taps += c->words;
  }
}

static NK_APART void write_row(const nk_planar_channel* c, const int16_t* x, const int32_t* taps,
                               int8_t* y) {
  int32_t left;
  for (left = c->width; left >= 4; left -= 4) {
    nk_dsp_sums sums = {c->bias, c->bias, c->bias, c->bias};
    windows(c, x, taps, &sums);
    y = nk_planar_store4(&sums, c, y);
    x += 4 * c->stride;
  }
  for (; left > 0; --left) {
    y = nk_planar_store1(window(c, x, taps), c, y);
    x += c->stride;
  }
}

/* Rows of three taps, (w0, w1) and (w2, w1): one output, four at stride 1, four at any. */
static inline int32_t add3(int32_t acc, const int16_t* x, const int32_t* taps) {
  return nk_smlabb(x[2], taps[1], nk_smlad(nk_load_word(x), taps[0], acc));
}

static inline void add3_by_4(nk_dsp_sums* sums, const int16_t* x, const int32_t* taps) {
  const int32_t left = taps[0], right = taps[1];
  int32_t pair = nk_load_word(x);
  sums->a0 = nk_smlad(pair, left, sums->a0);
  sums->a1 = nk_smlatb(pair, left, sums->a1);
  pair = nk_load_word(x + 2);
  sums->a0 = nk_smlabb(pair, right, sums->a0);
  sums->a1 = nk_smladx(pair, right, sums->a1);
  sums->a2 = nk_smlad(pair, left, sums->a2);
  sums->a3 = nk_smlatb(pair, left, sums->a3);
  pair = nk_load_word(x + 4);
  sums->a2 = nk_smlabb(pair, right, sums->a2);
  sums->a3 = nk_smladx(pair, right, sums->a3);
}

static inline void add3_strided(nk_dsp_sums* sums, const int16_t* x, ptrdiff_t stride,
                                const int32_t* taps) {
  sums->a0 = add3(sums->a0, x, taps);
  x += stride;
  sums->a1 = add3(sums->a1, x, taps);
  x += stride;
  sums->a2 = add3(sums->a2, x, taps);
  x += stride;
  sums->a3 = add3(sums->a3, x, taps);
}

static NK_APART void write_row_3x3(const nk_planar_channel* c, const int16_t* x,
                                   const int32_t* taps, int8_t* y) {
  const ptrdiff_t row = c->row;
  int32_t left;
  for (left = c->width; left >= 4; left -= 4) {
    nk_dsp_sums sums = {c->bias, c->bias, c->bias, c->bias};
    if (c->stride == 1) {
      add3_by_4(&sums, x, taps);
      add3_by_4(&sums, x + row, taps + 2);
      add3_by_4(&sums, x + 2 * row, taps + 4);
    } else {
      int32_t ky;
      for (ky = 0; ky < 3; ++ky) add3_strided(&sums, x + ky * row, c->stride, taps + 2 * ky);
    }
    y = nk_planar_store4(&sums, c, y);
    x += 4 * c->stride;
  }
  for (; left > 0; --left) {
    const int32_t acc = add3(add3(c->bias, x, taps), x + row, taps + 2);
    y = nk_planar_store1(add3(acc, x + 2 * row, taps + 4), c, y);
    x += c->stride;
  }
}

/* Windows of three taps have their fourth tap in use: only the function for 3x3 knows it, so other
 * heights read one tap at a time. */
static NK_APART void write_row_kx3(const nk_planar_channel* c, const int16_t* x,
                                   const int32_t* taps, int8_t* y) {
  int32_t left, ky;
  for (left = c->width; left > 0; --left) {
    int32_t acc = c->bias;
    for (ky = 0; ky < c->kernel_h; ++ky) acc = add3(acc, x + ky * c->row, taps + 2 * ky);
    y = nk_planar_store1(acc, c, y);
    x += c->stride;
  }
}

void nk_dwconv2d_s8_dsp(const void* params, const void* const* in, void* const* out,
                        void* scratch) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_planar d = nk_planar_of(p);
  const nk_planar_writer write =
      d.kernel_w != 3 ? write_row : (d.kernel_h == 3 ? write_row_3x3 : write_row_kx3);
  nk_planar_run(p, &d, in, (int8_t*)out[0], scratch, write);
}
