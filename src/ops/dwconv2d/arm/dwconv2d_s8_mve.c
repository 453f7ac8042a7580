/* SPDX-License-Identifier: MIT */
/* dwconv2d for Helium (dwconv2d_mve.h has layouts and walk). */
#include "ops/dwconv2d/arm/dwconv2d_mve.h"

/* What the windows of one channel need. */
typedef struct channel {
  nk_dsp_scale scale;
  nk_mve_output out;
  int32_t bias, pad;
  ptrdiff_t pixel; /* bytes from one output to the next */
  int32_t width;   /* outputs of a line */
  int32_t step;    /* bytes in scratch from one window to the next */
  int32_t vectors;
} channel;

static NK_APART void set_walk(const nk_dwconv2d_params* p, nk_mve_planar* m) {
  *m = nk_mve_planar_of(p);
}

/* Rows [top, top + height) of a channel, column by column, from its first element at `from` on;
 * rows outside the image are padding. reach: offsets of the bytes that are gathered at once. */
static NK_APART void read_block(const nk_mve_planar* m, const int8_t* from, int32_t top,
                                int32_t pad, const uint16_t* reach, int8_t* to) {
#if NK_HAS_MVE
  const int32_t wide = 8 / m->height; /* columns at once */
  const ptrdiff_t ahead = wide * m->in_column;
  const uint16x8_t offsets = vldrhq_u16(reach);
  int32_t left = m->loads;
  mve_pred16_t rows = 0xFFFF;
  from += top * m->in_row;
  if (top >= 0 && top + m->height <= m->in_h) {
    for (; left >= wide; left -= wide) {
      vstrbq_u16((uint8_t*)to, vldrbq_gather_offset_u16((const uint8_t*)from, offsets));
      from += ahead;
      to += 8;
    }
  } else {
    const int32_t first = top < 0 ? -top : 0;
    const int32_t end = m->in_h - top < m->height ? m->in_h - top : m->height;
    rows = 0;
    if (first < end) {
      rows = (mve_pred16_t)((1u << 2 * end) - (1u << 2 * first));
      if (m->height == 4) rows = (mve_pred16_t)(rows | rows << 8);
      if (m->height == 1) rows = 0xFFFF;
    }
  }
  for (; left > 0; left -= wide) {
    const mve_pred16_t some = vctp16q((uint32_t)(left * m->height));
    const uint16x8_t v = vldrbq_gather_offset_z_u16((const uint8_t*)from, offsets,
                                                    (mve_pred16_t)(rows & some));
    vstrbq_p_u16((uint8_t*)to, vpselq_u16(v, vdupq_n_u16((uint16_t)pad), rows), some);
    from += ahead;
    to += 8;
  }
#else
  int32_t x, i;
  (void)reach;
  for (x = 0; x < m->loads; ++x) {
    for (i = 0; i < m->height; ++i) {
      const int32_t y = top + i;
      *to++ = (int8_t)(y >= 0 && y < m->in_h ? from[y * m->in_row + x * m->in_column] : pad);
    }
  }
#endif
}

/* A line of outputs one by one: any window, any scale. */
static NK_APART void write_line(const channel* c, const int8_t* x, const int8_t* taps, int8_t* y) {
  int32_t left, k;
  for (left = c->width; left > 0; --left) {
    int32_t acc = c->bias;
    for (k = 0; k < c->vectors * NK_MVE_BYTES; k += NK_MVE_BYTES) {
#if NK_HAS_MVE
      acc = vmladavaq_s8(acc, vldrbq_s8(x + k), vldrbq_s8(taps + k));
#else
      int32_t i;
      for (i = k; i < k + NK_MVE_BYTES; ++i) acc = nk_wrap_add(acc, x[i] * taps[i]);
#endif
    }
    acc = nk_dsp_is_short(&c->scale) ? nk_dsp_scaled(acc, &c->scale)
                                     : nk_dsp_scaled_any(acc, &c->scale);
    *y = (int8_t)nk_clamp_i32(acc, c->out.lo, c->out.hi);
    y += c->pixel;
    x += c->step;
  }
}

#if NK_HAS_MVE
/* Four sums requantised the short way; not clamped. */
static inline int32x4_t scaled4(int32_t a0, int32_t a1, int32_t a2, int32_t a3, int32_t bias,
                                const nk_dsp_scale* scale) {
  int32x4_t acc, v;
  __asm__("vmov %q0[2], %q0[0], %1, %2\n"
          "vmov %q0[3], %q0[1], %3, %4"
          : "=&w"(acc)
          : "r"(a0), "r"(a2), "r"(a1), "r"(a3));
  acc = vaddq_n_s32(acc, bias);
  v = vaddq_n_s32(vshrq_n_s32(acc, 31), scale->half);
  return vshlq_r_s32(vqrdmlahq_n_s32(v, acc, scale->multiplier), -scale->shift);
}

/* A line of outputs of windows of one vector, the short way. */
static NK_APART void write_line1(const channel* c, const int8_t* x, const int8_t* taps,
                                 int8_t* y) {
  const int8x16_t w = vldrbq_s8(taps);
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)c->pixel);
  const int32x4_t lo = vdupq_n_s32(c->out.lo), hi = vdupq_n_s32(c->out.hi);
  const nk_dsp_scale scale = c->scale;
  const ptrdiff_t step = c->step, pixels = 4 * c->pixel;
  const int32_t bias = c->bias;
  int32_t left = c->width;
  for (;;) {
    int32_t a0, a1, a2, a3;
    int32x4_t v;
    a0 = vmladavq_s8(vldrbq_s8(x), w);
    x += step;
    a1 = vmladavq_s8(vldrbq_s8(x), w);
    x += step;
    a2 = vmladavq_s8(vldrbq_s8(x), w);
    x += step;
    a3 = vmladavq_s8(vldrbq_s8(x), w);
    x += step;
    v = vminq_s32(vmaxq_s32(scaled4(a0, a1, a2, a3, bias, &scale), lo), hi);
    if (left < 4) {
      vstrbq_scatter_offset_p_s32(y, places, v, vctp32q((uint32_t)left));
      return;
    }
    vstrbq_scatter_offset_s32(y, places, v);
    left -= 4;
    if (left == 0) return;
    y += pixels;
  }
}
#else
static inline void write_line1(const channel* c, const int8_t* x, const int8_t* taps, int8_t* y) {
  write_line(c, x, taps, y);
}
#endif

/* One channel of one image. */
static NK_APART void write_channel(const nk_mve_planar* m, const channel* c, const uint16_t* reach,
                                   const int8_t* x, const int8_t* taps, int8_t* blocks, int8_t* y) {
  const int one = m->vectors == 1 && nk_dsp_is_short(&c->scale);
  const int32_t rows = m->lines * m->stride_h;
  int8_t* now = blocks + m->pad_w * m->height;
  int8_t* next = now + m->block;
  int32_t top = -m->pad_h, left = m->out_h;
  read_block(m, x, top, c->pad, reach, now);
  while (left > 0) {
    const int8_t* from = now - m->pad_w * m->height;
    int8_t* other = now;
    int32_t line = left < m->lines ? left : m->lines;
    top += rows;
    left -= line;
    if (left > 0) read_block(m, x, top, c->pad, reach, next);
    for (; line > 0; --line) {
      if (one) {
        write_line1(c, from, taps, y);
      } else {
        write_line(c, from, taps, y);
      }
      from += m->stride_h;
      y += m->out_row;
    }
    now = next;
    next = other;
  }
}

/* Where the input stands when all of a channel's outputs can be written over it in the order of the
 * walk. */
static const int8_t* agreed_input(const nk_dwconv2d_params* p, const int8_t* x, int8_t* y) {
  const size_t in_bytes = (size_t)p->batch * (size_t)(p->in_h * p->in_w) * (size_t)p->in_c;
  const size_t out_bytes = (size_t)p->batch * (size_t)(p->out_h * p->out_w) * (size_t)p->out_c;
  if (!nk_mve_is_upright(p)) {
    return (const int8_t*)nk_agree_on_channels(x, y, in_bytes, out_bytes, (size_t)p->out_c);
  }
  if ((uintptr_t)y >= (uintptr_t)x || (uintptr_t)x - (uintptr_t)y >= out_bytes) return x;
  memmove(y, x, in_bytes);
  return y;
}

void nk_dwconv2d_s8_mve(const void* params, const void* const* in, void* const* out,
                        void* scratch) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  int8_t* y = (int8_t*)out[0];
  const int8_t* x = agreed_input(p, (const int8_t*)in[0], y);
  nk_mve_planar m;
  channel c;
  uint16_t reach[8];
  int32_t n, oc;
  set_walk(p, &m);
  for (n = 0; n < 8; ++n) {
    reach[n] = (uint16_t)(n / m.height * m.in_column + n % m.height * m.in_row);
  }
  c.out = nk_mve_output_of(p->output_offset, p->act_min, p->act_max);
  c.pad = -p->input_offset;
  c.pixel = m.out_column;
  c.width = m.out_w;
  c.step = m.stride_w * m.height;
  c.vectors = m.vectors;
  nk_mve_fill((int8_t*)scratch, c.pad, 2 * m.block);
  for (n = 0; n < p->batch; ++n) {
    const int8_t* taps = (const int8_t*)in[1];
    const int32_t* table = (const int32_t*)in[2];
    for (oc = 0; oc < p->out_c; ++oc) {
      c.bias = table[0];
      c.scale = nk_dsp_scale_of(table, p->output_offset);
      write_channel(&m, &c, reach, x + oc, taps, (int8_t*)scratch, y + oc);
      taps += m.vectors * NK_MVE_BYTES;
      table += NK_DSP_TABLE_FIELDS;
    }
    x += (ptrdiff_t)p->in_h * p->in_w * p->in_c;
    y += (ptrdiff_t)p->out_h * p->out_w * p->out_c;
  }
}
