/* SPDX-License-Identifier: MIT */
/* softmax, log_softmax over the last axis.
 * Node input:  x [..., depth]. Output of x's shape and dtype (softmax of int8: or int16).
 * Attributes:  softmax only: beta (1): exp(beta * x); to (x's): dtype name of the output.
 * Kernel in[]: x.
 * s8 and u8 equal the TensorFlow Lite reference kernels bit for bit; the output's quantisation is
 * fixed: softmax 1/256 (int16: 1/65536) and the least value, log_softmax 16/256 and the greatest
 * one. f32 subtracts the row's greatest value, adds the exponentials from first to last (expf, logf
 * of the target's libm).
 * The output may stand where the input stands, or anywhere before it; a wider one may not. */
#ifndef NETKIT_OPS_SOFTMAX_SOFTMAX_H
#define NETKIT_OPS_SOFTMAX_SOFTMAX_H

#include "ops/common/kernel.h"

/* s8, u8: differences to the row's maximum become Q5 by multiplier and shift; those below diff_min
 * count as minus infinity. reverse_*: Q5 back to differences (log_softmax). */
#define NK_SOFTMAX_FIELDS(S, A)                                              \
  S(int32_t, rows) S(int32_t, depth)                                         \
  S(int32_t, multiplier) S(int32_t, shift) S(int32_t, diff_min)              \
  S(int32_t, reverse_multiplier) S(int32_t, reverse_shift) S(float, beta)

typedef struct nk_softmax_params {
  NK_SOFTMAX_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_softmax_params;
typedef nk_softmax_params nk_log_softmax_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_softmax_s8_ref);
NK_DECLARE_KERNEL(nk_softmax_s8_s16_ref);
NK_DECLARE_KERNEL(nk_softmax_u8_ref);
NK_DECLARE_KERNEL(nk_softmax_f32_ref);
NK_DECLARE_KERNEL(nk_log_softmax_s8_ref);
NK_DECLARE_KERNEL(nk_log_softmax_u8_ref);
NK_DECLARE_KERNEL(nk_log_softmax_f32_ref);
NK_EXTERN_C_END

#endif
