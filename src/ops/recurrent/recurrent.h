/* SPDX-License-Identifier: MIT */
/* Recurrences of float32 in one direction, over whole sequences: lstm, gru, rnn.
 *
 * Node inputs:  x [steps, batch, input] (attribute batch_major 1: [batch, steps, input]),
 *               w [gates * hidden, input], r [gates * hidden, output], bias or absent,
 *               h [batch, output] or absent (zeros); lstm adds c [batch, hidden] or absent,
 *               peephole [3 * hidden] (input, output, forget) or absent, projection [output,
 * hidden] or absent (output is hidden then), projection bias [output] or absent. Outputs:      y,
 * of x's layout with `output` in the place of input (attribute sequence 1 only), h after the last
 * step, lstm: c after it. Gates stand in the order of ONNX: lstm input, output, forget, cell; gru
 * update, reset, hidden. bias is [gates * hidden]; of gru [6 * hidden]: those of w, then those of
 * r. Attributes:   reverse (steps from last to first), activations (names, in ONNX's order f g h),
 *               alpha, beta (of each activation), gate_clip, cell_clip, projection_clip (0: none),
 *               coupled (lstm; 1: forget = 1 - input, 2: input = 1 - forget),
 *               linear_before_reset (gru).
 * Each product adds up w's terms from first to last, then r's, then the bias. No output overlaps an
 * input. scratch: the gates of one row, and `hidden` more for lstm. */
#ifndef NETKIT_OPS_RECURRENT_RECURRENT_H
#define NETKIT_OPS_RECURRENT_RECURRENT_H

#include "ops/common/kernel.h"

/* Activations in the order of their numbers, with ONNX's alpha and beta where they take some. */
#define NK_RECURRENT_ACTIVATIONS(X)                                                               \
  X(identity, 0, 0)                                                                               \
  X(sigmoid, 0, 0) X(tanh, 0, 0) X(relu, 0, 0) X(leaky_relu, 0.01, 0) X(thresholdedrelu, 1, 0)    \
      X(affine, 1, 0) X(scaledtanh, 1, 1) X(hardsigmoid, 0.2, 0.5) X(elu, 1, 0) X(softsign, 0, 0) \
          X(softplus, 0, 0) X(relu6, 0, 0)

typedef enum nk_recurrent_activation {
#define NK_X(name, alpha, beta) NK_RECURRENT_##name,
  NK_RECURRENT_ACTIVATIONS(NK_X)
#undef NK_X
      NK_RECURRENT_ACTIVATION_COUNT
} nk_recurrent_activation;

/* x_step, x_batch, y_step, y_batch: elements from one step, or batch, to the next. sequence: 1
 * where y is the first output. */
#define NK_RECURRENT_FIELDS(S, A)                                                                \
  S(int32_t, steps)                                                                              \
  S(int32_t, batch) S(int32_t, input) S(int32_t, hidden) S(int32_t, output) S(int32_t, x_step)   \
      S(int32_t, x_batch) S(int32_t, y_step) S(int32_t, y_batch) S(int32_t, reverse)             \
          S(int32_t, sequence) S(int32_t, coupled) S(int32_t, linear_before_reset)               \
              A(int32_t, activation, 3) A(float, alpha, 3) A(float, beta, 3) S(float, gate_clip) \
                  S(float, cell_clip) S(float, projection_clip)

typedef struct nk_recurrent_params {
  NK_RECURRENT_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_recurrent_params;
typedef nk_recurrent_params nk_lstm_params, nk_gru_params, nk_rnn_params;

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_lstm_f32_ref);
NK_DECLARE_KERNEL(nk_gru_f32_ref);
NK_DECLARE_KERNEL(nk_rnn_f32_ref);
NK_EXTERN_C_END

#endif
