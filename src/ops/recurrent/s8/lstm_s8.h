/* SPDX-License-Identifier: MIT */
/* lstm_integer: lstm with int8 activations and weights, int16 cell state and gates, as TensorFlow
 * Lite's integer LSTM (8x8 to 16 bits) computes it, bit for bit; no peepholes, no projection.
 * Node inputs:  x [steps, batch, input] (attribute batch_major 1: [batch, steps, input]) int8,
 *               weights [4 * hidden, input] and recurrent weights [4 * hidden, hidden] int8,
 *               bias [4 * hidden] int32, h [batch, hidden] int8, c [batch, hidden] int16.
 * Outputs:      y (x's layout) and h of h's quantisation, c of c's.
 * Gates stand in the order of lstm: input, output, forget, cell.
 * Attributes:   weight_scale, recurrent_scale (a number per gate), cell_clip (0: none), coupled (2:
 *               input = 1 - forget), batch_major.
 * No output overlaps an input; scratch: hidden bytes. */
#ifndef NETKIT_OPS_RECURRENT_S8_LSTM_S8_H
#define NETKIT_OPS_RECURRENT_S8_LSTM_S8_H

#include "ops/common/kernel.h"

/* input_offset, h_offset: minus the zero points; output_offset: what is added to h. The cell's
 * scale is 2^cell_exponent. Multipliers and shifts: of each gate's input and recurrent sums to
 * 2^-12, and of a product of two Q15 to h. */
#define NK_LSTM_INTEGER_FIELDS(S, A)                                                            \
  S(int32_t, steps)                                                                             \
  S(int32_t, batch) S(int32_t, input) S(int32_t, hidden) S(int32_t, x_step) S(int32_t, x_batch) \
      S(int32_t, y_step) S(int32_t, y_batch) S(int32_t, input_offset) S(int32_t, h_offset)      \
          S(int32_t, output_offset) S(int32_t, cell_exponent) S(int32_t, cell_clip)             \
              S(int32_t, coupled) A(int32_t, multiplier, 4) A(int32_t, shift, 4)                \
                  A(int32_t, recurrent_multiplier, 4) A(int32_t, recurrent_shift, 4)            \
                      S(int32_t, hidden_multiplier) S(int32_t, hidden_shift)

typedef struct nk_lstm_integer_params {
  NK_LSTM_INTEGER_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_lstm_integer_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_lstm_s8_ref);
NK_EXTERN_C_END

#endif
