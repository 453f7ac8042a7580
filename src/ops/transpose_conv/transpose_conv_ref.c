/* SPDX-License-Identifier: MIT */
/* The reference of transpose_conv: it defines what is right (transpose_conv.h). */
#include "ops/common/transposed.h"
#include "ops/common/wide.h"
#include "ops/transpose_conv/transpose_conv.h"

#define NK_DOT_OFFSET(acc, x, w, n) nk_dot_s8(acc, x, w, n, p->input_offset, p->filter_offset)

/* Body of a window: the products of one output element, added by dot(acc, x, w, count). */
#define NK_GATHER_WINDOW(x_type, w_type, sum, dot)                                                \
  const nk_spatial* s = (const nk_spatial*)(const void*)p;                                        \
  const int32_t group_in = p->in_c / p->groups;                                                   \
  const size_t first = (size_t)(oc / (p->out_c / p->groups)) * (size_t)group_in;                  \
  sum acc = 0;                                                                                    \
  int32_t i, j;                                                                                   \
  for (i = 0; i < pixel->y.count; ++i) {                                                          \
    const size_t row = (size_t)oc * (size_t)p->kernel_h +                                         \
                       (size_t)(pixel->y.k - i * pixel->y.k_step);                                \
    for (j = 0; j < pixel->x.count; ++j) {                                                        \
      const size_t tap = row * (size_t)p->kernel_w + (size_t)(pixel->x.k - j * pixel->x.k_step);  \
      const x_type* x = (const x_type*)in[0] +                                                    \
                        nk_gathered_index(s, pixel, i, j) * (size_t)p->in_c + first;              \
      acc = dot(acc, x, (const w_type*)in[1] + tap * (size_t)group_in, group_in);                 \
    }                                                                                             \
  }                                                                                               \
  return acc;

static uint32_t window_s8(const nk_transpose_conv_params* p, const nk_gather_pixel* pixel,
                          const void* const* in, int32_t oc) {
  NK_GATHER_WINDOW(int8_t, int8_t, uint32_t, NK_DOT_OFFSET)
}

static uint64_t window_s16(const nk_transpose_conv_params* p, const nk_gather_pixel* pixel,
                           const void* const* in, int32_t oc) {
  NK_GATHER_WINDOW(int16_t, int8_t, uint64_t, nk_dot_s16_s8)
}

static float window_f32(const nk_transpose_conv_params* p, const nk_gather_pixel* pixel,
                        const void* const* in, int32_t oc) {
  NK_GATHER_WINDOW(float, float, float, nk_dot_f32)
}

/* Body of a kernel: `made` is the value of output channel oc at `pixel`. */
#define NK_GATHER_LOOP(type, made)                                                \
  const nk_transpose_conv_params* p = (const nk_transpose_conv_params*)params;    \
  const nk_spatial* s = (const nk_spatial*)params;                                \
  const int32_t pixels = nk_pixel_count(s);                                       \
  int32_t i, j;                                                                   \
  (void)scratch;                                                                  \
  for (i = 0; i < pixels; ++i) {                                                  \
    const nk_gather_pixel pixel = nk_gather_pixel_at(s, i);                       \
    type* y = (type*)out[0] + pixel.out_index * (size_t)p->out_c;                 \
    for (j = 0; j < p->out_c; ++j) {                                              \
      const int32_t oc = nk_walks_backward(p->mode) ? p->out_c - 1 - j : j;       \
      y[oc] = made(p, &pixel, in, oc);                                            \
    }                                                                             \
  }

static int8_t made_s8(const nk_transpose_conv_params* p, const nk_gather_pixel* pixel,
                      const void* const* in, int32_t oc) {
  const int32_t q = p->per_channel ? oc : 0;
  const uint32_t acc = window_s8(p, pixel, in, oc) + (uint32_t)((const int32_t*)in[2])[oc];
  return (int8_t)nk_requantize((int32_t)acc, ((const int32_t*)in[3])[q],
                               ((const int32_t*)in[4])[q], p->output_offset, p->act_min,
                               p->act_max);
}

static int16_t made_s16(const nk_transpose_conv_params* p, const nk_gather_pixel* pixel,
                        const void* const* in, int32_t oc) {
  return nk_finish_s16(window_s16(p, pixel, in, oc), in,
                       (const nk_weighted*)(const void*)&p->input_offset, oc);
}

static float made_f32(const nk_transpose_conv_params* p, const nk_gather_pixel* pixel,
                      const void* const* in, int32_t oc) {
  const float* bias = (const float*)in[2];
  const float acc = window_f32(p, pixel, in, oc) + (bias != NULL ? bias[oc] : 0.0f);
  return nk_clamp_f32(acc, p->clamp_min, p->clamp_max);
}

void nk_transpose_conv_s8_ref(NK_KERNEL_ARGS) { NK_GATHER_LOOP(int8_t, made_s8) }
void nk_transpose_conv_s16_ref(NK_KERNEL_ARGS) { NK_GATHER_LOOP(int16_t, made_s16) }
void nk_transpose_conv_f32_ref(NK_KERNEL_ARGS) { NK_GATHER_LOOP(float, made_f32) }
