/* SPDX-License-Identifier: MIT */
/* Depthwise convolution of float32 with weights as networks built on a device have them,
 * [channels, kernel_h, kernel_w]; everything else as nk_dwconv2d_f32_ref, to the bit. */
#include "ops/dwconv2d/channel_ring.h"
#include "ops/dwconv2d/dwconv2d.h"

/* One output of a channel, whose pixel (y, x) stands at rows[(y % height) * row + x * step]. */
static float planar_window(const nk_dwconv2d_params* p, const nk_pixel* pixel, const float* rows,
                           int32_t height, size_t row, size_t step, const float* weights,
                           float bias) {
  float acc = 0;
  int32_t ky, kx;
  for (ky = pixel->ky0; ky < pixel->ky1; ++ky) {
    const float* x = rows + (size_t)((pixel->in_y + ky) % height) * row;
    for (kx = pixel->kx0; kx < pixel->kx1; ++kx) {
      acc += x[(size_t)(pixel->in_x + kx) * step] * weights[ky * p->kernel_w + kx];
    }
  }
  return nk_clamp_f32(acc + bias, p->clamp_min, p->clamp_max);
}

/* Channel by channel, the rows of one window in scratch. */
static void planar_ring(const nk_dwconv2d_params* p, const void* const* in, float* y, float* ring) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const float *weights = (const float*)in[1], *bias = (const float*)in[2];
  const size_t taps = (size_t)p->kernel_h * (size_t)p->kernel_w;
  const size_t pixel_bytes = (size_t)p->in_c * sizeof(float);
  const float* x = (const float*)nk_agree_on_channels(
      in[0], y, (size_t)p->in_h * (size_t)p->in_w * pixel_bytes,
      (size_t)p->out_h * (size_t)p->out_w * pixel_bytes, pixel_bytes);
  int32_t c, i;
  for (c = 0; c < p->in_c; ++c) {
    int32_t next = 0;
    for (i = 0; i < nk_pixel_count(s); ++i) {
      const nk_pixel pixel = nk_pixel_at(s, i);
      if (i % p->out_w == 0) {
        nk_load_channel_rows(p, (const uint8_t*)(x + c), (uint8_t*)ring, i / p->out_w, &next,
                             sizeof(float));
      }
      y[pixel.out_index * (size_t)p->out_c + (size_t)c] =
          planar_window(p, &pixel, ring, nk_ring_rows(p), (size_t)p->in_w, 1,
                        weights + (size_t)c * taps, bias != NULL ? bias[c] : 0.0f);
    }
  }
}

void nk_dwconv2d_planar_f32(NK_KERNEL_ARGS) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)params;
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const float *weights = (const float*)in[1], *bias = (const float*)in[2];
  const size_t taps = (size_t)p->kernel_h * (size_t)p->kernel_w;
  int32_t i, j;
  if (p->mode == NK_MODE_CHANNEL_RING) {
    planar_ring(p, in, (float*)out[0], (float*)scratch);
    return;
  }
  for (i = 0; i < nk_pixel_count(s); ++i) {
    const nk_pixel pixel = nk_pixel_at(s, i);
    float* y = (float*)out[0] + pixel.out_index * (size_t)p->out_c;
    for (j = 0; j < p->out_c; ++j) {
      const int32_t c = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;
      y[c] = planar_window(p, &pixel, (const float*)in[0] + c, p->in_h,
                           (size_t)p->in_w * (size_t)p->in_c, (size_t)p->in_c,
                           weights + (size_t)c * taps, bias != NULL ? bias[c] : 0.0f);
    }
  }
}
