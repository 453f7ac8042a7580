/* SPDX-License-Identifier: MIT */
/* The references of max_pool2d and avg_pool2d: they define what is right (pool2d.h). */
#include <float.h>

#include "ops/pool2d/pool2d.h"

/* The channel that comes j-th in the order of the mode. */
static int32_t channel_at(const nk_pool2d_params* p, int32_t j) {
  return nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
}

/* Cells by which the mean is divided: taps inside the input, or inside its padding too; 1 where
 * there is none. */
static int32_t counted(const nk_pool2d_params* p, const nk_pixel* pixel) {
  int32_t y0 = pixel->ky0, y1 = pixel->ky1, x0 = pixel->kx0, x1 = pixel->kx1;
  if (p->count_include_pad) {
    nk_tap_range(pixel->in_y + p->pad_top, p->dilation_h, p->kernel_h,
                 p->in_h + p->pad_top + p->pad_bottom, &y0, &y1);
    nk_tap_range(pixel->in_x + p->pad_left, p->dilation_w, p->kernel_w,
                 p->in_w + p->pad_left + p->pad_right, &x0, &x1);
  }
  return y0 < y1 && x0 < x1 ? (y1 - y0) * (x1 - x0) : 1;
}

/* Body of a window: the greatest value of channel c, at least `least`. */
#define NK_POOL2D_BEST(type, least)                                                   \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                            \
  const size_t step = (size_t)p->dilation_w * (size_t)p->in_c;                        \
  type best = least;                                                                  \
  int32_t ky, kx;                                                                     \
  if (pixel->kx0 == pixel->kx1) return best;                                          \
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {                                      \
    size_t at = nk_tap_index(s, pixel, ky, pixel->kx0) * (size_t)p->in_c + (size_t)c; \
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx, at += step) {                        \
      if (((const type*)x)[at] > best) best = ((const type*)x)[at];                   \
    }                                                                                 \
  }                                                                                   \
  return best;

/* Body of a window: acc and the values of channel c, from first to last. */
#define NK_POOL2D_SUM(type)                                                           \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                            \
  const size_t step = (size_t)p->dilation_w * (size_t)p->in_c;                        \
  int32_t ky, kx;                                                                     \
  if (pixel->kx0 == pixel->kx1) return acc;                                           \
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {                                      \
    size_t at = nk_tap_index(s, pixel, ky, pixel->kx0) * (size_t)p->in_c + (size_t)c; \
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx, at += step) {                        \
      acc += ((const type*)x)[at];                                                    \
    }                                                                                 \
  }                                                                                   \
  return acc;

static int32_t best_s8(const nk_pool2d_params* p, const nk_pixel* pixel, const void* x,
                       int32_t c) {
  NK_POOL2D_BEST(int8_t, INT8_MIN)
}
static int32_t best_u8(const nk_pool2d_params* p, const nk_pixel* pixel, const void* x,
                       int32_t c) {
  NK_POOL2D_BEST(uint8_t, 0)
}
static float best_f32(const nk_pool2d_params* p, const nk_pixel* pixel, const void* x, int32_t c) {
  NK_POOL2D_BEST(float, -FLT_MAX)
}

static int32_t sum_s8(const nk_pool2d_params* p, const nk_pixel* pixel, const void* x, int32_t c,
                      int32_t acc) {
  NK_POOL2D_SUM(int8_t)
}
static int32_t sum_u8(const nk_pool2d_params* p, const nk_pixel* pixel, const void* x, int32_t c,
                      int32_t acc) {
  NK_POOL2D_SUM(uint8_t)
}
static float sum_f32(const nk_pool2d_params* p, const nk_pixel* pixel, const void* x, int32_t c,
                     float acc) {
  NK_POOL2D_SUM(float)
}

/* Bodies of all windows. */
#define NK_MAX_POOL2D_X8(best)                                                         \
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;                         \
  const nk_spatial* s = (const nk_spatial*)params;                                     \
  const int32_t pixels = nk_pixel_count(s);                                            \
  int32_t i, j;                                                                        \
  (void)scratch;                                                                       \
  for (i = 0; i < pixels; ++i) {                                                       \
    const nk_pixel pixel = nk_pixel_at(s, i);                                          \
    uint8_t* y = (uint8_t*)out[0] + pixel.out_index * (size_t)p->out_c;                \
    for (j = 0; j < p->out_c; ++j) {                                                   \
      const int32_t c = channel_at(p, j);                                              \
      y[c] = (uint8_t)nk_clamp_i32(best(p, &pixel, in[0], c), p->act_min, p->act_max); \
    }                                                                                  \
  }

#define NK_AVG_POOL2D_X8(sum)                                                          \
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;                         \
  const nk_spatial* s = (const nk_spatial*)params;                                     \
  const int32_t pixels = nk_pixel_count(s);                                            \
  int32_t i, j;                                                                        \
  (void)scratch;                                                                       \
  for (i = 0; i < pixels; ++i) {                                                       \
    const nk_pixel pixel = nk_pixel_at(s, i);                                          \
    const int32_t count = counted(p, &pixel);                                          \
    const int32_t inside = (pixel.ky1 - pixel.ky0) * (pixel.kx1 - pixel.kx0);          \
    uint8_t* y = (uint8_t*)out[0] + pixel.out_index * (size_t)p->out_c;                \
    for (j = 0; j < p->out_c; ++j) {                                                   \
      const int32_t c = channel_at(p, j);                                              \
      const int32_t total = sum(p, &pixel, in[0], c, (count - inside) * p->pad_value); \
      const int32_t half = total > 0 ? count / 2 : -(count / 2);                       \
      y[c] = (uint8_t)nk_clamp_i32((total + half) / count, p->act_min, p->act_max);    \
    }                                                                                  \
  }

void nk_max_pool2d_s8_ref(NK_KERNEL_ARGS) { NK_MAX_POOL2D_X8(best_s8) }
void nk_max_pool2d_u8_ref(NK_KERNEL_ARGS) { NK_MAX_POOL2D_X8(best_u8) }

void nk_max_pool2d_f32_ref(NK_KERNEL_ARGS) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    float* y = (float*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t c = channel_at(p, j);
      y[c] = nk_clamp_f32(best_f32(p, &pixel, in[0], c), p->clamp_min, p->clamp_max);
    }
  }
}

void nk_avg_pool2d_s8_ref(NK_KERNEL_ARGS) { NK_AVG_POOL2D_X8(sum_s8) }
void nk_avg_pool2d_u8_ref(NK_KERNEL_ARGS) { NK_AVG_POOL2D_X8(sum_u8) }

void nk_avg_pool2d_f32_ref(NK_KERNEL_ARGS) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    const float count = (float)counted(p, &pixel);
    float* y = (float*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t c = channel_at(p, j);
      y[c] = nk_clamp_f32(sum_f32(p, &pixel, in[0], c, 0.0f) / count, p->clamp_min, p->clamp_max);
    }
  }
}
