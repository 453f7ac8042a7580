/* SPDX-License-Identifier: MIT */
/* The reference of matmul: it defines what is right (matmul.h). */
#include "ops/matmul/matmul.h"

#include "ops/common/requantize.h"

void nk_matmul_s8_ref(const void* params, const void* const* in, void* const* out, void* scratch) {
  const nk_matmul_params* p = (const nk_matmul_params*)params;
  const int32_t count = nk_matmul_stack_size(p);
  int8_t* y = (int8_t*)out[0];
  int32_t i, row, col, k;
  (void)scratch;
  for (i = 0; i < count; ++i) {
    size_t a_at, b_at;
    nk_matmul_stack_at(p, i, &a_at, &b_at);
    for (row = 0; row < p->rows; ++row) {
      for (col = 0; col < p->cols; ++col) {
        const int8_t* a = (const int8_t*)in[0] + a_at + (size_t)row * (size_t)p->a_row;
        const int8_t* b = (const int8_t*)in[1] + b_at + (size_t)col * (size_t)p->b_col;
        uint32_t acc = 0;
        for (k = 0; k < p->depth; ++k) {
          acc += (uint32_t)((a[(size_t)k * (size_t)p->a_depth] + p->a_offset) *
                            (b[(size_t)k * (size_t)p->b_depth] + p->b_offset));
        }
        *y++ = (int8_t)nk_requantize((int32_t)acc, p->multiplier, p->shift, p->output_offset,
                                     INT8_MIN, INT8_MAX);
      }
    }
  }
}

void nk_matmul_f32_ref(const void* params, const void* const* in, void* const* out,
                       void* scratch) {
  const nk_matmul_params* p = (const nk_matmul_params*)params;
  const int32_t count = nk_matmul_stack_size(p);
  float* y = (float*)out[0];
  int32_t i, row, col, k;
  (void)scratch;
  for (i = 0; i < count; ++i) {
    size_t a_at, b_at;
    nk_matmul_stack_at(p, i, &a_at, &b_at);
    for (row = 0; row < p->rows; ++row) {
      for (col = 0; col < p->cols; ++col) {
        const float* a = (const float*)in[0] + a_at + (size_t)row * (size_t)p->a_row;
        const float* b = (const float*)in[1] + b_at + (size_t)col * (size_t)p->b_col;
        float acc = 0.0f;
        for (k = 0; k < p->depth; ++k) {
          acc += a[(size_t)k * (size_t)p->a_depth] * b[(size_t)k * (size_t)p->b_depth];
        }
        *y++ = acc;
      }
    }
  }
}
