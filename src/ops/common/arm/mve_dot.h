/* SPDX-License-Identifier: MIT */
/* Sums of products of the Helium rows (conv2d, fully_connected) and what becomes of them.
 *
 * Layout blocks2: output channels c and c + 1 (an absent last one counts as zeros) stand together:
 * 16 products of c, 16 of c + 1, the next 16 of c, and so on, zeros behind the last product.
 * Columns are inputs of one pixel in the order of the products, each column a whole number of
 * vectors: what stands behind the last product meets weights of 0. */
#ifndef NETKIT_OPS_COMMON_ARM_MVE_DOT_H
#define NETKIT_OPS_COMMON_ARM_MVE_DOT_H

#include "ops/common/arm/mve.h"

#define NK_MVE_COLUMNS 3
#define NK_MVE_LANES 4

typedef struct nk_mve_layer {
  const int8_t* weights; /* blocks2 */
  const int32_t* table;  /* dsp_requantize.h */
  int32_t channels;
  int32_t column; /* bytes from one column to the next; whole vectors */
  nk_mve_output out;
} nk_mve_layer;

/* Sums of two channels and one column of `bytes` (1 vector or more). Returns the end of w. */
static inline const int8_t* nk_mve_dot_2x1(const int8_t* w, const int8_t* x, int32_t bytes,
                                           int32_t* sums) {
#if NK_HAS_MVE
  int32_t a, b;
  __asm__ volatile(
      "vldrb.8 q0, [%[x]], #16\n"
      "vldrb.8 q1, [%[w]], #16\n"
      "vmladav.s8 %[a], q0, q1\n"
      "vldrb.8 q2, [%[w]], #16\n"
      "vmladav.s8 %[b], q0, q2\n"
      "wls lr, %[more], 2f\n"
      "1: vldrb.8 q0, [%[x]], #16\n"
      "vldrb.8 q1, [%[w]], #16\n"
      "vmladava.s8 %[a], q0, q1\n"
      "vldrb.8 q2, [%[w]], #16\n"
      "vmladava.s8 %[b], q0, q2\n"
      "le lr, 1b\n"
      "2:\n"
      : [w] "+r"(w), [x] "+r"(x), [a] "=&Te"(a), [b] "=&Te"(b)
      : [more] "r"(((uint32_t)bytes >> 4) - 1)
      : "lr", "q0", "q1", "q2", "cc", "memory");
  sums[0] = a;
  sums[1] = b;
#else
  uint32_t a = 0, b = 0;
  int32_t i;
  for (; bytes > 0; bytes -= NK_MVE_BYTES) {
    for (i = 0; i < NK_MVE_BYTES; ++i) {
      a += (uint32_t)(x[i] * w[i]);
      b += (uint32_t)(x[i] * w[NK_MVE_BYTES + i]);
    }
    x += NK_MVE_BYTES;
    w += 2 * NK_MVE_BYTES;
  }
  sums[0] = (int32_t)a;
  sums[1] = (int32_t)b;
#endif
  return w;
}

#define NK_MVE_DOT_2X3(vmladav) \
  "vldrb.8 q0, [%[w]], #16\n" \
  "vldrb.8 q2, [%[x]], #16\n" \
  vmladav " %[a0], q0, q2\n" \
  "vldrb.8 q3, [%[y]], #16\n" \
  vmladav " %[a1], q0, q3\n" \
  "vldrb.8 q1, [%[w]], #16\n" \
  vmladav " %[b0], q1, q2\n" \
  "vldrb.8 q2, [%[z]], #16\n" \
  vmladav " %[b1], q1, q3\n" \
  vmladav " %[a2], q0, q2\n" \
  vmladav " %[b2], q1, q2\n"

/* The same of columns x, y and z; those of the n-th stand at sums + n * NK_MVE_LANES. */
static inline const int8_t* nk_mve_dot_2x3(const int8_t* w, const int8_t* x, const int8_t* y,
                                           const int8_t* z, int32_t bytes, int32_t* sums) {
#if NK_HAS_MVE
  int32_t a0, a1, a2, b0, b1, b2;
  __asm__ volatile(
      NK_MVE_DOT_2X3("vmladav.s8")
      "wls lr, %[more], 2f\n"
      "1:\n"
      NK_MVE_DOT_2X3("vmladava.s8")
      "le lr, 1b\n"
      "2:\n"
      : [w] "+r"(w), [x] "+r"(x), [y] "+r"(y), [z] "+r"(z), [a0] "=&Te"(a0), [a1] "=&Te"(a1),
        [a2] "=&Te"(a2), [b0] "=&Te"(b0), [b1] "=&Te"(b1), [b2] "=&Te"(b2)
      : [more] "r"(((uint32_t)bytes >> 4) - 1)
      : "lr", "q0", "q1", "q2", "q3", "cc", "memory");
  sums[0] = a0;
  sums[1] = b0;
  sums[NK_MVE_LANES] = a1;
  sums[NK_MVE_LANES + 1] = b1;
  sums[2 * NK_MVE_LANES] = a2;
  sums[2 * NK_MVE_LANES + 1] = b2;
  return w;
#else
  nk_mve_dot_2x1(w, x, bytes, sums);
  nk_mve_dot_2x1(w, y, bytes, sums + NK_MVE_LANES);
  return nk_mve_dot_2x1(w, z, bytes, sums + 2 * NK_MVE_LANES);
#endif
}

/* Sums without bias of channels [0, count), 1 to 4 of them, and `columns` columns: requantised,
 * clamped and stored at y, a column's `step` bytes behind the one before; one by one. */
static NK_APART void nk_mve_store_any(const int32_t* sums, const int32_t* table, int32_t count,
                                      int32_t columns, const nk_mve_output* out, int8_t* y,
                                      ptrdiff_t step) {
  int32_t c, p;
  for (c = 0; c < count; ++c, table += NK_DSP_TABLE_FIELDS) {
    const nk_dsp_scale scale = nk_dsp_scale_of(table, out->offset);
    for (p = 0; p < columns; ++p) {
      const int32_t acc = nk_wrap_add(sums[p * NK_MVE_LANES + c], table[0]);
      y[p * step + c] = (int8_t)nk_clamp_i32(nk_dsp_scaled_any(acc, &scale), out->lo, out->hi);
    }
  }
}

/* The same, the first four channels of count (1 or more). */
static inline void nk_mve_store(const int32_t* sums, const int32_t* table, int32_t count,
                                int32_t columns, const nk_mve_output* out, int8_t* y,
                                ptrdiff_t step) {
#if NK_HAS_MVE
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 4), NK_DSP_TABLE_FIELDS);
  const int32x4_t lo = vdupq_n_s32(out->lo), hi = vdupq_n_s32(out->hi);
  const int32_t offset = out->offset;
  const int32_t* end = sums + columns * NK_MVE_LANES;
  if (count >= NK_MVE_LANES) {
    const int32x4_t shift = vldrwq_gather_offset_s32(table + 2, places);
    if (vcmpgtq_n_s32(shift, NK_DSP_MAX_SHIFT) == 0) {
      const int32x4_t bias = vldrwq_gather_offset_s32(table, places);
      const int32x4_t multiplier = vldrwq_gather_offset_s32(table + 1, places);
      const int32x4_t right = vnegq_s32(shift);
      for (; sums != end; sums += NK_MVE_LANES) {
        const int32x4_t acc = vaddq_s32(vldrwq_s32(sums), bias);
        int32x4_t v = vaddq_s32(vqrdmulhq_s32(acc, multiplier), vshrq_n_s32(acc, 31));
        v = vaddq_n_s32(vrshlq_s32(v, right), offset);
        vstrbq_s32(y, vminq_s32(vmaxq_s32(v, lo), hi));
        y += step;
      }
      return;
    }
  }
#endif
  nk_mve_store_any(sums, table, count < NK_MVE_LANES ? count : NK_MVE_LANES, columns, out, y, step);
}

/* All channels of three columns, and of one. */
static NK_APART void nk_mve_outputs3(const nk_mve_layer* layer, const int8_t* x, int8_t* y) {
  const int32_t bytes = layer->column;
  const int8_t* second = x + bytes;
  const int8_t* third = second + bytes;
  const int8_t* w = layer->weights;
  const int32_t* table = layer->table;
  int32_t left;
  for (left = layer->channels; left > 0; left -= NK_MVE_LANES) {
    int32_t sums[NK_MVE_COLUMNS * NK_MVE_LANES];
    w = nk_mve_dot_2x3(w, x, second, third, bytes, sums);
    if (left > 2) w = nk_mve_dot_2x3(w, x, second, third, bytes, sums + 2);
    nk_mve_store(sums, table, left, NK_MVE_COLUMNS, &layer->out, y, layer->channels);
    table += NK_MVE_LANES * NK_DSP_TABLE_FIELDS;
    y += NK_MVE_LANES;
  }
}

static NK_APART void nk_mve_outputs1(const nk_mve_layer* layer, const int8_t* x, int8_t* y) {
  const int8_t* w = layer->weights;
  const int32_t* table = layer->table;
  int32_t left;
  for (left = layer->channels; left > 0; left -= NK_MVE_LANES) {
    int32_t sums[NK_MVE_LANES];
    w = nk_mve_dot_2x1(w, x, layer->column, sums);
    if (left > 2) w = nk_mve_dot_2x1(w, x, layer->column, sums + 2);
    nk_mve_store(sums, table, left, 1, &layer->out, y, layer->channels);
    table += NK_MVE_LANES * NK_DSP_TABLE_FIELDS;
    y += NK_MVE_LANES;
  }
}

/* All channels of `count` columns (1 to 3) at x, pixels side by side at y. */
static inline void nk_mve_outputs(const nk_mve_layer* layer, const int8_t* x, int32_t count,
                                  int8_t* y) {
  if (count == NK_MVE_COLUMNS) {
    nk_mve_outputs3(layer, x, y);
    return;
  }
  for (; count > 0; --count) {
    nk_mve_outputs1(layer, x, y);
    x += layer->column;
    y += layer->channels;
  }
}

#endif
