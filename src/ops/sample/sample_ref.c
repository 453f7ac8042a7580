/* SPDX-License-Identifier: MIT */
/* Reference kernels of grid_sample and roi_align. Places come with the data, so every index is
 * bounded here. */
#include <math.h>

#include "ops/sample/sample.h"

#define NK_FAR 8388608.0f /* beyond it neighbouring pixels are one float */

static inline float bounded(float x, float lo, float hi) {
  return !(x >= lo) ? lo : (x > hi ? hi : x);
}

/* x mirrored at lo and hi until it lies between them. */
static inline float reflected(float x, float lo, float hi) {
  const float range = hi - lo;
  float beyond, turns;
  if (!(range > 0.0f)) return lo;
  beyond = x < lo ? lo - x : (x > hi ? x - hi : 0.0f);
  if (beyond == 0.0f) return x;
  turns = floorf(beyond / range);
  beyond -= turns * range;
  return (x < lo) == (fmodf(turns, 2.0f) == 0.0f) ? lo + beyond : hi - beyond;
}

/* A coordinate of the grid in pixels. */
static inline float denormalised(float x, int32_t n, int32_t align_corners) {
  const float y = align_corners != 0 ? (x + 1.0f) * 0.5f * (float)(n - 1)
                                     : ((x + 1.0f) * (float)n - 1.0f) * 0.5f;
  return bounded(y, -NK_FAR, NK_FAR);
}

static inline float edge_lo(int32_t align_corners) { return align_corners != 0 ? 0.0f : -0.5f; }

static inline float edge_hi(int32_t n, int32_t align_corners) {
  return (float)n - (align_corners != 0 ? 1.0f : 0.5f);
}

static inline float placed(float x, int32_t n, const nk_grid_sample_params* p) {
  if (p->padding == NK_SAMPLE_BORDER) return bounded(x, 0.0f, (float)(n - 1));
  if (p->padding != NK_SAMPLE_REFLECTION) return x;
  return reflected(x, edge_lo(p->align_corners), edge_hi(n, p->align_corners));
}

/* The pixel that stands for position i of an axis; -1 where it is a zero. */
static inline int32_t pixel_at(float i, int32_t n, const nk_grid_sample_params* p) {
  if (p->padding == NK_SAMPLE_ZEROS) {
    return i >= 0.0f && i <= (float)(n - 1) ? (int32_t)i : -1;
  }
  return (int32_t)bounded(rintf(placed(i, n, p)), 0.0f, (float)(n - 1));
}

/* Pixels and weights of one axis: 1, 2 or 4 of them. */
typedef struct sample_taps {
  int32_t at[4];
  float weight[4];
} sample_taps;

static inline void cubic_weights(float t, float* weight) {
  const float a = -0.75f, s = 1.0f - t;
  const float far_left = 1.0f + t, far_right = 1.0f + s;
  weight[0] = ((a * far_left - 5.0f * a) * far_left + 8.0f * a) * far_left - 4.0f * a;
  weight[1] = ((a + 2.0f) * t - (a + 3.0f)) * t * t + 1.0f;
  weight[2] = ((a + 2.0f) * s - (a + 3.0f)) * s * s + 1.0f;
  weight[3] = ((a * far_right - 5.0f * a) * far_right + 8.0f * a) * far_right - 4.0f * a;
}

static inline int32_t taps_of(float x, int32_t n, const nk_grid_sample_params* p,
                              sample_taps* taps) {
  float first;
  int32_t k, count = 2;
  x = denormalised(x, n, p->align_corners);
  if (p->way == NK_SAMPLE_NEAREST) {
    taps->at[0] = pixel_at(rintf(placed(x, n, p)), n, p);
    taps->weight[0] = 1.0f;
    return 1;
  }
  if (p->way == NK_SAMPLE_CUBIC) {
    first = floorf(x);
    cubic_weights(x - first, taps->weight);
    first -= 1.0f;
    count = 4;
  } else {
    x = placed(x, n, p);
    first = floorf(x);
    taps->weight[1] = x - first;
    taps->weight[0] = 1.0f - taps->weight[1];
  }
  for (k = 0; k < count; ++k) taps->at[k] = pixel_at(first + (float)k, n, p);
  return count;
}

void nk_grid_sample_f32_ref(NK_KERNEL_ARGS) {
  const nk_grid_sample_params* p = (const nk_grid_sample_params*)params;
  const float* image = (const float*)in[0];
  const float* grid = (const float*)in[1];
  float* target = (float*)out[0];
  int32_t n, i, k, m, c;
  (void)scratch;
  for (n = 0; n < p->batch; ++n, image += p->in_h * p->in_w * p->channels) {
    for (i = 0; i < p->pixels; ++i, grid += 2, target += p->channels) {
      sample_taps x, y;
      const int32_t columns = taps_of(grid[0], p->in_w, p, &x);
      const int32_t rows = taps_of(grid[1], p->in_h, p, &y);
      for (c = 0; c < p->channels; ++c) {
        float sum = 0.0f;
        for (k = 0; k < rows; ++k) {
          float row = 0.0f;
          if (y.at[k] < 0) continue;
          for (m = 0; m < columns; ++m) {
            if (x.at[m] < 0) continue;
            row += x.weight[m] * image[(y.at[k] * p->in_w + x.at[m]) * p->channels + c];
          }
          sum += y.weight[k] * row;
        }
        target[c] = sum;
      }
    }
  }
}

/* The two pixels about x and the weight of the second; 0 where x lies outside. */
static inline int roi_taps(float x, int32_t n, int32_t* at, float* weight) {
  if (!(x >= -1.0f && x <= (float)n)) return 0;
  x = x < 0.0f ? 0.0f : x;
  at[0] = (int32_t)x;
  if (at[0] >= n - 1) {
    at[0] = at[1] = n - 1;
    *weight = 0.0f;
  } else {
    at[1] = at[0] + 1;
    *weight = x - (float)at[0];
  }
  return 1;
}

/* Sample k of a cell. */
static inline float roi_place(float start, float cell, int32_t index, int32_t k, int32_t samples) {
  return start + (float)index * cell + ((float)k + 0.5f) * cell / (float)samples;
}

/* Adds up the samples of one output pixel. */
static inline void add_roi_pixel(const nk_roi_align_params* p, const float* image, float y0,
                                 float x0, const float* cell, int32_t pixel, float* target) {
  const int32_t row = pixel / p->out_w, column = pixel % p->out_w;
  int32_t i, j, c, y[2], x[2];
  float ty, tx;
  for (i = 0; i < p->samples; ++i) {
    if (!roi_taps(roi_place(y0, cell[0], row, i, p->samples), p->in_h, y, &ty)) continue;
    for (j = 0; j < p->samples; ++j) {
      if (!roi_taps(roi_place(x0, cell[1], column, j, p->samples), p->in_w, x, &tx)) continue;
      for (c = 0; c < p->channels; ++c) {
        const float* at = image + c;
        const float upper = at[(y[0] * p->in_w + x[0]) * p->channels] * (1.0f - tx) +
                            at[(y[0] * p->in_w + x[1]) * p->channels] * tx;
        const float lower = at[(y[1] * p->in_w + x[0]) * p->channels] * (1.0f - tx) +
                            at[(y[1] * p->in_w + x[1]) * p->channels] * tx;
        target[c] += upper * (1.0f - ty) + lower * ty;
      }
    }
  }
}

void nk_roi_align_f32_ref(NK_KERNEL_ARGS) {
  const nk_roi_align_params* p = (const nk_roi_align_params*)params;
  const float* source = (const float*)in[0];
  const float* roi = (const float*)in[1];
  const int64_t* indices = (const int64_t*)in[2];
  float* target = (float*)out[0];
  const float offset = p->half_pixel != 0 ? 0.5f : 0.0f;
  const float count = (float)p->samples * (float)p->samples;
  int32_t r, i, c;
  (void)scratch;
  for (r = 0; r < p->count; ++r, roi += 4) {
    const int64_t n = indices[r];
    const int32_t image = n < 0 ? 0 : (n >= p->batch ? p->batch - 1 : (int32_t)n);
    const float x0 = roi[0] * p->scale - offset, y0 = roi[1] * p->scale - offset;
    float width = roi[2] * p->scale - offset - x0, height = roi[3] * p->scale - offset - y0;
    float cell[2];
    if (p->half_pixel == 0) {
      width = width < 1.0f ? 1.0f : width;
      height = height < 1.0f ? 1.0f : height;
    }
    cell[0] = height / (float)p->out_h;
    cell[1] = width / (float)p->out_w;
    for (i = 0; i < p->out_h * p->out_w; ++i, target += p->channels) {
      for (c = 0; c < p->channels; ++c) target[c] = 0.0f;
      add_roi_pixel(p, source + image * p->in_h * p->in_w * p->channels, y0, x0, cell, i, target);
      for (c = 0; c < p->channels; ++c) target[c] /= count;
    }
  }
}
