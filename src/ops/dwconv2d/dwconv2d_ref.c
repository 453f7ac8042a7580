/* SPDX-License-Identifier: MIT */
/* The reference of dwconv2d: it defines what is right (dwconv2d.h). */
#include <string.h>

#include "ops/dwconv2d/channel_ring.h"
#include "ops/dwconv2d/dwconv2d.h"

/* Rows of one channel that scratch holds: those of one window. */
static int32_t ring_rows(const nk_dwconv2d_params* p) {
  const int32_t extent = (p->kernel_h - 1) * p->dilation_h + 1;
  return extent < p->in_h ? extent : p->in_h;
}

/* Copies one channel of the rows that output row y needs and the ring lacks; *next is the first row
 * not yet seen. `image` points to the channel in the image's first pixel. */
static void load_rows(const nk_dwconv2d_params* p, const uint8_t* image, uint8_t* ring, int32_t y,
                      int32_t* next, size_t elem_bytes) {
  const int32_t top = y * p->stride_h - p->pad_top;
  const int32_t end = top + (p->kernel_h - 1) * p->dilation_h + 1;
  const int32_t rows = ring_rows(p);
  int32_t iy, x;
  if (*next < top) *next = top;
  for (iy = *next; iy < end && iy < p->in_h; ++iy) {
    const size_t at = (size_t)(iy % p->in_ring_h) * (size_t)p->in_w;
    uint8_t* to = ring + (size_t)(iy % rows) * (size_t)p->in_w * elem_bytes;
    for (x = 0; x < p->in_w; ++x) {
      memcpy(to + (size_t)x * elem_bytes, image + (at + (size_t)x) * (size_t)p->in_c * elem_bytes,
             elem_bytes);
    }
  }
  if (*next < iy) *next = iy;
}

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

static void channel_ring_s8(const nk_dwconv2d_params* p, const void* const* in, int8_t* y,
                            int8_t* ring) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const int8_t* weights = (const int8_t*)in[1];
  const size_t in_image = (size_t)p->in_ring_h * (size_t)p->in_w * (size_t)p->in_c;
  const size_t out_image = (size_t)p->out_ring_h * (size_t)p->out_w * (size_t)p->out_c;
  const int8_t* x = (const int8_t*)nk_agree_on_channels(
      in[0], y, in_image * (size_t)p->batch, out_image * (size_t)p->batch, (size_t)p->out_c);
  const int32_t per_image = nk_pixel_count(s) / p->batch, rows = ring_rows(p);
  int32_t n, c, i, ky, kx;
  for (n = 0; n < p->batch; ++n) {
    for (c = 0; c < p->out_c; ++c) {
      const int8_t* image = x + (size_t)n * in_image + c;
      const int32_t q = p->per_channel ? c : 0;
      int32_t next = 0;
      for (i = 0; i < per_image; ++i) {
        const nk_pixel pixel = nk_pixel_at(s, n * per_image + i);
        uint32_t acc = (uint32_t)((const int32_t*)in[2])[c];
        if (i % p->out_w == 0) {
          load_rows(p, (const uint8_t*)image, (uint8_t*)ring, p->out_y0 + i / p->out_w, &next, 1);
        }
        for (ky = pixel.ky0; ky < pixel.ky1; ++ky) {
          const int32_t iy = pixel.in_y + ky * p->dilation_h;
          const int8_t* row = ring + (size_t)(iy % rows) * (size_t)p->in_w;
          for (kx = pixel.kx0; kx < pixel.kx1; ++kx) {
            const size_t tap = (size_t)(ky * p->kernel_w + kx) * (size_t)p->out_c + (size_t)c;
            acc += (uint32_t)((row[pixel.in_x + kx * p->dilation_w] + p->input_offset) *
                              (weights[tap] + p->filter_offset));
          }
        }
        y[pixel.out_index * (size_t)p->out_c + (size_t)c] = (int8_t)nk_requantize(
            (int32_t)acc, ((const int32_t*)in[3])[q], ((const int32_t*)in[4])[q],
            p->output_offset, p->act_min, p->act_max);
      }
    }
  }
}

static void channel_ring_f32(const nk_dwconv2d_params* p, const void* const* in, float* y,
                             float* ring) {
  const nk_spatial* s = (const nk_spatial*)(const void*)p;
  const float* weights = (const float*)in[1];
  const float* bias = (const float*)in[2];
  const size_t in_image = (size_t)p->in_ring_h * (size_t)p->in_w * (size_t)p->in_c;
  const size_t out_image = (size_t)p->out_ring_h * (size_t)p->out_w * (size_t)p->out_c;
  const float* x = (const float*)nk_agree_on_channels(
      in[0], y, in_image * (size_t)p->batch * sizeof(float),
      out_image * (size_t)p->batch * sizeof(float), (size_t)p->out_c * sizeof(float));
  const int32_t per_image = nk_pixel_count(s) / p->batch, rows = ring_rows(p);
  int32_t n, c, i, ky, kx;
  for (n = 0; n < p->batch; ++n) {
    for (c = 0; c < p->out_c; ++c) {
      const float* image = x + (size_t)n * in_image + c;
      int32_t next = 0;
      for (i = 0; i < per_image; ++i) {
        const nk_pixel pixel = nk_pixel_at(s, n * per_image + i);
        float acc = 0.0f;
        if (i % p->out_w == 0) {
          load_rows(p, (const uint8_t*)image, (uint8_t*)ring, p->out_y0 + i / p->out_w, &next,
                    sizeof(float));
        }
        for (ky = pixel.ky0; ky < pixel.ky1; ++ky) {
          const int32_t iy = pixel.in_y + ky * p->dilation_h;
          const float* row = ring + (size_t)(iy % rows) * (size_t)p->in_w;
          for (kx = pixel.kx0; kx < pixel.kx1; ++kx) {
            acc += row[pixel.in_x + kx * p->dilation_w] *
                   weights[(size_t)(ky * p->kernel_w + kx) * (size_t)p->out_c + (size_t)c];
          }
        }
        y[pixel.out_index * (size_t)p->out_c + (size_t)c] = nk_clamp_f32(
            acc + (bias != NULL ? bias[c] : 0.0f), p->clamp_min, p->clamp_max);
      }
    }
  }
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
  if (p->mode == NK_MODE_CHANNEL_RING) {
    channel_ring_s8(p, in, (int8_t*)out[0], (int8_t*)scratch);
    return;
  }
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
  if (p->mode == NK_MODE_CHANNEL_RING) {
    channel_ring_f32(p, in, (float*)out[0], (float*)scratch);
    return;
  }
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
