/* SPDX-License-Identifier: MIT */
/* The reference of lstm_integer (lstm_s8.h). */
#include <string.h>

#include "ops/common/requantize.h"
#include "ops/recurrent/s8/fixed_gates.h"
#include "ops/recurrent/s8/lstm_s8.h"

static int32_t saturated_s16(int32_t x) { return nk_clamp_i32(x, INT16_MIN, INT16_MAX); }

typedef struct nk_integer_cell {
  const nk_lstm_integer_params* p;
  const int8_t *weights, *recurrent;
  const int32_t* bias;
} nk_integer_cell;

/* Gate `gate` of unit j in Q3, before its activation. */
static int16_t gate_of(const nk_integer_cell* cell, const int8_t* x, const int8_t* h, int gate,
                       int32_t j) {
  const nk_lstm_integer_params* p = cell->p;
  const size_t row = (size_t)gate * (size_t)p->hidden + (size_t)j;
  const uint32_t of_x = nk_dot_s8((uint32_t)cell->bias[row], x,
                                  cell->weights + row * (size_t)p->input, p->input,
                                  p->input_offset, 0);
  const uint32_t of_h = nk_dot_s8(0, h, cell->recurrent + row * (size_t)p->hidden, p->hidden,
                                  p->h_offset, 0);
  const int32_t first = saturated_s16(
      nk_multiply_by_quantized((int32_t)of_x, p->multiplier[gate], (int)p->shift[gate]));
  const int32_t second = nk_multiply_by_quantized((int32_t)of_h, p->recurrent_multiplier[gate],
                                                  (int)p->recurrent_shift[gate]);
  return (int16_t)saturated_s16(nk_clamp_i32(second, -65536, 65536) + first);
}

/* One unit: its new cell into *c, the result is its new h. */
static int8_t unit(const nk_integer_cell* cell, const int8_t* x, const int8_t* h, int16_t* c,
                   int32_t j) {
  const nk_lstm_integer_params* p = cell->p;
  const int32_t forget = nk_logistic_q12(gate_of(cell, x, h, 2, j));
  const int32_t input = p->coupled != 0 ? INT16_MAX - forget
                                        : nk_logistic_q12(gate_of(cell, x, h, 0, j));
  const int32_t fresh = nk_tanh_q15(gate_of(cell, x, h, 3, j), 3);
  const int32_t output = nk_logistic_q12(gate_of(cell, x, h, 1, j));
  const int32_t kept = (int16_t)nk_rounding_divide_by_pot(forget * *c, 15);
  const int32_t added =
      (int16_t)nk_rounding_divide_by_pot(input * fresh, 30 + (int)p->cell_exponent);
  int32_t next = saturated_s16(kept + added), y;
  if (p->cell_clip > 0) next = nk_clamp_i32(next, -p->cell_clip, p->cell_clip);
  *c = (int16_t)next;
  y = output * nk_tanh_q15((int16_t)next, 15 + (int)p->cell_exponent);
  return (int8_t)nk_requantize(y, p->hidden_multiplier, p->hidden_shift, p->output_offset,
                               INT8_MIN, INT8_MAX);
}

void nk_lstm_s8_ref(NK_KERNEL_ARGS) {
  const nk_lstm_integer_params* p = (const nk_lstm_integer_params*)params;
  const size_t hidden = (size_t)p->hidden;
  nk_integer_cell cell;
  int32_t b, t, j;
  cell.p = p;
  cell.weights = (const int8_t*)in[1];
  cell.recurrent = (const int8_t*)in[2];
  cell.bias = (const int32_t*)in[3];
  memcpy(out[1], in[4], (size_t)p->batch * hidden);
  memcpy(out[2], in[5], (size_t)p->batch * hidden * sizeof(int16_t));
  for (b = 0; b < p->batch; ++b) {
    int8_t* h = (int8_t*)out[1] + (size_t)b * hidden;
    int16_t* c = (int16_t*)out[2] + (size_t)b * hidden;
    for (t = 0; t < p->steps; ++t) {
      const int8_t* x = (const int8_t*)in[0] + (size_t)b * (size_t)p->x_batch +
                        (size_t)t * (size_t)p->x_step;
      int8_t* y = (int8_t*)out[0] + (size_t)b * (size_t)p->y_batch +
                  (size_t)t * (size_t)p->y_step;
      for (j = 0; j < p->hidden; ++j) ((int8_t*)scratch)[j] = unit(&cell, x, h, c + j, j);
      memcpy(h, scratch, hidden);
      memcpy(y, scratch, hidden);
    }
  }
}
