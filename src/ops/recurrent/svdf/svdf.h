/* SPDX-License-Identifier: MIT */
/* svdf: filters of rank `rank` over time (Nakkiran et al., Compressing deep neural networks using a
 * rank-constrained topology, 2015), one step. With filters = units * rank:
 * Node inputs:  x [batch, input], feature [filters, input], time [filters, memory],
 *               bias [units] or absent, state [batch, filters * memory].
 * Outputs:      y [batch, units], the next state: each filter's memory one place earlier, its last
 *               place being feature times x. y is the bias and, of `rank` filters in a row, the
 *               products of time and memory.
 * Attributes:   rank, activation (float only).
 * Kernel in[]:  as the node's inputs; bias may be NULL.
 * s8: x and y int8, feature int8, bias int32, state and time both int16 (s8_s16_s8) or both int8
 * (s8): as the TensorFlow Lite reference kernels compute it, without a clamp of the activation.
 * No output overlaps an input. */
#ifndef NETKIT_OPS_RECURRENT_SVDF_H
#define NETKIT_OPS_RECURRENT_SVDF_H

#include "ops/common/kernel.h"

/* *_offset: minus the zero point, but output_offset; multiplier and shift: of the state, of y. */
#define NK_SVDF_FIELDS(S, A)                                                                       \
  S(int32_t, batch)                                                                                \
  S(int32_t, input) S(int32_t, units) S(int32_t, rank) S(int32_t, memory) S(int32_t, input_offset) \
      S(int32_t, state_offset) S(int32_t, output_offset) A(int32_t, multiplier, 2)                 \
          A(int32_t, shift, 2) S(float, clamp_min) S(float, clamp_max)

typedef struct nk_svdf_params {
  NK_SVDF_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_svdf_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_svdf_f32_ref);
NK_DECLARE_KERNEL(nk_svdf_s8_s16_ref);
NK_DECLARE_KERNEL(nk_svdf_s8_ref);
NK_EXTERN_C_END

#endif
