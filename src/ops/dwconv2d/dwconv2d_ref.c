/* SPDX-License-Identifier: MIT */
/* The references of dwconv2d and dwconv2d_parts: they define what is right (dwconv2d.h). */
#include <string.h>

#include "ops/dwconv2d/channel_ring.h"
#include "ops/dwconv2d/dwconv2d.h"

/* Body of a window: the products of output channel oc, which reads channel `ic` of a part. */
#define NK_DWCONV2D_WINDOW(type, sum, product)                                                   \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                                       \
  const size_t columns = (size_t)p->out_c;                                                       \
  const size_t step = (size_t)p->dilation_w * (size_t)part->pixel_elems;                         \
  sum acc = 0;                                                                                   \
  int32_t ky, kx;                                                                                \
  if (pixel->kx0 == pixel->kx1) return acc;                                                      \
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {                                                 \
    size_t tap = (size_t)(ky * p->kernel_w + pixel->kx0) * columns + (size_t)oc;                 \
    size_t at = nk_tap_index(s, pixel, ky, pixel->kx0) * (size_t)part->pixel_elems + (size_t)ic; \
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx, at += step, tap += columns) {                   \
      const type x = ((const type*)part->x)[at], w = ((const type*)weights)[tap];                \
      acc += product;                                                                            \
    }                                                                                            \
  }                                                                                              \
  return acc;

/* The same of one channel whose rows are in the ring. */
#define NK_DWCONV2D_RING_WINDOW(type, sum, product)                                         \
  const int32_t rows = nk_ring_rows(p);                                                        \
  const size_t columns = (size_t)p->out_c;                                                  \
  sum acc = 0;                                                                              \
  int32_t ky, kx;                                                                           \
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {                                            \
    const type* weight = (const type*)weights + (size_t)(ky * p->kernel_w) * columns + oc;  \
    const int32_t iy = pixel->in_y + ky * p->dilation_h;                                    \
    const type* row = (const type*)ring + (size_t)(iy % rows) * (size_t)p->in_w;            \
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx) {                                          \
      const type x = row[pixel->in_x + kx * p->dilation_w];                                 \
      const type w = weight[(size_t)kx * columns];                                          \
      acc += product;                                                                       \
    }                                                                                       \
  }                                                                                         \
  return acc;

#define NK_OFFSET_PRODUCT (uint32_t)((x + p->input_offset) * (w + p->filter_offset))

static uint32_t window_s8(const nk_dwconv2d_params* p, const nk_pixel* pixel, const nk_part* part,
                          int32_t ic, const void* weights, int32_t oc) {
  NK_DWCONV2D_WINDOW(int8_t, uint32_t, NK_OFFSET_PRODUCT)
}
static uint32_t window_u8(const nk_dwconv2d_params* p, const nk_pixel* pixel, const nk_part* part,
                          int32_t ic, const void* weights, int32_t oc) {
  NK_DWCONV2D_WINDOW(uint8_t, uint32_t, NK_OFFSET_PRODUCT)
}
static float window_f32(const nk_dwconv2d_params* p, const nk_pixel* pixel, const nk_part* part,
                        int32_t ic, const void* weights, int32_t oc) {
  NK_DWCONV2D_WINDOW(float, float, x * w)
}

static uint32_t ring_window_s8(const nk_dwconv2d_params* p, const nk_pixel* pixel,
                               const void* ring, const void* weights, int32_t oc) {
  NK_DWCONV2D_RING_WINDOW(int8_t, uint32_t, NK_OFFSET_PRODUCT)
}
static uint32_t ring_window_u8(const nk_dwconv2d_params* p, const nk_pixel* pixel,
                               const void* ring, const void* weights, int32_t oc) {
  NK_DWCONV2D_RING_WINDOW(uint8_t, uint32_t, NK_OFFSET_PRODUCT)
}
static float ring_window_f32(const nk_dwconv2d_params* p, const nk_pixel* pixel, const void* ring,
                             const void* weights, int32_t oc) {
  NK_DWCONV2D_RING_WINDOW(float, float, x * w)
}

/* Output channel oc of an accumulated sum; `constants`: weights, bias, multiplier, shift. */
static uint8_t requantized(const nk_dwconv2d_params* p, const void* const* constants, int32_t oc,
                           uint32_t acc) {
  const int32_t q = p->per_channel ? oc : 0;
  const int32_t sum = (int32_t)(acc + (uint32_t)((const int32_t*)constants[1])[oc]);
  return (uint8_t)nk_requantize(sum, ((const int32_t*)constants[2])[q],
                                ((const int32_t*)constants[3])[q], p->output_offset, p->act_min,
                                p->act_max);
}

#define NK_DWCONV2D_RING_X8(window)                                                           \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                                    \
  const size_t in_image = (size_t)p->in_ring_h * (size_t)p->in_w * (size_t)p->in_c;           \
  const size_t out_image = (size_t)p->out_ring_h * (size_t)p->out_w * (size_t)p->out_c;       \
  const uint8_t* x = (const uint8_t*)nk_agree_on_channels(                                    \
      in[0], y, in_image * (size_t)p->batch, out_image * (size_t)p->batch, (size_t)p->out_c); \
  const int32_t per_image = nk_pixel_count(s) / p->batch;                                     \
  int32_t n, c, i;                                                                            \
  for (n = 0; n < p->batch; ++n) {                                                            \
    for (c = 0; c < p->out_c; ++c) {                                                          \
      const uint8_t* image = x + (size_t)n * in_image + c;                                    \
      int32_t next = 0;                                                                       \
      for (i = 0; i < per_image; ++i) {                                                       \
        const nk_pixel pixel = nk_pixel_at(s, n * per_image + i);                             \
        const int32_t row = p->out_y0 + i / p->out_w;                                         \
        if (i % p->out_w == 0) nk_load_channel_rows(p, image, ring, row, &next, 1);           \
        y[pixel.out_index * (size_t)p->out_c + (size_t)c] =                                   \
            requantized(p, in + 1, c, window(p, &pixel, ring, in[1], c));                     \
      }                                                                                       \
    }                                                                                         \
  }

static void channel_ring_s8(const nk_dwconv2d_params* p, const void* const* in, uint8_t* y,
                            uint8_t* ring) {
  NK_DWCONV2D_RING_X8(ring_window_s8)
}
static void channel_ring_u8(const nk_dwconv2d_params* p, const void* const* in, uint8_t* y,
                            uint8_t* ring) {
  NK_DWCONV2D_RING_X8(ring_window_u8)
}

static void channel_ring_f32(const nk_dwconv2d_params* p, const void* const* in, float* y,
                             float* ring) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const float* bias = (const float*)in[2];
  const size_t in_image = (size_t)p->in_ring_h * (size_t)p->in_w * (size_t)p->in_c;
  const size_t out_image = (size_t)p->out_ring_h * (size_t)p->out_w * (size_t)p->out_c;
  const float* x = (const float*)nk_agree_on_channels(
      in[0], y, in_image * (size_t)p->batch * sizeof(float),
      out_image * (size_t)p->batch * sizeof(float), (size_t)p->out_c * sizeof(float));
  const int32_t per_image = nk_pixel_count(s) / p->batch;
  int32_t n, c, i;
  for (n = 0; n < p->batch; ++n) {
    for (c = 0; c < p->out_c; ++c) {
      const float* image = x + (size_t)n * in_image + c;
      int32_t next = 0;
      for (i = 0; i < per_image; ++i) {
        const nk_pixel pixel = nk_pixel_at(s, n * per_image + i);
        if (i % p->out_w == 0) {
          nk_load_channel_rows(p, (const uint8_t*)image, (uint8_t*)ring, p->out_y0 + i / p->out_w,
                               &next, sizeof(float));
        }
        y[pixel.out_index * (size_t)p->out_c + (size_t)c] =
            nk_clamp_f32(ring_window_f32(p, &pixel, ring, in[1], c) +
                             (bias != NULL ? bias[c] : 0.0f),
                         p->clamp_min, p->clamp_max);
      }
    }
  }
}

/* The part in which channel *ic of all stands; *ic becomes its channel there. */
static const nk_part* part_of(const nk_part* part, int32_t* ic) {
  while (*ic >= part->count) *ic -= (part++)->count;
  return part;
}

#define NK_DWCONV2D_RUN_X8(window)                                                          \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                                  \
  const int32_t pixels = nk_pixel_count(s);                                                 \
  int32_t i, j;                                                                             \
  for (i = 0; i < pixels; ++i) {                                                            \
    const nk_pixel pixel = nk_pixel_at(s, i);                                               \
    uint8_t* y = (uint8_t*)out + pixel.out_index * (size_t)p->out_c;                        \
    for (j = 0; j < p->out_c; ++j) {                                                        \
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;                 \
      int32_t ic = oc / p->depth_multiplier;                                                \
      const nk_part* part = part_of(parts, &ic);                                            \
      y[oc] = requantized(p, constants, oc, window(p, &pixel, part, ic, constants[0], oc)); \
    }                                                                                       \
  }

static void run_s8(const nk_dwconv2d_params* p, const nk_part* parts, const void* const* constants,
                   void* out) {
  NK_DWCONV2D_RUN_X8(window_s8)
}
static void run_u8(const nk_dwconv2d_params* p, const nk_part* parts, const void* const* constants,
                   void* out) {
  NK_DWCONV2D_RUN_X8(window_u8)
}

static void run_f32(const nk_dwconv2d_params* p, const nk_part* parts,
                    const void* const* constants, void* out) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const float* bias = (const float*)constants[1];
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    float* y = (float*)out + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
      int32_t ic = oc / p->depth_multiplier;
      const nk_part* part = part_of(parts, &ic);
      const float acc = window_f32(p, &pixel, part, ic, constants[0], oc) +
                        (bias != NULL ? bias[oc] : 0.0f);
      y[oc] = nk_clamp_f32(acc, p->clamp_min, p->clamp_max);
    }
  }
}

#define NK_DWCONV2D_WHOLE(type, run, channel_ring)                        \
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;       \
  nk_part part;                                                          \
  if (p->mode == NK_MODE_CHANNEL_RING) {                                 \
    channel_ring(p, in, (type*)out[0], (type*)scratch);                  \
    return;                                                              \
  }                                                                      \
  nk_make_parts(in, 1, &p->in_c, &part);                                 \
  run(p, &part, in + 1, out[0]);

#define NK_DWCONV2D_PARTS(run)                                                   \
  const nk_dwconv2d_parts_params* p = (const nk_dwconv2d_parts_params*)params;  \
  nk_part part[NK_MAX_PARTS];                                                   \
  (void)scratch;                                                                \
  nk_make_parts(in, p->parts, p->part_c, part);                                 \
  run((const nk_dwconv2d_params*)params, part, in + p->parts, out[0]);

void nk_dwconv2d_s8_ref(NK_KERNEL_ARGS) {
  NK_DWCONV2D_WHOLE(uint8_t, run_s8, channel_ring_s8)
}
void nk_dwconv2d_u8_ref(NK_KERNEL_ARGS) {
  NK_DWCONV2D_WHOLE(uint8_t, run_u8, channel_ring_u8)
}
void nk_dwconv2d_f32_ref(NK_KERNEL_ARGS) {
  NK_DWCONV2D_WHOLE(float, run_f32, channel_ring_f32)
}
void nk_dwconv2d_parts_s8_ref(NK_KERNEL_ARGS) { NK_DWCONV2D_PARTS(run_s8) }
void nk_dwconv2d_parts_u8_ref(NK_KERNEL_ARGS) { NK_DWCONV2D_PARTS(run_u8) }
void nk_dwconv2d_parts_f32_ref(NK_KERNEL_ARGS) { NK_DWCONV2D_PARTS(run_f32) }
