/* SPDX-License-Identifier: MIT */
/* dwconv2d for the DSP extension (dwconv2d_dsp.h has layouts and walk). */
#include "ops/dwconv2d/arm/dwconv2d_dsp.h"

/* One channel on its way. */
typedef struct channel {
  const int32_t* taps; /* of the row of the ring that stands first */
  const int16_t* ring;
  int32_t bias, pixel; /* pixel: bytes from one output to the next */
  nk_dsp_scale scale;
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
static void gather(const int8_t* from, int32_t count, size_t pixel, int16_t* to) {
  for (; count >= 4; count -= 4) {
    to[0] = from[0];
    to[1] = from[pixel];
    to[2] = from[2 * pixel];
    to[3] = from[3 * pixel];
    from += 4 * pixel;
    to += 4;
  }
  for (; count > 0; --count) {
    *to++ = *from;
    from += pixel;
  }
}

static inline int32_t scaled(int32_t acc, const nk_dsp_scale* scale) {
  return nk_dsp_is_short(scale) ? nk_dsp_scaled(acc, scale) : nk_dsp_scaled_any(acc, scale);
}

static inline int8_t* store4(int32_t a0, int32_t a1, int32_t a2, int32_t a3, const channel* c,
                             int8_t* y) {
  if (nk_dsp_is_short(&c->scale)) {
    y[0] = (int8_t)nk_dsp_scaled(a0, &c->scale);
    y[c->pixel] = (int8_t)nk_dsp_scaled(a1, &c->scale);
    y += 2 * c->pixel;
    y[0] = (int8_t)nk_dsp_scaled(a2, &c->scale);
    y[c->pixel] = (int8_t)nk_dsp_scaled(a3, &c->scale);
    y += 2 * c->pixel;
  } else {
    const int32_t acc[4] = {a0, a1, a2, a3};
    int i;
    for (i = 0; i < 4; ++i, y += c->pixel) *y = (int8_t)nk_dsp_scaled_any(acc[i], &c->scale);
  }
  return y;
}

/* One output: all taps of its window. */
static int32_t window(const nk_dwconv2d_dsp* d, const channel* c, const int16_t* x) {
  const int32_t* taps = c->taps;
  int32_t acc = c->bias, ky, k;
  for (ky = 0; ky < d->kernel_h; ++ky) {
    if (d->kernel_w == 3) {
      acc = nk_smlad(nk_load_word(x), taps[0], acc);
      acc = nk_smlabb(x[2], taps[1], acc);
    } else {
      for (k = 0; 2 * k < d->kernel_w; ++k) acc = nk_smlad(nk_load_word(x + 2 * k), taps[k], acc);
    }
    x += d->row;
    taps += d->words;
  }
  return acc;
}

/* Four outputs side by side. */
static inline int8_t* windows(const nk_dwconv2d_dsp* d, const channel* c, const int16_t* x,
                              int8_t* y) {
  const int32_t* taps = c->taps;
  const int32_t s = d->stride_w;
  int32_t a0 = c->bias, a1 = a0, a2 = a0, a3 = a0, ky, k;
  for (ky = 0; ky < d->kernel_h; ++ky) {
    const int16_t* at = x + ky * d->row;
    for (k = d->kernel_w; k > 0; k -= 2) {
      const int32_t pair = *taps++;
      a0 = nk_smlad(nk_load_word(at), pair, a0);
      a1 = nk_smlad(nk_load_word(at + s), pair, a1);
      a2 = nk_smlad(nk_load_word(at + 2 * s), pair, a2);
      a3 = nk_smlad(nk_load_word(at + 3 * s), pair, a3);
      at += 2;
    }
    taps += d->words - (d->kernel_w + 1) / 2;
  }
  return store4(a0, a1, a2, a3, c, y);
}

/* The same for rows of three taps, at stride 1 and at others. */
static inline int8_t* windows_of_3(const nk_dwconv2d_dsp* d, const channel* c, const int16_t* x,
                                   int8_t* y) {
  const int32_t* taps = c->taps;
  int32_t a0 = c->bias, a1 = a0, a2 = a0, a3 = a0, ky;
  for (ky = d->kernel_h; ky != 0; --ky) {
    const int32_t left = taps[0], right = taps[1]; /* (w0, w1), (w2, w1) */
    int32_t pair = nk_load_word(x);
    a0 = nk_smlad(pair, left, a0);
    a1 = nk_smlatb(pair, left, a1);
    pair = nk_load_word(x + 2);
    a0 = nk_smlabb(pair, right, a0);
    a1 = nk_smladx(pair, right, a1);
    a2 = nk_smlad(pair, left, a2);
    a3 = nk_smlatb(pair, left, a3);
    pair = nk_load_word(x + 4);
    a2 = nk_smlabb(pair, right, a2);
    a3 = nk_smladx(pair, right, a3);
    x += d->row;
    taps += 2;
  }
  return store4(a0, a1, a2, a3, c, y);
}

static inline int8_t* strided_windows_of_3(const nk_dwconv2d_dsp* d, const channel* c,
                                           const int16_t* x, int8_t* y) {
  const int32_t* taps = c->taps;
  const int32_t s = d->stride_w;
  int32_t a0 = c->bias, a1 = a0, a2 = a0, a3 = a0, ky;
  for (ky = d->kernel_h; ky != 0; --ky) {
    const int32_t left = taps[0], right = taps[1];
    const int16_t* at = x;
    a0 = nk_smlad(nk_load_word(at), left, a0);
    a0 = nk_smlabb(at[2], right, a0);
    at += s;
    a1 = nk_smlad(nk_load_word(at), left, a1);
    a1 = nk_smlabb(at[2], right, a1);
    at += s;
    a2 = nk_smlad(nk_load_word(at), left, a2);
    a2 = nk_smlabb(at[2], right, a2);
    at += s;
    a3 = nk_smlad(nk_load_word(at), left, a3);
    a3 = nk_smlabb(at[2], right, a3);
    x += d->row;
    taps += 2;
  }
  return store4(a0, a1, a2, a3, c, y);
}

static int8_t* write_row(const nk_dwconv2d_dsp* d, const channel* c, int8_t* y) {
  const int16_t* x = c->ring;
  int32_t left = d->out_w;
  for (; left >= 4; left -= 4) {
    if (d->kernel_w != 3) {
      y = windows(d, c, x, y);
    } else if (d->stride_w == 1) {
      y = windows_of_3(d, c, x, y);
    } else {
      y = strided_windows_of_3(d, c, x, y);
    }
    x += 4 * d->stride_w;
  }
  for (; left > 0; --left) {
    *y = (int8_t)scaled(window(d, c, x), &c->scale);
    y += c->pixel;
    x += d->stride_w;
  }
  return y;
}

/* One channel of one image. `pairs` holds its taps, the ring the padding beside the rows. */
static void write_channel(const nk_dwconv2d_dsp* d, channel* c, const int8_t* x, int8_t* y,
                          int16_t* ring, const int32_t* pairs, int32_t pad) {
  int32_t seen = 0, slot = 0, first = 0, oy; /* rows count from the padding's first on */
  for (oy = 0; oy < d->out_h; ++oy) {
    const int32_t top = oy * d->stride_h;
    for (; seen < top + d->kernel_h; ++seen) {
      const int32_t iy = seen - d->pad_h;
      int16_t* to = ring + slot * d->row + d->pad_w;
      if (++slot == d->kernel_h) slot = 0;
      if (seen < top) continue;
      if (iy < 0 || iy >= d->in_h) {
        fill(to, d->loads, pad);
      } else {
        gather(x + iy * d->in_w * c->pixel, d->loads, (size_t)c->pixel, to);
      }
    }
    c->taps = pairs + (first == 0 ? 0 : d->kernel_h - first) * d->words;
    y = write_row(d, c, y);
    first = (first + d->stride_h) % d->kernel_h;
  }
}

void nk_dwconv2d_s8_dsp(const void* params, const void* const* in, void* const* out,
                        void* scratch) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_dwconv2d_dsp d = nk_dwconv2d_dsp_of(p);
  const int32_t* table = (const int32_t*)in[2];
  const int32_t channel_bytes = d.kernel_h * d.words * 2;
  const size_t in_image = (size_t)d.in_h * (size_t)d.in_w * (size_t)p->in_c;
  const size_t out_image = (size_t)d.out_h * (size_t)d.out_w * (size_t)p->out_c;
  int8_t* y = (int8_t*)out[0];
  const int8_t* x = (const int8_t*)nk_agree_on_channels(
      in[0], y, in_image * (size_t)p->batch, out_image * (size_t)p->batch, (size_t)p->out_c);
  int16_t* ring = (int16_t*)scratch;
  int32_t* pairs = (int32_t*)(void*)(ring + (d.kernel_h * d.row + 3) / 4 * 4);
  channel c;
  int32_t n, oc;
  c.ring = ring;
  c.pixel = p->out_c;
  fill(ring, d.kernel_h * d.row, -p->input_offset);
  for (n = 0; n < p->batch; ++n) {
    const int8_t* taps = (const int8_t*)in[1];
    for (oc = 0; oc < p->out_c; ++oc) {
      unpack_taps(taps, d.kernel_h, d.words, pairs);
      c.bias = table[oc * NK_DSP_TABLE_FIELDS];
      c.scale = nk_dsp_scale_of(table + oc * NK_DSP_TABLE_FIELDS, p->output_offset);
      write_channel(&d, &c, x + oc, y + oc, ring, pairs, -p->input_offset);
      taps += channel_bytes;
    }
    nk_dsp_clamp(y, out_image, p->act_min, p->act_max);
    x += in_image;
    y += out_image;
  }
}
