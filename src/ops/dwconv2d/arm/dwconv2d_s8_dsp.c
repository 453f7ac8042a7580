/* SPDX-License-Identifier: MIT */
/* dwconv2d for the DSP extension (dwconv2d_dsp.h has layouts and walk). */
#include "ops/dwconv2d/arm/dwconv2d_dsp.h"

/* What the windows of a row need. */
typedef struct channel {
  nk_dsp_scale scale;
  int32_t bias;
  ptrdiff_t pixel; /* bytes from one output to the next */
  int32_t width;   /* outputs of a row */
  ptrdiff_t row;   /* halves from one row in scratch to the next */
  int32_t stride, kernel_h, kernel_w, words;
} channel;

/* Rows of taps as pairs, `rows` of them and all but the last again. */
static void unpack_taps(const int8_t* from, int32_t rows, int32_t words, int32_t* to) {
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

static void fill(int16_t* to, int32_t count, int32_t value) {
  for (; count > 0; --count) *to++ = (int16_t)value;
}

/* Every `pixel`-th byte. */
static NK_APART void gather(const int8_t* from, int32_t count, ptrdiff_t pixel, int16_t* to) {
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

static inline int8_t* store1(int32_t acc, const channel* c, int8_t* y) {
  *y = (int8_t)(nk_dsp_is_short(&c->scale) ? nk_dsp_scaled(acc, &c->scale)
                                           : nk_dsp_scaled_any(acc, &c->scale));
  return y + c->pixel;
}

static inline int8_t* store4(const nk_dsp_sums* sums, const channel* c, int8_t* y) {
  const nk_dsp_scale scale = c->scale; /* a store of int8 could change what c points to */
  const ptrdiff_t pixel = c->pixel;
  nk_dsp_store4(sums->a0, sums->a1, sums->a2, sums->a3, &scale, y, pixel);
  return y + 4 * pixel;
}

/* Any kernel: one output, and four side by side. */
static int32_t window(const channel* c, const int16_t* x, const int32_t* taps) {
  int32_t acc = c->bias, ky, k;
  for (ky = 0; ky < c->kernel_h; ++ky) {
    for (k = 0; 2 * k < c->kernel_w; ++k) acc = nk_smlad(nk_load_word(x + 2 * k), taps[k], acc);
    x += c->row;
    taps += c->words;
  }
  return acc;
}

static inline void windows(const channel* c, const int16_t* x, const int32_t* taps,
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

static NK_APART void write_row(const channel* c, const int16_t* x, const int32_t* taps,
                               int8_t* y) {
  int32_t left;
  for (left = c->width; left >= 4; left -= 4) {
    nk_dsp_sums sums = {c->bias, c->bias, c->bias, c->bias};
    windows(c, x, taps, &sums);
    y = store4(&sums, c, y);
    x += 4 * c->stride;
  }
  for (; left > 0; --left) {
    y = store1(window(c, x, taps), c, y);
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

static NK_APART void write_row_3x3(const channel* c, const int16_t* x, const int32_t* taps,
                                   int8_t* y) {
  const ptrdiff_t row = c->row;
  int32_t left;
  for (left = c->width; left >= 4; left -= 4) {
    nk_dsp_sums sums = {c->bias, c->bias, c->bias, c->bias};
    if (c->stride == 1) {
      add3_by_4(&sums, x, taps);
      add3_by_4(&sums, x + row, taps + 2);
      add3_by_4(&sums, x + 2 * row, taps + 4);
    } else {
      add3_strided(&sums, x, c->stride, taps);
      add3_strided(&sums, x + row, c->stride, taps + 2);
      add3_strided(&sums, x + 2 * row, c->stride, taps + 4);
    }
    y = store4(&sums, c, y);
    x += 4 * c->stride;
  }
  for (; left > 0; --left) {
    const int32_t acc = add3(add3(c->bias, x, taps), x + row, taps + 2);
    y = store1(add3(acc, x + 2 * row, taps + 4), c, y);
    x += c->stride;
  }
}

/* Windows of three taps have their fourth tap in use: only the function for 3x3 knows it, so other
 * heights read one tap at a time. */
static NK_APART void write_row_kx3(const channel* c, const int16_t* x, const int32_t* taps,
                                   int8_t* y) {
  int32_t left, ky;
  for (left = c->width; left > 0; --left) {
    int32_t acc = c->bias;
    for (ky = 0; ky < c->kernel_h; ++ky) acc = add3(acc, x + ky * c->row, taps + 2 * ky);
    y = store1(acc, c, y);
    x += c->stride;
  }
}

typedef void (*row_writer)(const channel* c, const int16_t* x, const int32_t* taps, int8_t* y);

/* All rows of the image stand in scratch, its padding untouched. */
static void write_plane(const nk_dwconv2d_dsp* d, const channel* c, row_writer write,
                        const int8_t* x, int16_t* plane, const int32_t* taps, int8_t* y) {
  const int32_t end = d->rows - d->pad_h < d->in_h ? d->rows - d->pad_h : d->in_h;
  int16_t* to = plane + d->pad_h * d->row + d->pad_w;
  int32_t i;
  for (i = 0; i < end; ++i) {
    gather(x, d->loads, c->pixel, to);
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
static void write_ring(const nk_dwconv2d_dsp* d, const channel* c, row_writer write,
                       const int8_t* x, int16_t* ring, const int32_t* taps, int8_t* y,
                       int32_t pad) {
  int32_t seen = 0, slot = 0, oy;
  for (oy = 0; oy < d->out_h; ++oy) {
    const int32_t top = oy * d->stride_h, first = top % d->kernel_h;
    for (; seen < top + d->kernel_h; ++seen) {
      const int32_t iy = seen - d->pad_h;
      int16_t* to = ring + slot * d->row + d->pad_w;
      if (++slot == d->kernel_h) slot = 0;
      if (seen < top) continue;
      if (iy < 0 || iy >= d->in_h) {
        fill(to, d->loads, pad);
      } else {
        gather(x + iy * d->in_w * c->pixel, d->loads, c->pixel, to);
      }
    }
    write(c, ring, taps + (first == 0 ? 0 : d->kernel_h - first) * d->words, y);
    y += d->out_w * c->pixel;
  }
}

void nk_dwconv2d_s8_dsp(const void* params, const void* const* in, void* const* out,
                        void* scratch) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_dwconv2d_dsp d = nk_dwconv2d_dsp_of(p);
  const row_writer write =
      d.kernel_w != 3 ? write_row : (d.kernel_h == 3 ? write_row_3x3 : write_row_kx3);
  const size_t in_image = (size_t)d.in_h * (size_t)d.in_w * (size_t)p->in_c;
  const size_t out_image = (size_t)d.out_h * (size_t)d.out_w * (size_t)p->out_c;
  int8_t* y = (int8_t*)out[0];
  const int8_t* x = (const int8_t*)nk_agree_on_channels(
      in[0], y, in_image * (size_t)p->batch, out_image * (size_t)p->batch, (size_t)p->out_c);
  int16_t* rows = (int16_t*)scratch;
  int32_t* pairs = (int32_t*)(void*)(rows + (d.rows * d.row + 3) / 4 * 4);
  channel c;
  int32_t n, oc;
  c.pixel = p->out_c;
  c.width = d.out_w;
  c.row = d.row;
  c.stride = d.stride_w;
  c.kernel_h = d.kernel_h;
  c.kernel_w = d.kernel_w;
  c.words = d.words;
  fill(rows, d.rows * d.row, -p->input_offset);
  for (n = 0; n < p->batch; ++n) {
    const int8_t* taps = (const int8_t*)in[1];
    const int32_t* table = (const int32_t*)in[2];
    for (oc = 0; oc < p->out_c; ++oc) {
      unpack_taps(taps, d.kernel_h, d.words, pairs);
      c.bias = table[0];
      c.scale = nk_dsp_scale_of(table, p->output_offset);
      if (d.rows != d.kernel_h || d.out_h == 1) {
        write_plane(&d, &c, write, x + oc, rows, pairs, y + oc);
      } else {
        write_ring(&d, &c, write, x + oc, rows, pairs, y + oc, -p->input_offset);
      }
      taps += d.kernel_h * d.words * 2;
      table += NK_DSP_TABLE_FIELDS;
    }
    nk_dsp_clamp(y, out_image, p->act_min, p->act_max);
    x += in_image;
    y += out_image;
  }
}
