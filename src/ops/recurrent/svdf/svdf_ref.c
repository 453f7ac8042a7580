/* SPDX-License-Identifier: MIT */
/* The reference of svdf (svdf.h). */
#include <string.h>

#include "ops/common/requantize.h"
#include "ops/recurrent/svdf/svdf.h"

/* The body of a kernel. `fresh` makes the last place of a filter's memory from x and a row of
 * feature; `product` that of a filter's memory and time; `finish` an output from the sum. */
#define NK_SVDF(type, x_type, y_type, sum_type, bias_type, fresh, product, finish)              \
  const nk_svdf_params* p = (const nk_svdf_params*)params;                                      \
  const x_type* feature = (const x_type*)in[1];                                                 \
  const type* time = (const type*)in[2];                                                        \
  const bias_type* bias = (const bias_type*)in[3];                                              \
  const size_t memory = (size_t)p->memory;                                                      \
  int32_t b, u, k;                                                                              \
  (void)scratch;                                                                                \
  for (b = 0; b < p->batch; ++b) {                                                              \
    const x_type* x = (const x_type*)in[0] + (size_t)b * (size_t)p->input;                      \
    for (u = 0; u < p->units; ++u) {                                                            \
      sum_type sum = bias != NULL ? (sum_type)bias[u] : 0;                                      \
      for (k = 0; k < p->rank; ++k) {                                                           \
        const size_t filter = (size_t)u * (size_t)p->rank + (size_t)k;                          \
        const size_t at = ((size_t)b * (size_t)p->units * (size_t)p->rank + filter) * memory;   \
        const type* before = (const type*)in[4] + at;                                           \
        type* state = (type*)out[1] + at;                                                       \
        memcpy(state, before + 1, (memory - 1) * sizeof(type));                                 \
        state[memory - 1] = fresh(p, x, feature + filter * (size_t)p->input);                   \
        sum += product(p, state, time + filter * memory);                                       \
      }                                                                                         \
      ((y_type*)out[0])[(size_t)b * (size_t)p->units + (size_t)u] = finish(p, sum);             \
    }                                                                                           \
  }

static float fresh_f32(const nk_svdf_params* p, const float* x, const float* row) {
  return nk_dot_f32(0.0f, x, row, p->input);
}
static float product_f32(const nk_svdf_params* p, const float* state, const float* time) {
  return nk_dot_f32(0.0f, state, time, p->memory);
}
static float finish_f32(const nk_svdf_params* p, float sum) {
  return nk_clamp_f32(sum, p->clamp_min, p->clamp_max);
}

void nk_svdf_f32_ref(NK_KERNEL_ARGS) {
  NK_SVDF(float, float, float, float, float, fresh_f32, product_f32, finish_f32)
}

static int32_t fresh_wide(const nk_svdf_params* p, const int8_t* x, const int8_t* row) {
  const uint32_t sum = nk_dot_s8(0, x, row, p->input, p->input_offset, 0);
  return nk_multiply_by_quantized((int32_t)sum, p->multiplier[0], (int)p->shift[0]);
}
static int16_t fresh_s16(const nk_svdf_params* p, const int8_t* x, const int8_t* row) {
  return (int16_t)nk_clamp_i32(fresh_wide(p, x, row), INT16_MIN, INT16_MAX);
}
static uint32_t product_s16(const nk_svdf_params* p, const int16_t* state, const int16_t* time) {
  uint32_t sum = 0;
  int32_t i;
  for (i = 0; i < p->memory; ++i) sum += (uint32_t)((int32_t)state[i] * time[i]);
  return sum;
}
static int8_t finish_s8(const nk_svdf_params* p, uint32_t sum) {
  return (int8_t)nk_requantize((int32_t)sum, p->multiplier[1], p->shift[1], p->output_offset,
                               INT8_MIN, INT8_MAX);
}

void nk_svdf_s8_s16_ref(NK_KERNEL_ARGS) {
  NK_SVDF(int16_t, int8_t, int8_t, uint32_t, int32_t, fresh_s16, product_s16, finish_s8)
}

static int8_t fresh_s8(const nk_svdf_params* p, const int8_t* x, const int8_t* row) {
  const int32_t lo = INT8_MIN + p->state_offset, hi = INT8_MAX + p->state_offset;
  return (int8_t)(nk_clamp_i32(fresh_wide(p, x, row), lo, hi) - p->state_offset);
}
static uint32_t product_s8(const nk_svdf_params* p, const int8_t* state, const int8_t* time) {
  return nk_dot_s8(0, state, time, p->memory, p->state_offset, 0);
}

void nk_svdf_s8_ref(NK_KERNEL_ARGS) {
  NK_SVDF(int8_t, int8_t, int8_t, uint32_t, int32_t, fresh_s8, product_s8, finish_s8)
}
