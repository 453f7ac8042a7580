/* SPDX-License-Identifier: MIT */
/* How far the output of a sliding-window kernel may reach into its input (host/overlap.h tells what
 * that means): integers only, for the planners of host and device. C99 and C++. */
#ifndef NETKIT_OPS_COMMON_WINDOW_OVERLAP_H
#define NETKIT_OPS_COMMON_WINDOW_OVERLAP_H

#include <stdint.h>

#include "ops/common/spatial.h"

/* One axis: output o reads the inputs o * stride - pad + k * dilation, k < taps, that lie in
 * [0, in). A negative pad skips inputs. */
typedef struct nk_axis {
  int64_t out, in, taps, stride, dilation, pad;
} nk_axis;

/* Input that an output element reads from each pixel of its window. */
typedef enum nk_reads {
  NK_READS_ALL_CHANNELS = 0, /* conv2d: every channel (or, if grouped, at most that) */
  NK_READS_OWN_CHANNEL = 1,  /* dwconv2d, pool2d: channel c / (out_c / in_c) */
  NK_READS_PIXEL_FIRST = 2   /* the whole input pixel before the first write (1x1) */
} nk_reads;

#define NK_NO_LEAD INT64_MIN /* no output reads anything */
#define NK_MOST_PHASES 65536 /* of a dilation that are looked at one by one */

static inline int64_t nk_floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
static inline int64_t nk_ceil_div(int64_t a, int64_t b) { return -nk_floor_div(-a, b); }
static inline int64_t nk_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t nk_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t nk_axis_extent(const nk_axis* a) { return (a->taps - 1) * a->dilation + 1; }
static inline nk_axis nk_axis_mirrored(nk_axis a) {
  a.pad = (a.out - 1) * a.stride - a.pad + nk_axis_extent(&a) - a.in;
  return a;
}
static inline nk_axis nk_axis_of_rows(const nk_spatial* s) {
  const nk_axis a = {s->out_h, s->in_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top};
  return a;
}
static inline nk_axis nk_axis_of_columns(const nk_spatial* s) {
  const nk_axis a = {s->out_w, s->in_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left};
  return a;
}

/* Greatest o * write - first(o) * read, where first(o) is the first input that output o reads, or
 * NK_NO_LEAD. Above NK_MOST_PHASES phases a bound of it. */
static inline int64_t nk_window_lead(const nk_axis* a, int64_t write, int64_t read) {
  /* Windows that begin in the input: their first tap moves with o, so an end is the greatest. */
  const int64_t begins = nk_max_i64(0, nk_ceil_div(a->pad, a->stride));
  const int64_t ends = nk_min_i64(a->out - 1, nk_floor_div(a->in - 1 + a->pad, a->stride));
  /* Windows that begin before it, the last first: their first tap comes back after a period. */
  const int64_t last = nk_min_i64(a->out, begins) - 1;
  int64_t best = NK_NO_LEAD, period = a->dilation, gcd = a->dilation, rest = a->stride, o;
  if (begins <= ends) {
    best = nk_max_i64(begins * write - (begins * a->stride - a->pad) * read,
                      ends * write - (ends * a->stride - a->pad) * read);
  }
  while (rest != 0) {
    const int64_t next = gcd % rest;
    gcd = rest;
    rest = next;
  }
  period /= gcd;
  if (last >= 0 && nk_min_i64(last, period) > NK_MOST_PHASES) {
    return nk_max_i64(best, last * write);
  }
  for (o = last; o >= 0 && o > last - period; --o) {
    const int64_t origin = o * a->stride - a->pad;
    const int64_t k = nk_ceil_div(-origin, a->dilation);
    const int64_t first = origin + k * a->dilation;
    if (k < a->taps && first < a->in) best = nk_max_i64(best, o * write - first * read);
  }
  return best;
}

/* Elements written inside a pixel, at most, beyond what is still to be read of its window. */
static inline int64_t nk_inside_pixel(const nk_spatial* s, nk_reads reads) {
  const int64_t channels = s->out_c - 1;
  int64_t multiplier;
  if (reads == NK_READS_PIXEL_FIRST) return 0;
  if (reads == NK_READS_ALL_CHANNELS) return channels;
  /* Output channel k (in walk order) reads input channel k / multiplier (in walk order). */
  multiplier = s->out_c / (s->in_c > 1 ? s->in_c : 1);
  return channels - channels / (multiplier > 1 ? multiplier : 1);
}

typedef int64_t (*nk_lead)(const nk_axis* axis, int64_t write, int64_t read);

/* In elements. Pixel i = (image, y, x) in walk order is written up to element i * out_c, and then
 * inside it, while its window is still to be read: the greatest lead of the writes is the sum of
 * the axes' leads. */
static inline int64_t nk_walk_distance(const nk_spatial* s, const nk_axis* h, const nk_axis* w,
                                       nk_lead lead, nk_reads reads) {
  const int64_t out_row = (int64_t)s->out_w * s->out_c, in_row = (int64_t)s->in_w * s->in_c;
  const int64_t image = s->out_h * out_row - s->in_h * in_row;
  int64_t rows, columns;
  if ((int64_t)s->batch * s->out_h * out_row == 0) return 0;
  rows = lead(h, out_row, in_row);
  columns = lead(w, s->out_c, s->in_c);
  if (rows == NK_NO_LEAD || columns == NK_NO_LEAD) return 0;
  return nk_max_i64(0, nk_max_i64(0, ((int64_t)s->batch - 1) * image) + rows + columns +
                           nk_inside_pixel(s, reads));
}

/* Elements by which the output must lie below the input for a forward walk. */
static inline int64_t nk_forward_distance(const nk_spatial* s, nk_reads reads) {
  const nk_axis h = nk_axis_of_rows(s), w = nk_axis_of_columns(s);
  return nk_walk_distance(s, &h, &w, nk_window_lead, reads);
}
/* Elements by which its end must lie above the input's for a backward walk. */
static inline int64_t nk_backward_distance(const nk_spatial* s, nk_reads reads) {
  const nk_axis h = nk_axis_mirrored(nk_axis_of_rows(s));
  const nk_axis w = nk_axis_mirrored(nk_axis_of_columns(s));
  return nk_walk_distance(s, &h, &w, nk_window_lead, reads);
}

/* Rows of one channel that NK_MODE_CHANNEL_RING holds in scratch. */
static inline int64_t nk_channel_ring_rows(const nk_spatial* s) {
  return nk_min_i64(((int64_t)s->kernel_h - 1) * s->dilation_h + 1, s->in_h);
}

/* May NK_MODE_CHANNEL_RING write in place? As many channels as the input, and the output never
 * grows past the rows still to be read: when row y has been written, those from
 * next(y) = max(0, y * stride + base) on; it must end before them. How far it is ahead is concave
 * in y, so that it is greatest at an end or where next(y) leaves 0. */
static inline int nk_channel_ring_fits(const nk_spatial* s) {
  const int64_t extent = ((int64_t)s->kernel_h - 1) * s->dilation_h + 1;
  const int64_t base = nk_max_i64(extent, s->stride_h) - s->pad_top;
  const int64_t last = nk_min_i64(s->out_h - 2, nk_floor_div(s->in_h - 1 - base, s->stride_h));
  const int64_t bend = nk_floor_div(-base, s->stride_h);
  int64_t at[4];
  int i;
  if (s->in_c != s->out_c || (int64_t)s->out_h * s->out_w > (int64_t)s->in_h * s->in_w) return 0;
  at[0] = 0;
  at[1] = bend;
  at[2] = bend + 1;
  at[3] = last;
  for (i = 0; i < 4; ++i) {
    const int64_t y = nk_min_i64(nk_max_i64(at[i], 0), nk_max_i64(0, last));
    const int64_t next = nk_max_i64(0, y * s->stride_h + base);
    if (y <= last && (y + 1) * s->out_w > next * s->in_w) return 0;
  }
  return 1;
}

#endif
