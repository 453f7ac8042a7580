/* SPDX-License-Identifier: MIT */
/* The reference of fully_connected: it defines what is right (fully_connected.h). */
#include "ops/matmul/fully_connected.h"

#define NK_FULLY_CONNECTED_X8(dot)                                                             \
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)params;               \
  const uint8_t* x = (const uint8_t*)in[0];                                                    \
  const int32_t* bias = (const int32_t*)in[2];                                                 \
  const int32_t* multiplier = (const int32_t*)in[3];                                           \
  const int32_t* shift = (const int32_t*)in[4];                                                \
  uint8_t* y = (uint8_t*)out[0];                                                               \
  int32_t row, o;                                                                              \
  (void)scratch;                                                                               \
  for (row = 0; row < p->rows; ++row) {                                                        \
    const uint8_t* weights = (const uint8_t*)in[1];                                            \
    for (o = 0; o < p->out_features; ++o) {                                                    \
      const int32_t q = p->per_channel ? o : 0;                                                \
      const uint32_t acc = dot((uint32_t)bias[o], x, weights, p->in_features, p->input_offset, \
                               p->filter_offset);                                              \
      *y++ = (uint8_t)nk_requantize((int32_t)acc, multiplier[q], shift[q], p->output_offset,   \
                                    p->act_min, p->act_max);                                   \
      weights += p->in_features;                                                               \
    }                                                                                          \
    x += p->in_features;                                                                       \
  }

void nk_fully_connected_s8_ref(NK_KERNEL_ARGS) { NK_FULLY_CONNECTED_X8(nk_dot_s8) }
void nk_fully_connected_u8_ref(NK_KERNEL_ARGS) { NK_FULLY_CONNECTED_X8(nk_dot_u8) }

void nk_fully_connected_f32_ref(const void* params, const void* const* in, void* const* out,
                                void* scratch) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)params;
  const float* x = (const float*)in[0];
  const float* bias = (const float*)in[2];
  float* y = (float*)out[0];
  int32_t row, o;
  (void)scratch;
  for (row = 0; row < p->rows; ++row) {
    const float* weights = (const float*)in[1];
    for (o = 0; o < p->out_features; ++o) {
      const float acc = nk_dot_f32(0.0f, x, weights, p->in_features);
      *y++ = nk_clamp_f32(acc + (bias != NULL ? bias[o] : 0.0f), p->clamp_min, p->clamp_max);
      weights += p->in_features;
    }
    x += p->in_features;
  }
}
