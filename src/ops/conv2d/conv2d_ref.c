/* SPDX-License-Identifier: MIT */
/* The reference of conv2d: it defines what is right (conv2d.h). */
#include <string.h>

#include "ops/conv2d/conv2d.h"

/* Taps of a row that stand side by side in weights and input are one dot product. */
static int32_t taps_per_run(const nk_conv2d_params* p, const nk_pixel* pixel) {
  return p->groups == 1 && p->dilation_w == 1 ? pixel->kx1 - pixel->kx0 : 1;
}

static uint32_t window_s8(const nk_conv2d_params* p, const nk_pixel* pixel, const int8_t* x,
                          const int8_t* weights, int32_t oc) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const int32_t group_in = p->in_c / p->groups;
  const size_t first = (size_t)(oc / (p->out_c / p->groups)) * (size_t)group_in;
  const int32_t run = taps_per_run(p, pixel);
  uint32_t acc = 0;
  int32_t ky, kx;
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    for (kx = pixel->kx0; kx < pixel->kx1; kx += run) {
      const size_t at = nk_copies_pixel(p->mode) ? 0 : nk_tap_index(s, pixel, ky, kx);
      const size_t tap = ((size_t)oc * (size_t)p->kernel_h + (size_t)ky) * (size_t)p->kernel_w +
                         (size_t)kx;
      acc = nk_dot_s8(acc, x + at * (size_t)p->in_c + first, weights + tap * (size_t)group_in,
                      run * group_in, p->input_offset, p->filter_offset);
    }
  }
  return acc;
}

static float window_f32(const nk_conv2d_params* p, const nk_pixel* pixel, const float* x,
                        const float* weights, int32_t oc) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const int32_t group_in = p->in_c / p->groups;
  const size_t first = (size_t)(oc / (p->out_c / p->groups)) * (size_t)group_in;
  const int32_t run = taps_per_run(p, pixel);
  float acc = 0.0f;
  int32_t ky, kx;
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    for (kx = pixel->kx0; kx < pixel->kx1; kx += run) {
      const size_t at = nk_copies_pixel(p->mode) ? 0 : nk_tap_index(s, pixel, ky, kx);
      const size_t tap = ((size_t)oc * (size_t)p->kernel_h + (size_t)ky) * (size_t)p->kernel_w +
                         (size_t)kx;
      acc = nk_dot_f32(acc, x + at * (size_t)p->in_c + first, weights + tap * (size_t)group_in,
                       run * group_in);
    }
  }
  return acc;
}

/* The input that the pixel's window reads: the tensor, or its only pixel copied to scratch. */
static const void* source(const nk_conv2d_params* p, const nk_pixel* pixel, const void* x,
                          void* scratch, size_t elem_bytes) {
  const size_t bytes = (size_t)p->in_c * elem_bytes;
  size_t at;
  if (!nk_copies_pixel(p->mode)) return x;
  at = nk_tap_index((const nk_spatial*)(const void*)p, pixel, 0, 0);
  memcpy(scratch, (const uint8_t*)x + at * bytes, bytes);
  return scratch;
}

void nk_conv2d_s8_ref(const void* params, const void* const* in, void* const* out, void* scratch) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)params;
  const int8_t* weights = (const int8_t*)in[1];
  const int32_t* bias = (const int32_t*)in[2];
  const int32_t* multiplier = (const int32_t*)in[3];
  const int32_t* shift = (const int32_t*)in[4];
  const nk_spatial* s = (const nk_spatial*)params;
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    const int8_t* x = (const int8_t*)source(p, &pixel, in[0], scratch, sizeof(int8_t));
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

void nk_conv2d_f32_ref(const void* params, const void* const* in, void* const* out,
                       void* scratch) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)params;
  const float* weights = (const float*)in[1];
  const float* bias = (const float*)in[2];
  const nk_spatial* s = (const nk_spatial*)params;
  const int32_t pixels = nk_pixel_count(s);
  int32_t i, j;
  for (i = 0; i < pixels; ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    const float* x = (const float*)source(p, &pixel, in[0], scratch, sizeof(float));
    float* y = (float*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
      const float acc = window_f32(p, &pixel, x, weights, oc) + (bias != NULL ? bias[oc] : 0.0f);
      y[oc] = nk_clamp_f32(acc, p->clamp_min, p->clamp_max);
    }
  }
}
