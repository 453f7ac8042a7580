/* SPDX-License-Identifier: MIT */
/* Values between the pixels of an image, at places that the data state.
 *
 *   grid_sample  in: x [n, h, w, c], grid [n, pixels, 2] of (x, y) in [-1, 1]; out: [n, pixels, c].
 *                Attributes mode (linear, nearest, cubic with a = -0.75), padding (zeros, border,
 *                reflection), align_corners (-1 and 1 are centres, else edges, of the outer
 *                pixels). ONNX GridSample; cubic pads tap by tap. A place that is NaN lies before
 *                the first pixel
 *   roi_align    in: x [n, h, w, c], rois [count, 4] of (x1, y1, x2, y2), indices [count] (int64)
 *                of their images, those outside taken as the nearest; out: [count, out_h, out_w,
 *                c], means of samples x samples values. Attributes out_h, out_w, samples, scale,
 *                half_pixel. ONNX RoiAlign
 * All float32 but the indices. */
#ifndef NETKIT_OPS_SAMPLE_SAMPLE_H
#define NETKIT_OPS_SAMPLE_SAMPLE_H

#include "ops/common/kernel.h"

#define NK_SAMPLE_LINEAR 0
#define NK_SAMPLE_NEAREST 1
#define NK_SAMPLE_CUBIC 2

#define NK_SAMPLE_ZEROS 0
#define NK_SAMPLE_BORDER 1
#define NK_SAMPLE_REFLECTION 2

#define NK_GRID_SAMPLE_FIELDS(S, A) \
  S(int32_t, batch) \
  S(int32_t, in_h) \
  S(int32_t, in_w) \
  S(int32_t, channels) \
  S(int32_t, pixels) \
  S(int32_t, way) \
  S(int32_t, padding) \
  S(int32_t, align_corners)

typedef struct nk_grid_sample_params {
  NK_GRID_SAMPLE_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_grid_sample_params;

#define NK_ROI_ALIGN_FIELDS(S, A) \
  S(int32_t, batch) \
  S(int32_t, in_h) \
  S(int32_t, in_w) \
  S(int32_t, channels) \
  S(int32_t, count) \
  S(int32_t, out_h) \
  S(int32_t, out_w) \
  S(int32_t, samples) \
  S(int32_t, half_pixel) \
  S(float, scale)

typedef struct nk_roi_align_params {
  NK_ROI_ALIGN_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_roi_align_params;

#endif
