/* SPDX-License-Identifier: MIT */
/* The reference of matmul: it defines what is right (matmul.h). */
#include "ops/matmul/matmul.h"

#include "ops/common/requantize.h"

/* Body of a kernel on 8-bit elements; store(acc) makes an element of the output. */
#define NK_MATMUL_X8(from, to, store)                                                         \
  const nk_matmul_params* p = (const nk_matmul_params*)params;                                \
  const int32_t count = nk_matmul_stack_size(p);                                              \
  to* y = (to*)out[0];                                                                        \
  int32_t i, row, col, k;                                                                     \
  (void)scratch;                                                                              \
  for (i = 0; i < count; ++i) {                                                               \
    size_t a_at, b_at;                                                                        \
    nk_matmul_stack_at(p, i, &a_at, &b_at);                                                   \
    for (row = 0; row < p->rows; ++row) {                                                     \
      for (col = 0; col < p->cols; ++col) {                                                   \
        const from* a = (const from*)in[0] + a_at + (size_t)row * (size_t)p->a_row;           \
        const from* b = (const from*)in[1] + b_at + (size_t)col * (size_t)p->b_col;           \
        uint32_t acc = 0;                                                                     \
        for (k = 0; k < p->depth; ++k) {                                                      \
          acc += (uint32_t)((a[(size_t)k * (size_t)p->a_depth] + p->a_offset) *               \
                            (b[(size_t)k * (size_t)p->b_depth] + p->b_offset));               \
        }                                                                                     \
        *y++ = (to)store((int32_t)acc);                                                       \
      }                                                                                       \
    }                                                                                         \
  }

#define NK_SCALED(lo, hi, acc) \
  nk_requantize(acc, p->multiplier, p->shift, p->output_offset, lo, hi)
#define NK_SCALED_S8(acc) NK_SCALED(INT8_MIN, INT8_MAX, acc)
#define NK_SCALED_U8(acc) NK_SCALED(0, UINT8_MAX, acc)

void nk_matmul_s8_ref(NK_KERNEL_ARGS) { NK_MATMUL_X8(int8_t, int8_t, NK_SCALED_S8) }
void nk_matmul_u8_ref(NK_KERNEL_ARGS) { NK_MATMUL_X8(uint8_t, uint8_t, NK_SCALED_U8) }
void nk_matmul_s8_s32_ref(NK_KERNEL_ARGS) { NK_MATMUL_X8(int8_t, int32_t, ) }
void nk_matmul_u8_s32_ref(NK_KERNEL_ARGS) { NK_MATMUL_X8(uint8_t, int32_t, ) }

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
