/* SPDX-License-Identifier: MIT */
/* The references of fully_connected and matmul for int16 (matmul_s16.h). */
#include "ops/matmul/s16/matmul_s16.h"

#include "ops/common/wide.h"

void nk_fully_connected_s16_ref(NK_KERNEL_ARGS) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)params;
  const int16_t* x = (const int16_t*)in[0];
  int16_t* y = (int16_t*)out[0];
  int32_t row, o;
  (void)scratch;
  for (row = 0; row < p->rows; ++row) {
    const int8_t* weights = (const int8_t*)in[1];
    for (o = 0; o < p->out_features; ++o) {
      *y++ = nk_finish_s16(nk_dot_s16_s8(0, x, weights, p->in_features), in,
                           (const nk_weighted*)(const void*)&p->input_offset, o);
      weights += p->in_features;
    }
    x += p->in_features;
  }
}

static uint64_t dot(const nk_matmul_params* p, const int16_t* a, const int16_t* b) {
  uint64_t acc = 0;
  int32_t k;
  for (k = 0; k < p->depth; ++k) {
    acc += (uint64_t)((int64_t)a[(size_t)k * (size_t)p->a_depth] *
                      b[(size_t)k * (size_t)p->b_depth]);
  }
  return acc;
}

void nk_matmul_s16_ref(NK_KERNEL_ARGS) {
  const nk_matmul_params* p = (const nk_matmul_params*)params;
  const int32_t count = nk_matmul_stack_size(p);
  int16_t* y = (int16_t*)out[0];
  int32_t i, row, col;
  (void)scratch;
  for (i = 0; i < count; ++i) {
    size_t a_at, b_at;
    nk_matmul_stack_at(p, i, &a_at, &b_at);
    for (row = 0; row < p->rows; ++row) {
      for (col = 0; col < p->cols; ++col) {
        const uint64_t acc =
            dot(p, (const int16_t*)in[0] + a_at + (size_t)row * (size_t)p->a_row,
                (const int16_t*)in[1] + b_at + (size_t)col * (size_t)p->b_col);
        *y++ = (int16_t)nk_requantize_s64(acc, p->multiplier, p->shift, INT16_MIN, INT16_MAX);
      }
    }
  }
}
