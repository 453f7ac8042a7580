/* SPDX-License-Identifier: MIT */
/* The reference of signal_rfft (signal.h): a complex transform of half the length, whose real and
 * imaginary parts are the samples of even and odd number, then what untwines the two. Everything
 * happens in the output. Sums wrap at 16 bits, as the transform does that this one equals. */
#include <string.h>

#include "ops/signal/signal.h"

typedef struct cpx {
  int16_t r, i;
} cpx;

#define NK_RFFT_HALF 16383 /* 1/2 and 1/4 in Q15, rounded down */
#define NK_RFFT_QUARTER 8191

/* Q15 of a Q30 sum. */
static inline int16_t rounded(uint32_t sum) { return (int16_t)((int32_t)(sum + 16384u) >> 15); }
static inline uint32_t product(int16_t a, int16_t b) { return (uint32_t)((int32_t)a * b); }

static inline cpx scaled(cpx a, int16_t by) {
  cpx y;
  y.r = rounded(product(a.r, by));
  y.i = rounded(product(a.i, by));
  return y;
}
static inline cpx turned(cpx a, cpx by) {
  cpx y;
  y.r = rounded(product(a.r, by.r) - product(a.i, by.i));
  y.i = rounded(product(a.r, by.i) + product(a.i, by.r));
  return y;
}
static inline cpx sum_of(cpx a, cpx b) {
  cpx y;
  y.r = (int16_t)(a.r + b.r);
  y.i = (int16_t)(a.i + b.i);
  return y;
}
static inline cpx difference(cpx a, cpx b) {
  cpx y;
  y.r = (int16_t)(a.r - b.r);
  y.i = (int16_t)(a.i - b.i);
  return y;
}

/* Where place `to` of the transform takes its input from: the digits of its number in the radices
 * 4, 4, … and, last, 2 where the logarithm is odd, in the opposite order. */
static uint32_t source_of(uint32_t to, int32_t log2) {
  uint32_t from = 0;
  int32_t up = 0;
  while (log2 > 0) {
    const int32_t digit = log2 >= 2 ? 2 : 1;
    log2 -= digit;
    from += (to >> log2) << up;
    to &= (1u << log2) - 1u;
    up += digit;
  }
  return from;
}

/* Neighbours, each alone: their turn is the first of the table. */
static void stage_of_2(cpx* y, int32_t n, const cpx* turns) {
  int32_t i;
  for (i = 0; i < n; i += 2) {
    const cpx a = scaled(y[i], NK_RFFT_HALF);
    const cpx b = turned(scaled(y[i + 1], NK_RFFT_HALF), turns[0]);
    y[i + 1] = difference(a, b);
    y[i] = sum_of(a, b);
  }
}

/* Four transforms of length m side by side become one. */
static void stage_of_4(cpx* y, int32_t n, int32_t m, const cpx* turns) {
  const int32_t step = n / (4 * m);
  int32_t group, k;
  for (group = 0; group < n; group += 4 * m) {
    for (k = 0; k < m; ++k) {
      cpx* at = y + group + k;
      const cpx a = scaled(at[0], NK_RFFT_QUARTER);
      const cpx b = turned(scaled(at[m], NK_RFFT_QUARTER), turns[k * step]);
      const cpx c = turned(scaled(at[2 * m], NK_RFFT_QUARTER), turns[2 * k * step]);
      const cpx d = turned(scaled(at[3 * m], NK_RFFT_QUARTER), turns[3 * k * step]);
      const cpx even = sum_of(a, c), odd = difference(a, c);
      const cpx both = sum_of(b, d), apart = difference(b, d);
      at[0] = sum_of(even, both);
      at[2 * m] = difference(even, both);
      at[m].r = (int16_t)(odd.r + apart.i);
      at[m].i = (int16_t)(odd.i - apart.r);
      at[3 * m].r = (int16_t)(odd.r - apart.i);
      at[3 * m].i = (int16_t)(odd.i + apart.r);
    }
  }
}

static void untwine(cpx* y, int32_t n, const cpx* turns) {
  const cpx first = scaled(y[0], NK_RFFT_HALF);
  int32_t k;
  y[0].r = (int16_t)(first.r + first.i);
  y[n].r = (int16_t)(first.r - first.i);
  y[0].i = y[n].i = 0;
  for (k = 1; k <= n / 2; ++k) {
    cpx mirror = y[n - k], even, odd;
    const cpx here = scaled(y[k], NK_RFFT_HALF);
    mirror.i = (int16_t)-mirror.i;
    mirror = scaled(mirror, NK_RFFT_HALF);
    even = sum_of(here, mirror);
    odd = turned(difference(here, mirror), turns[k - 1]);
    y[k].r = (int16_t)((even.r + odd.r) >> 1);
    y[k].i = (int16_t)((even.i + odd.i) >> 1);
    y[n - k].r = (int16_t)((even.r - odd.r) >> 1);
    y[n - k].i = (int16_t)((odd.i - even.i) >> 1);
  }
}

void nk_signal_rfft_ref(NK_KERNEL_ARGS) {
  const nk_signal_rfft_params* p = (const nk_signal_rfft_params*)params;
  const int16_t* x = (const int16_t*)in[0];
  const cpx* turns = (const cpx*)in[1];
  cpx* y = (cpx*)out[0];
  const int32_t n = (int32_t)1 << p->half_log2;
  int32_t o, i, m;
  (void)scratch;
  for (o = 0; o < p->outer; ++o, x += p->size, y += n + 1) {
    for (i = 0; i < n; ++i) {
      const int32_t from = 2 * (int32_t)source_of((uint32_t)i, p->half_log2);
      y[i].r = from < p->size ? x[from] : (int16_t)0;
      y[i].i = from + 1 < p->size ? x[from + 1] : (int16_t)0;
    }
    if ((p->half_log2 & 1) != 0) stage_of_2(y, n, turns);
    for (m = (p->half_log2 & 1) != 0 ? 2 : 1; m < n; m *= 4) stage_of_4(y, n, m, turns);
    untwine(y, n, turns + nk_rfft_turns(p->half_log2));
  }
}
