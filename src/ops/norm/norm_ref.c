/* SPDX-License-Identifier: MIT */
/* Normalisation kernels. With one group or one spatial position each slab is read whole before it
 * is written, from low to high, so that the output may take the input's place. */
#include <math.h>

#include "ops/norm/norm.h"

/* One (batch, group): `rows` runs of `channels` elements, `pitch` elements apart. */
static void normalise_slab(const float* x, float* y, const float* scale, const float* bias,
                           int32_t rows, int32_t pitch, const nk_norm_params* p) {
  const float count = (float)rows * (float)p->channels;
  float mean = 0.0f, variance = 0.0f, inverse;
  int32_t r, c;
  if (p->subtract_mean != 0) {
    for (r = 0; r < rows; ++r) {
      for (c = 0; c < p->channels; ++c) mean += x[r * pitch + c];
    }
    mean /= count;
  }
  for (r = 0; r < rows; ++r) {
    for (c = 0; c < p->channels; ++c) {
      const float d = x[r * pitch + c] - mean;
      variance += d * d;
    }
  }
  inverse = 1.0f / sqrtf(variance / count + p->epsilon);
  for (r = 0; r < rows; ++r) {
    for (c = 0; c < p->channels; ++c) {
      const float d = (x[r * pitch + c] - mean) * inverse;
      y[r * pitch + c] = d * (scale != NULL ? scale[c] : 1.0f) + (bias != NULL ? bias[c] : 0.0f);
    }
  }
}

void nk_norm_f32_ref(NK_KERNEL_ARGS) {
  const nk_norm_params* p = (const nk_norm_params*)params;
  const float* x = (const float*)in[0];
  const float* scale = (const float*)in[1];
  const float* bias = (const float*)in[2];
  float* y = (float*)out[0];
  const int32_t pitch = p->groups * p->channels;
  int32_t b, g;
  (void)scratch;
  for (b = 0; b < p->batch; ++b) {
    for (g = 0; g < p->groups; ++g) {
      const int32_t at = b * p->spatial * pitch + g * p->channels;
      normalise_slab(x + at, y + at, scale == NULL ? NULL : scale + g * p->channels,
                     bias == NULL ? NULL : bias + g * p->channels, p->spatial, pitch, p);
    }
  }
}

void nk_batch_norm_f32_ref(NK_KERNEL_ARGS) {
  const nk_norm_params* p = (const nk_norm_params*)params;
  const float* x = (const float*)in[0];
  const float* scale = (const float*)in[1];
  const float* shift = (const float*)in[2];
  float* y = (float*)out[0];
  int32_t r, c;
  (void)scratch;
  for (r = 0; r < p->batch; ++r) {
    for (c = 0; c < p->channels; ++c) *y++ = *x++ * scale[c] + shift[c];
  }
}

void nk_l2_norm_f32_ref(NK_KERNEL_ARGS) {
  const nk_norm_params* p = (const nk_norm_params*)params;
  const float* x = (const float*)in[0];
  float* y = (float*)out[0];
  int32_t r, c;
  (void)scratch;
  for (r = 0; r < p->batch; ++r) {
    float sum = 0.0f, norm;
    for (c = 0; c < p->channels; ++c) sum += x[c] * x[c];
    norm = sqrtf(sum);
    if (norm < p->epsilon) norm = p->epsilon;
    for (c = 0; c < p->channels; ++c) *y++ = *x++ / norm;
  }
}

void nk_lrn_f32_ref(NK_KERNEL_ARGS) {
  const nk_lrn_params* p = (const nk_lrn_params*)params;
  const float* x = (const float*)in[0];
  float* y = (float*)out[0];
  int32_t r, c, k;
  (void)scratch;
  for (r = 0; r < p->rows; ++r) {
    for (c = 0; c < p->channels; ++c) {
      const int32_t first = c > p->before ? c - p->before : 0;
      const int32_t last = c + p->after < p->channels ? c + p->after : p->channels - 1;
      float sum = 0.0f;
      for (k = first; k <= last; ++k) sum += x[k] * x[k];
      *y++ = x[c] / powf(p->bias + p->alpha * sum, p->beta);
    }
    x += p->channels;
  }
}
