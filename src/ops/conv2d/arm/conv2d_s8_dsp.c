/* SPDX-License-Identifier: MIT */
/* conv2d for the DSP extension: windows of four output pixels are spread out to int16 in scratch,
 * then two output channels at a time are summed over them (conv2d_dsp.h has the layouts). */
#include "ops/conv2d/arm/conv2d_dsp.h"
#include "ops/conv2d/window_walk.h"

/* Spreads `count` bytes of a window's row into one column: of four elements (0, 2), then (1, 3). */
static int32_t* spread_row(const int8_t* from, int32_t count, int32_t* to) {
  int32_t word, i;
  for (i = count >> 2; i != 0; --i) {
    word = nk_load_word(from);
    from += 4;
    to[0] = nk_even_bytes(word);
    to[NK_DSP_COLUMNS] = nk_odd_bytes(word);
    to += 2 * NK_DSP_COLUMNS;
  }
  if ((count & 3) != 0) {
    uint32_t rest = 0;
    for (i = (count & 3) - 1; i >= 0; --i) rest = rest << 8 | (uint8_t)from[i];
    to[0] = nk_even_bytes((int32_t)rest);
    to[NK_DSP_COLUMNS] = nk_odd_bytes((int32_t)rest);
    to += 2 * NK_DSP_COLUMNS;
  }
  return to;
}

/* A row of which only elements [begin, end) lie inside the input, from `from` on; the others are
 * its zero point. */
static int32_t* spread_edge(const int8_t* from, int32_t count, int32_t begin, int32_t end,
                            int32_t pad, int32_t* to) {
  int32_t i;
  for (i = 0; i < count; ++i) {
    const int32_t word = (i >> 2) * 2 + (i & 1);
    int16_t* half = (int16_t*)(void*)(to + word * NK_DSP_COLUMNS) + ((i >> 1) & 1);
    *half = (int16_t)(i >= begin && i < end ? *from++ : pad);
  }
  return to + ((count + 3) >> 2) * 2 * NK_DSP_COLUMNS;
}

/* `count` elements of padding, a multiple of 4. */
static int32_t* spread_padding(int32_t count, int32_t pad, int32_t* to) {
  const int32_t pair = (int32_t)((uint32_t)pad << 16 | ((uint32_t)pad & 0xFFFFu));
  for (count >>= 1; count != 0; --count, to += NK_DSP_COLUMNS) *to = pair;
  return to;
}

/* The window whose first tap stands at (in_y, in_x) of `image`, as one column. */
static void spread_window(const nk_conv2d_params* p, const int8_t* image, int32_t in_y,
                          int32_t in_x, int32_t* to) {
  const int32_t row = p->kernel_w * p->in_c;
  int32_t begin, end, ky;
  nk_tap_range(in_x, p->dilation_w, p->kernel_w, p->in_w, &begin, &end);
  in_x += begin;
  end *= p->in_c;
  begin *= p->in_c;
  for (ky = 0; ky < p->kernel_h; ++ky) {
    const int32_t y = in_y + ky * p->dilation_h;
    const int inside = y >= 0 && y < p->in_h && begin != end;
    const int8_t* from = inside ? image + (y * p->in_w + in_x) * p->in_c : image;
    if (inside && end - begin == row) {
      to = spread_row(from, row, to);
    } else if ((p->in_c & 3) == 0) {
      const int32_t first = inside ? begin : row, last = inside ? end : row;
      to = spread_padding(first, -p->input_offset, to);
      to = spread_row(from, last - first, to);
      to = spread_padding(row - last, -p->input_offset, to);
    } else {
      to = spread_edge(from, row, inside ? begin : 0, inside ? end : 0, -p->input_offset, to);
    }
  }
}

/* The windows of pixels [first, first + count). */
static void spread_windows(const nk_conv2d_params* p, const int8_t* x, int32_t first,
                           int32_t count, int32_t* to) {
  nk_window_walk at;
  int32_t i;
  if (nk_conv2d_is_pointwise(p)) {
    x += first * p->in_c;
    for (i = 0; i < count; ++i) {
      spread_row(x, p->in_c, to + i);
      x += p->in_c;
    }
    return;
  }
  at = nk_window_walk_at(p, x, first);
  for (i = 0; i < count; ++i) {
    spread_window(p, at.image, at.oy * p->stride_h - p->pad_top,
                  at.ox * p->stride_w - p->pad_left, to + i);
    nk_window_walk_on(p, &at);
  }
}

/* All output channels of four pixels. */
static NK_APART void multiply4(const nk_conv2d_params* p, const int32_t* columns,
                               const int32_t* end, const int32_t* w, const int32_t* table,
                               int8_t* y) {
  const ptrdiff_t step = p->out_c;
  const int8_t* y_end = y + step;
  while (y != y_end) {
    nk_dsp_scale scale;
    nk_dsp_sums low, both;
    low.a0 = low.a1 = low.a2 = low.a3 = table[0];
    both = low;
    w = nk_dsp_dot_2x4(w, columns, end, &low, &both);
    scale = nk_dsp_scale_of(table, p->output_offset);
    if (y + 1 == y_end) {
      nk_dsp_store4(low.a0, low.a1, low.a2, low.a3, &scale, y, step);
      return;
    }
    table += NK_DSP_TABLE_FIELDS;
    both.a0 = nk_wrap_add(nk_wrap_sub(both.a0, low.a0) >> 8, table[0]);
    both.a1 = nk_wrap_add(nk_wrap_sub(both.a1, low.a1) >> 8, table[0]);
    both.a2 = nk_wrap_add(nk_wrap_sub(both.a2, low.a2) >> 8, table[0]);
    both.a3 = nk_wrap_add(nk_wrap_sub(both.a3, low.a3) >> 8, table[0]);
    nk_dsp_store4(low.a0, low.a1, low.a2, low.a3, &scale, y, step);
    scale = nk_dsp_scale_of(table, p->output_offset);
    nk_dsp_store4(both.a0, both.a1, both.a2, both.a3, &scale, y + 1, step);
    table += NK_DSP_TABLE_FIELDS;
    y += 2;
  }
}

/* All output channels of one pixel. */
static NK_APART void multiply1(const nk_conv2d_params* p, const int32_t* column,
                               const int32_t* end, const int32_t* w, const int32_t* table,
                               int8_t* y) {
  const int8_t* y_end = y + p->out_c;
  while (y != y_end) {
    nk_dsp_scale scale = nk_dsp_scale_of(table, p->output_offset);
    int32_t low = table[0], both = table[0];
    const int32_t* x;
    for (x = column; x != end; x += NK_DSP_COLUMNS) {
      const int32_t word = *w++;
      both = nk_smlad(word, *x, both);
      low = nk_smlad(nk_even_bytes(word), *x, low);
    }
    *y++ = (int8_t)nk_dsp_scaled_any(low, &scale);
    table += NK_DSP_TABLE_FIELDS;
    if (y == y_end) return;
    scale = nk_dsp_scale_of(table, p->output_offset);
    both = nk_wrap_add(nk_wrap_sub(both, low) >> 8, table[0]);
    *y++ = (int8_t)nk_dsp_scaled_any(both, &scale);
    table += NK_DSP_TABLE_FIELDS;
  }
}

void nk_conv2d_s8_dsp(const void* params, const void* const* in, void* const* out, void* scratch) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)params;
  const int8_t* x = (const int8_t*)in[0];
  int32_t* columns = (int32_t*)scratch;
  const int32_t* end = columns + nk_conv2d_dsp_words(p) * NK_DSP_COLUMNS;
  int32_t left = p->batch * p->out_h * p->out_w;
  int32_t done = 0;
  while (left > 0) {
    const int32_t count = left < NK_DSP_COLUMNS ? left : NK_DSP_COLUMNS;
    const int32_t first = nk_walks_backward(p->mode) ? left - count : done;
    int8_t* y = (int8_t*)out[0] + first * p->out_c;
    spread_windows(p, x, first, count, columns);
    if (count == NK_DSP_COLUMNS) {
      multiply4(p, columns, end, (const int32_t*)in[1], (const int32_t*)in[2], y);
    } else {
      int32_t i;
      for (i = 0; i < count; ++i) {
        multiply1(p, columns + i, end + i, (const int32_t*)in[1], (const int32_t*)in[2],
                  y + i * p->out_c);
      }
    }
    nk_dsp_clamp(y, (size_t)(count * p->out_c), p->act_min, p->act_max);
    left -= count;
    done += count;
  }
}
