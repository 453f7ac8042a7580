/* SPDX-License-Identifier: MIT */
/* matmul: products of two stacks of matrices, both of which may change from run to run.
 * Node inputs:  a [..., rows, depth], b [..., depth, cols], both of rank 2 to 6; the leading sizes
 *               are broadcast against each other. Output [..., rows, cols] of a's dtype.
 * Attributes:   transpose_a, transpose_b (0; 1: the last two axes of the input are exchanged);
 *               to ("int32": the sums themselves, of 8-bit inputs, are the output).
 * Kernel in[]:  a, b.
 * s8, u8: per-tensor quantisation; equals the TensorFlow Lite reference kernel bit for bit.
 * s8_s32, u8_s32: sums modulo 2^32 of the differences to the zero points. f32 adds the products
 * from first to last. The output never overlaps an input. */
#ifndef NETKIT_OPS_MATMUL_MATMUL_H
#define NETKIT_OPS_MATMUL_MATMUL_H

#include "ops/common/kernel.h"

/* stack: sizes of the leading axes, right-aligned, 1 in front; a_stack, b_stack: elements from one
 * matrix to the next along each of them, 0 where the input is broadcast. *_row, *_depth, *_col:
 * elements from one row, or place in the sum, or column to the next. */
#define NK_MATMUL_FIELDS(S, A)                                                                     \
  A(int32_t, stack, 4)                                                                             \
  A(int32_t, a_stack, 4) A(int32_t, b_stack, 4) S(int32_t, rows) S(int32_t, depth)                 \
      S(int32_t, cols) S(int32_t, a_row) S(int32_t, a_depth) S(int32_t, b_depth) S(int32_t, b_col) \
          S(int32_t, a_offset) S(int32_t, b_offset) S(int32_t, output_offset)                      \
              S(int32_t, multiplier) S(int32_t, shift)

typedef struct nk_matmul_params {
  NK_MATMUL_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_matmul_params;

/* Element offsets of the i-th pair of matrices. */
static inline void nk_matmul_stack_at(const nk_matmul_params* p, int32_t i, size_t* a, size_t* b) {
  int axis;
  *a = 0;
  *b = 0;
  for (axis = 3; axis >= 0; --axis) {
    const int32_t at = i % p->stack[axis];
    i /= p->stack[axis];
    *a += (size_t)at * (size_t)p->a_stack[axis];
    *b += (size_t)at * (size_t)p->b_stack[axis];
  }
}

static inline int32_t nk_matmul_stack_size(const nk_matmul_params* p) {
  return p->stack[0] * p->stack[1] * p->stack[2] * p->stack[3];
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_matmul_s8_ref);
NK_DECLARE_KERNEL(nk_matmul_u8_ref);
NK_DECLARE_KERNEL(nk_matmul_s8_s32_ref);
NK_DECLARE_KERNEL(nk_matmul_u8_s32_ref);
NK_DECLARE_KERNEL(nk_matmul_f32_ref);
NK_EXTERN_C_END

#endif
