/* SPDX-License-Identifier: MIT */
/* The references of conv2d and conv2d_parts: they define what is right (conv2d.h). */
#include <string.h>

#include "ops/conv2d/conv2d.h"

/* Taps of a row that stand side by side in weights and input are one dot product. */
static int32_t taps_per_run(const nk_conv2d_params* p, const nk_pixel* pixel, int32_t parts) {
  return p->groups == 1 && p->dilation_w == 1 && parts == 1 ? pixel->kx1 - pixel->kx0 : 1;
}

/* Body of a window: the products of one output element, added by dot(acc, x, w, count). */
#define NK_CONV2D_WINDOW(type, sum, dot)                                                        \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                                      \
  const int32_t group_in = p->in_c / p->groups;                                                 \
  const size_t first = (size_t)(oc / (p->out_c / p->groups)) * (size_t)group_in;                \
  const int32_t run = taps_per_run(p, pixel, parts);                                            \
  sum acc = 0;                                                                                  \
  int32_t ky, kx, k;                                                                            \
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {                                                \
    for (kx = pixel->kx0; kx < pixel->kx1; kx += run) {                                         \
      const size_t at = nk_tap_index(s, pixel, ky, kx);                                         \
      const size_t tap = ((size_t)oc * (size_t)p->kernel_h + (size_t)ky) * (size_t)p->kernel_w + \
                         (size_t)kx;                                                            \
      const type* w = (const type*)weights + tap * (size_t)group_in;                            \
      for (k = 0; k < parts; ++k) {                                                             \
        const type* x = (const type*)part[k].x + at * (size_t)part[k].pixel_elems + first;      \
        acc = dot(acc, x, w, run * part[k].count);                                              \
        w += part[k].count;                                                                     \
      }                                                                                         \
    }                                                                                           \
  }                                                                                             \
  return acc;

static NK_APART uint32_t dot_s8(uint32_t acc, const void* x, const void* w, int32_t count,
                                int32_t x_offset, int32_t w_offset) {
  NK_DOT_X8(int8_t)
}
static NK_APART uint32_t dot_u8(uint32_t acc, const void* x, const void* w, int32_t count,
                                int32_t x_offset, int32_t w_offset) {
  NK_DOT_X8(uint8_t)
}
#define NK_DOT_OFFSET_S8(acc, x, w, n) dot_s8(acc, x, w, n, p->input_offset, p->filter_offset)
#define NK_DOT_OFFSET_U8(acc, x, w, n) dot_u8(acc, x, w, n, p->input_offset, p->filter_offset)

static uint32_t window_s8(const nk_conv2d_params* p, const nk_pixel* pixel, const nk_part* part,
                          int32_t parts, const void* weights, int32_t oc) {
  NK_CONV2D_WINDOW(int8_t, uint32_t, NK_DOT_OFFSET_S8)
}

static uint32_t window_u8(const nk_conv2d_params* p, const nk_pixel* pixel, const nk_part* part,
                          int32_t parts, const void* weights, int32_t oc) {
  NK_CONV2D_WINDOW(uint8_t, uint32_t, NK_DOT_OFFSET_U8)
}

static float window_f32(const nk_conv2d_params* p, const nk_pixel* pixel, const nk_part* part,
                        int32_t parts, const void* weights, int32_t oc) {
  NK_CONV2D_WINDOW(float, float, nk_dot_f32)
}

/* The input as one part. */
static nk_part whole(const nk_conv2d_params* p, const void* x) {
  nk_part part;
  part.x = x;
  part.pixel_elems = p->in_c;
  part.count = p->in_c / p->groups;
  return part;
}

/* The parts that the pixel's window reads: those given, or its only pixel copied to scratch. */
static const nk_part* sources(const nk_conv2d_params* p, const nk_pixel* pixel,
                              const nk_part* part, int32_t* parts, nk_part* copied,
                              size_t elem_bytes) {
  uint8_t* to = (uint8_t*)(uintptr_t)copied->x;
  size_t at;
  int32_t k;
  if (!nk_copies_pixel(p->mode)) return part;
  at = nk_tap_index((const nk_spatial*)(const void*)p, pixel, 0, 0);
  for (k = 0; k < *parts; ++k) {
    const size_t bytes = (size_t)part[k].pixel_elems * elem_bytes;
    memcpy(to, (const uint8_t*)part[k].x + at * bytes, bytes);
    to += bytes;
  }
  *parts = 1;
  return copied;
}

/* Body of all windows. `constants`: weights, bias, multiplier, shift. */
#define NK_CONV2D_RUN_X8(window)                                                                  \
  const int32_t* bias = (const int32_t*)constants[1];                                             \
  const int32_t* multiplier = (const int32_t*)constants[2];                                       \
  const int32_t* shift = (const int32_t*)constants[3];                                            \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                                        \
  const int32_t pixels = nk_pixel_count(s);                                                       \
  nk_part copied = whole(p, scratch);                                                             \
  int32_t i, j;                                                                                   \
  copied.pixel_elems = 0;                                                                         \
  for (i = 0; i < pixels; ++i) {                                                                  \
    const nk_pixel pixel = nk_pixel_at(s, i);                                                     \
    int32_t count = parts;                                                                        \
    const nk_part* from = sources(p, &pixel, part, &count, &copied, 1);                           \
    uint8_t* y = (uint8_t*)out + pixel.out_index * (size_t)p->out_c;                              \
    for (j = 0; j < p->out_c; ++j) {                                                              \
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;                       \
      const int32_t q = p->per_channel ? oc : 0;                                                  \
      const uint32_t acc = window(p, &pixel, from, count, constants[0], oc) + (uint32_t)bias[oc]; \
      y[oc] = (uint8_t)nk_requantize((int32_t)acc, multiplier[q], shift[q], p->output_offset,     \
                                     p->act_min, p->act_max);                                     \
    }                                                                                             \
  }

static void run_s8(const nk_conv2d_params* p, const nk_part* part, int32_t parts,
                   const void* const* constants, void* out, void* scratch) {
  NK_CONV2D_RUN_X8(window_s8)
}
static void run_u8(const nk_conv2d_params* p, const nk_part* part, int32_t parts,
                   const void* const* constants, void* out, void* scratch) {
  NK_CONV2D_RUN_X8(window_u8)
}

static void run_f32(const nk_conv2d_params* p, const nk_part* part, int32_t parts,
                    const void* const* constants, void* out, void* scratch) {
  const float* bias = (const float*)constants[1];
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const int32_t pixels = nk_pixel_count(s);
  nk_part copied = whole(p, scratch);
  int32_t i, j;
  copied.pixel_elems = 0;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    int32_t count = parts;
    const nk_part* from = sources(p, &pixel, part, &count, &copied, sizeof(float));
    float* y = (float*)out + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
      const float acc = window_f32(p, &pixel, from, count, constants[0], oc) +
                        (bias != NULL ? bias[oc] : 0.0f);
      y[oc] = nk_clamp_f32(acc, p->clamp_min, p->clamp_max);
    }
  }
}

static void run_s32(const nk_conv2d_params* p, const void* const* in, int32_t* out,
                    uint32_t (*window)(const nk_conv2d_params*, const nk_pixel*, const nk_part*,
                                       int32_t, const void*, int32_t)) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const nk_part part = whole(p, in[0]);
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, oc;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    int32_t* y = out + pixel.out_index * (size_t)p->out_c;
    for (oc = 0; oc < p->out_c; ++oc) {
      y[oc] = (int32_t)window(p, &pixel, &part, 1, in[1], oc);
    }
  }
}

#define NK_CONV2D_WHOLE(run)                                    \
  const nk_conv2d_params* p = (const nk_conv2d_params*)params; \
  const nk_part part = whole(p, in[0]);                        \
  run(p, &part, 1, in + 1, out[0], scratch);

#define NK_CONV2D_PARTS(run)                                                         \
  const nk_conv2d_parts_params* p = (const nk_conv2d_parts_params*)params;          \
  nk_part part[NK_MAX_PARTS];                                                       \
  nk_make_parts(in, p->parts, p->part_c, part);                                     \
  run((const nk_conv2d_params*)params, part, p->parts, in + p->parts, out[0], scratch);

void nk_conv2d_s8_ref(NK_KERNEL_ARGS) { NK_CONV2D_WHOLE(run_s8) }
void nk_conv2d_u8_ref(NK_KERNEL_ARGS) { NK_CONV2D_WHOLE(run_u8) }
void nk_conv2d_f32_ref(NK_KERNEL_ARGS) { NK_CONV2D_WHOLE(run_f32) }
void nk_conv2d_s8_s32_ref(NK_KERNEL_ARGS) {
  (void)scratch;
  run_s32((const nk_conv2d_params*)params, in, (int32_t*)out[0], window_s8);
}
void nk_conv2d_u8_s32_ref(NK_KERNEL_ARGS) {
  (void)scratch;
  run_s32((const nk_conv2d_params*)params, in, (int32_t*)out[0], window_u8);
}
void nk_conv2d_parts_s8_ref(NK_KERNEL_ARGS) { NK_CONV2D_PARTS(run_s8) }
void nk_conv2d_parts_u8_ref(NK_KERNEL_ARGS) { NK_CONV2D_PARTS(run_u8) }
void nk_conv2d_parts_f32_ref(NK_KERNEL_ARGS) { NK_CONV2D_PARTS(run_f32) }
