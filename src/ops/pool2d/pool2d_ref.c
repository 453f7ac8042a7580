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

void nk_max_pool2d_s8_ref(const void* params, const void* const* in, void* const* out,
                          void* scratch) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const int8_t* x = (const int8_t*)in[0];
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j, ky, kx;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    int8_t* y = (int8_t*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t c = channel_at(p, j);
      int32_t best = INT8_MIN;
      for (ky = pixel.ky0; ky < pixel.ky1; ++ky) {
        for (kx = pixel.kx0; kx < pixel.kx1; ++kx) {
          const int32_t v = x[nk_tap_index(s, &pixel, ky, kx) * (size_t)p->in_c + (size_t)c];
          if (v > best) best = v;
        }
      }
      y[c] = (int8_t)nk_clamp_i32(best, p->act_min, p->act_max);
    }
  }
}

void nk_max_pool2d_f32_ref(const void* params, const void* const* in, void* const* out,
                           void* scratch) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const float* x = (const float*)in[0];
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j, ky, kx;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    float* y = (float*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t c = channel_at(p, j);
      float best = -FLT_MAX;
      for (ky = pixel.ky0; ky < pixel.ky1; ++ky) {
        for (kx = pixel.kx0; kx < pixel.kx1; ++kx) {
          const float v = x[nk_tap_index(s, &pixel, ky, kx) * (size_t)p->in_c + (size_t)c];
          if (v > best) best = v;
        }
      }
      y[c] = nk_clamp_f32(best, p->clamp_min, p->clamp_max);
    }
  }
}

void nk_avg_pool2d_s8_ref(const void* params, const void* const* in, void* const* out,
                          void* scratch) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const int8_t* x = (const int8_t*)in[0];
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j, ky, kx;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    const int32_t count = counted(p, &pixel);
    const int32_t inside = (pixel.ky1 - pixel.ky0) * (pixel.kx1 - pixel.kx0);
    int8_t* y = (int8_t*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t c = channel_at(p, j);
      int32_t sum = (count - inside) * p->pad_value;
      for (ky = pixel.ky0; ky < pixel.ky1; ++ky) {
        for (kx = pixel.kx0; kx < pixel.kx1; ++kx) {
          sum += x[nk_tap_index(s, &pixel, ky, kx) * (size_t)p->in_c + (size_t)c];
        }
      }
      sum = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
      y[c] = (int8_t)nk_clamp_i32(sum, p->act_min, p->act_max);
    }
  }
}

void nk_avg_pool2d_f32_ref(const void* params, const void* const* in, void* const* out,
                           void* scratch) {
  const nk_pool2d_params* p = (const nk_pool2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const float* x = (const float*)in[0];
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j, ky, kx;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    const float count = (float)counted(p, &pixel);
    float* y = (float*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t c = channel_at(p, j);
      float sum = 0.0f;
      for (ky = pixel.ky0; ky < pixel.ky1; ++ky) {
        for (kx = pixel.kx0; kx < pixel.kx1; ++kx) {
          sum += x[nk_tap_index(s, &pixel, ky, kx) * (size_t)p->in_c + (size_t)c];
        }
      }
      y[c] = nk_clamp_f32(sum / count, p->clamp_min, p->clamp_max);
    }
  }
}
