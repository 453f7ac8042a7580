/* SPDX-License-Identifier: MIT */
/* The reference of dwconv2d: it defines what is right (dwconv2d.h). */
#include "ops/dwconv2d/dwconv2d.h"

static uint32_t window_s8(const nk_dwconv2d_params* p, const nk_pixel* pixel, const int8_t* x,
                          const int8_t* weights, int32_t oc) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const size_t ic = (size_t)(oc / p->depth_multiplier);
  uint32_t acc = 0;
  int32_t ky, kx;
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    const int8_t* w = weights + (size_t)ky * (size_t)p->kernel_w * (size_t)p->out_c + (size_t)oc;
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx) {
      const size_t at = nk_tap_index(s, pixel, ky, kx) * (size_t)p->in_c + ic;
      acc += (uint32_t)((x[at] + p->input_offset) *
                        (w[(size_t)kx * (size_t)p->out_c] + p->filter_offset));
    }
  }
  return acc;
}

static float window_f32(const nk_dwconv2d_params* p, const nk_pixel* pixel, const float* x,
                        const float* weights, int32_t oc) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const size_t ic = (size_t)(oc / p->depth_multiplier);
  float acc = 0.0f;
  int32_t ky, kx;
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    const float* w = weights + (size_t)ky * (size_t)p->kernel_w * (size_t)p->out_c + (size_t)oc;
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx) {
      const size_t at = nk_tap_index(s, pixel, ky, kx) * (size_t)p->in_c + ic;
      acc += x[at] * w[(size_t)kx * (size_t)p->out_c];
    }
  }
  return acc;
}

void nk_dwconv2d_s8_ref(const void* params, const void* const* in, void* const* out,
                        void* scratch) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const int8_t* x = (const int8_t*)in[0];
  const int8_t* weights = (const int8_t*)in[1];
  const int32_t* bias = (const int32_t*)in[2];
  const int32_t* multiplier = (const int32_t*)in[3];
  const int32_t* shift = (const int32_t*)in[4];
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    int8_t* y = (int8_t*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
      const int32_t q = p->per_channel ? oc : 0;
      const uint32_t acc = window_s8(p, &pixel, x, weights, oc) + (uint32_t)bias[oc];
      y[oc] = (int8_t)nk_requantize((int32_t)acc, multiplier[q], shift[q], p->output_offset,
                                    p->act_min, p->act_max);
    }
  }
}

void nk_dwconv2d_f32_ref(const void* params, const void* const* in, void* const* out,
                         void* scratch) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)params;
  const float* x = (const float*)in[0];
  const float* weights = (const float*)in[1];
  const float* bias = (const float*)in[2];
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  (void)scratch;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    float* y = (float*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
      const float acc = window_f32(p, &pixel, x, weights, oc) + (bias != NULL ? bias[oc] : 0.0f);
      y[oc] = nk_clamp_f32(acc, p->clamp_min, p->clamp_max);
    }
  }
}
