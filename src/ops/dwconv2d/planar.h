/* SPDX-License-Identifier: MIT */
/* dwconv2d channel by channel, with rows spread out to int16 in scratch: what the DSP and the
 * scalar row share. One output for each input channel, dilation 1, padding less than the kernel.
 * Kernel in[]:    x, weights, table (common/arm/dsp_requantize.h).
 * Layout taps4:   int8, channel by channel, row by row of the kernel; a row in fours of taps k to
 *                 k + 3 (zeros behind the last) in the order k, k + 2, k + 1, k + 3. Rows of three
 *                 taps have the middle one again as the fourth.
 * Modes:          plain and NK_MODE_CHANNEL_RING, which are one walk.
 * Scratch:        rows of one channel with the padding around them: all of them where that takes
 *                 NK_PLANAR_BYTES at most, else a ring of kernel_h. Then the channel's taps as
 *                 pairs, rows 0 to kernel_h - 1 and again 0 to kernel_h - 2, so that the rows of
 *                 the ring, whichever is first, find theirs in order.
 * An image of one column counts as one of one row: both lie in memory alike. */
#ifndef NETKIT_OPS_DWCONV2D_PLANAR_H
#define NETKIT_OPS_DWCONV2D_PLANAR_H

#include "ops/common/arm/dsp_requantize.h"
#include "ops/dwconv2d/channel_ring.h"
#include "ops/dwconv2d/dwconv2d.h"

#define NK_PLANAR_BYTES 512

/* The walk along the rows of one channel, in elements. */
typedef struct nk_planar {
  int32_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  int32_t row;   /* halves of a row in scratch, even: all that the windows of a row read */
  int32_t loads; /* of them, elements of the input */
  int32_t rows;  /* in scratch: of the padded image (read by some window), or kernel_h */
  int32_t words; /* pairs of taps in a row of the kernel, even */
} nk_planar;

static inline nk_planar nk_planar_of(const nk_dwconv2d_params* p) {
  const int column = p->in_w == 1 && p->kernel_w == 1 && p->out_w == 1 && p->pad_left == 0;
  nk_planar d;
  d.in_h = column ? 1 : p->in_h;
  d.in_w = column ? p->in_h : p->in_w;
  d.out_h = column ? 1 : p->out_h;
  d.out_w = column ? p->out_h : p->out_w;
  d.kernel_h = column ? 1 : p->kernel_h;
  d.kernel_w = column ? p->kernel_h : p->kernel_w;
  d.stride_h = column ? 1 : p->stride_h;
  d.stride_w = column ? p->stride_h : p->stride_w;
  d.pad_h = column ? 0 : p->pad_top;
  d.pad_w = column ? p->pad_top : p->pad_left;
  d.words = (d.kernel_w + 3) / 4 * 2;
  d.row = ((d.out_w - 1) * d.stride_w + d.kernel_w + 1) / 2 * 2;
  d.loads = d.row - d.pad_w < d.in_w ? d.row - d.pad_w : d.in_w;
  d.rows = (d.out_h - 1) * d.stride_h + d.kernel_h;
  if ((int64_t)d.rows * d.row > NK_PLANAR_BYTES / (int64_t)sizeof(int16_t)) {
    d.rows = d.kernel_h;
  }
  return d;
}

/* A multiple of 8 bytes. */
static inline int64_t nk_planar_scratch(const nk_dwconv2d_params* p) {
  const nk_planar d = nk_planar_of(p);
  const int64_t ring = ((int64_t)d.rows * d.row * (int64_t)sizeof(int16_t) + 7) / 8 * 8;
  return ring + (2 * (int64_t)d.kernel_h - 1) * d.words * (int64_t)sizeof(int32_t);
}

/* What the windows of a row need. */
typedef struct nk_planar_channel {
  nk_dsp_scale scale;
  int32_t bias;
  ptrdiff_t pixel; /* bytes from one output to the next */
  int32_t width;   /* outputs of a row */
  ptrdiff_t row;   /* halves from one row in scratch to the next */
  int32_t stride, kernel_h, kernel_w, words;
  int32_t pad; /* the input's zero point */
} nk_planar_channel;

/* A row of outputs from the rows in scratch, `taps` being those of the row that stands first. */
typedef void (*nk_planar_writer)(const nk_planar_channel* c, const int16_t* x, const int32_t* taps,
                                 int8_t* y);
/* Rows of taps as pairs, `rows` of them and all but the last again. */
static NK_APART void nk_planar_unpack(const int8_t* from, int32_t rows, int32_t words,
                                      int32_t* to) {
  int32_t* again = to + rows * words;
  int32_t i;
  for (i = 0; i < rows * words; i += 2) {
    const int32_t word = nk_load_word(from);
    from += 4;
    to[i] = nk_even_bytes(word);
    to[i + 1] = nk_odd_bytes(word);
  }
  for (i = 0; i < (rows - 1) * words; ++i) again[i] = to[i];
}

static NK_APART void nk_planar_fill(int16_t* to, int32_t count, int32_t value) {
  for (; count > 0; --count) *to++ = (int16_t)value;
}

/* Every `pixel`-th byte. */
static NK_APART void nk_planar_gather(const int8_t* from, int32_t count, ptrdiff_t pixel,
                                      int16_t* to) {
  for (count -= 4; count >= 0; count -= 4) {
    const int8_t* next = from + 2 * pixel;
    to[0] = from[0];
    to[1] = from[pixel];
    to[2] = next[0];
    to[3] = next[pixel];
    from = next + 2 * pixel;
    to += 4;
  }
  for (count += 4; count > 0; --count) {
    *to++ = *from;
    from += pixel;
  }
}

static NK_APART_IF_FEW NK_MAYBE_UNUSED int8_t* nk_planar_store1(int32_t acc,
                                                                const nk_planar_channel* c,
                                                                int8_t* y) {
  *y = (int8_t)(nk_dsp_is_short(&c->scale) ? nk_dsp_scaled(acc, &c->scale)
                                           : nk_dsp_scaled_any(acc, &c->scale));
  return y + c->pixel;
}

static inline int8_t* nk_planar_store4(const nk_dsp_sums* sums, const nk_planar_channel* c,
                                       int8_t* y) {
  const ptrdiff_t pixel = c->pixel;
  if (nk_dsp_is_short(&c->scale)) {
    const nk_dsp_scale scale = c->scale; /* a store of int8 could change what c points to */
    nk_dsp_store4(sums->a0, sums->a1, sums->a2, sums->a3, &scale, y, pixel);
  } else {
    const nk_dsp_sums all = *sums;
    nk_dsp_store4_any(&all, &c->scale, y, pixel);
  }
  return y + 4 * pixel;
}

/* All rows of the image stand in scratch, its padding untouched. */
static NK_APART void nk_planar_write_plane(const nk_planar* d, const nk_planar_channel* c,
                                           nk_planar_writer write, const int8_t* x, int16_t* plane,
                                           const int32_t* taps, int8_t* y) {
  const int32_t end = d->rows - d->pad_h < d->in_h ? d->rows - d->pad_h : d->in_h;
  int16_t* to = plane + d->pad_h * d->row + d->pad_w;
  int32_t i;
  for (i = 0; i < end; ++i) {
    nk_planar_gather(x, d->loads, c->pixel, to);
    x += d->in_w * c->pixel;
    to += d->row;
  }
  for (i = 0; i < d->out_h; ++i) {
    write(c, plane, taps, y);
    plane += d->stride_h * d->row;
    y += d->out_w * c->pixel;
  }
}

/* kernel_h rows stand in scratch; rows count from the padding's first on. */
static NK_APART void nk_planar_write_ring(const nk_planar* d, const nk_planar_channel* c,
                                          nk_planar_writer write, const int8_t* x, int16_t* ring,
                                          const int32_t* taps, int8_t* y) {
  int32_t seen = 0, slot = 0, oy;
  for (oy = 0; oy < d->out_h; ++oy) {
    const int32_t top = oy * d->stride_h, first = top % d->kernel_h;
    for (; seen < top + d->kernel_h; ++seen) {
      const int32_t iy = seen - d->pad_h;
      int16_t* to = ring + slot * d->row + d->pad_w;
      if (++slot == d->kernel_h) slot = 0;
      if (seen < top) continue;
      if (iy < 0 || iy >= d->in_h) {
        nk_planar_fill(to, d->loads, c->pad);
      } else {
        nk_planar_gather(x + iy * d->in_w * c->pixel, d->loads, c->pixel, to);
      }
    }
    write(c, ring, taps + (first == 0 ? 0 : d->kernel_h - first) * d->words, y);
    y += d->out_w * c->pixel;
  }
}

/* The whole kernel; `write` computes a row of windows. */
static inline void nk_planar_run(const nk_dwconv2d_params* p, const nk_planar* d,
                                 const void* const* in, int8_t* y, void* scratch,
                                 nk_planar_writer write) {
  const size_t in_image = (size_t)d->in_h * (size_t)d->in_w * (size_t)p->in_c;
  const size_t out_image = (size_t)d->out_h * (size_t)d->out_w * (size_t)p->out_c;
  const int8_t* x = (const int8_t*)nk_agree_on_channels(
      in[0], y, in_image * (size_t)p->batch, out_image * (size_t)p->batch, (size_t)p->out_c);
  int16_t* rows = (int16_t*)scratch;
  int32_t* pairs = (int32_t*)(void*)(rows + (d->rows * d->row + 3) / 4 * 4);
  nk_planar_channel c;
  int32_t n, oc;
  c.pixel = p->out_c;
  c.width = d->out_w;
  c.row = d->row;
  c.stride = d->stride_w;
  c.kernel_h = d->kernel_h;
  c.kernel_w = d->kernel_w;
  c.words = d->words;
  c.pad = -p->input_offset;
  nk_planar_fill(rows, d->rows * d->row, -p->input_offset);
  for (n = 0; n < p->batch; ++n) {
    const int8_t* taps = (const int8_t*)in[1];
    const int32_t* table = (const int32_t*)in[2];
    for (oc = 0; oc < p->out_c; ++oc) {
      nk_planar_unpack(taps, d->kernel_h, d->words, pairs);
      c.bias = table[0];
      c.scale = nk_dsp_scale_of(table, p->output_offset);
      if (d->rows != d->kernel_h || d->out_h == 1) {
        nk_planar_write_plane(d, &c, write, x + oc, rows, pairs, y + oc);
      } else {
        nk_planar_write_ring(d, &c, write, x + oc, rows, pairs, y + oc);
      }
      taps += d->kernel_h * d->words * 2;
      table += NK_DSP_TABLE_FIELDS;
    }
    nk_dsp_clamp(y, out_image, p->act_min, p->act_max);
    x += in_image;
    y += out_image;
  }
}

#endif
