/* SPDX-License-Identifier: MIT */
/* The reference of lstm (recurrent.h). */
#include "ops/recurrent/recurrent_cell.h"

/* The memory cell and what its gates take beside x and h. */
typedef struct nk_lstm_memory {
  const float *peephole, *projection, *projection_bias;
  float *c, *gates, *made; /* made: h before the projection */
} nk_lstm_memory;

/* Gate `gate` of unit j, before its activation; `peep` is the cell times its peephole. */
static float gate_of(const nk_recurrent_cell* cell, const float* x, const float* h, int32_t gate,
                     int32_t j, float peep) {
  const int32_t row = gate * cell->p->hidden + j;
  float sum = nk_recurrent_product(cell, row, x, h);
  if (cell->bias != NULL) sum += cell->bias[row];
  return nk_recurrent_clip(sum + peep, cell->p->gate_clip);
}

static float peep_of(const nk_lstm_memory* m, int32_t hidden, int32_t gate, int32_t j, float c) {
  return m->peephole != NULL ? m->peephole[gate * hidden + j] * c : 0.0f;
}

/* One unit: its new cell, and h before the projection. */
static void unit(const nk_recurrent_cell* cell, const nk_lstm_memory* m, const float* x,
                 const float* h, int32_t j) {
  const nk_recurrent_params* p = cell->p;
  const int32_t n = p->hidden;
  float c = m->c[j], input = 0.0f, forget = 0.0f, output, fresh;
  if (p->coupled != 2) {
    input = nk_recurrent_apply(p, 0, gate_of(cell, x, h, 0, j, peep_of(m, n, 0, j, c)));
  }
  if (p->coupled != 1) {
    forget = nk_recurrent_apply(p, 0, gate_of(cell, x, h, 2, j, peep_of(m, n, 2, j, c)));
  }
  if (p->coupled == 1) forget = 1.0f - input;
  if (p->coupled == 2) input = 1.0f - forget;
  fresh = nk_recurrent_apply(p, 1, gate_of(cell, x, h, 3, j, 0.0f));
  c = nk_recurrent_clip(forget * c + input * fresh, p->cell_clip);
  output = nk_recurrent_apply(p, 0, gate_of(cell, x, h, 1, j, peep_of(m, n, 1, j, c)));
  m->gates[j] = c;
  m->made[j] = output * nk_recurrent_apply(p, 2, c);
}

static void project(const nk_recurrent_params* p, const nk_lstm_memory* m, float* h) {
  int32_t i;
  for (i = 0; i < p->output; ++i) {
    const float* row = m->projection + (size_t)i * (size_t)p->hidden;
    const float first = m->projection_bias != NULL ? m->projection_bias[i] : 0.0f;
    h[i] = nk_recurrent_clip(nk_dot_f32(first, m->made, row, p->hidden), p->projection_clip);
  }
}

static void step(const nk_recurrent_cell* cell, const nk_lstm_memory* m, const float* x, float* h) {
  const nk_recurrent_params* p = cell->p;
  const size_t bytes = (size_t)p->hidden * sizeof(float);
  int32_t j;
  for (j = 0; j < p->hidden; ++j) unit(cell, m, x, h, j);
  memcpy(m->c, m->gates, bytes);
  if (m->projection != NULL) {
    project(p, m, h);
  } else {
    memcpy(h, m->made, bytes);
  }
}

static nk_lstm_memory memory_of(const nk_recurrent_params* p, const void* const* in,
                                void* const* out, void* scratch) {
  nk_lstm_memory m;
  m.peephole = (const float*)in[6];
  m.projection = (const float*)in[7];
  m.projection_bias = (const float*)in[8];
  m.c = (float*)out[p->sequence + 1];
  m.gates = (float*)scratch;
  m.made = m.gates + p->hidden;
  nk_recurrent_start(m.c, (const float*)in[5], p->batch * p->hidden);
  return m;
}

void nk_lstm_f32_ref(NK_KERNEL_ARGS) {
  nk_lstm_memory memory = memory_of((const nk_recurrent_params*)params, in, out, scratch);
  float* cells = memory.c;
  NK_RECURRENT_WALK((memory.c = cells + (size_t)b * (size_t)p->hidden,
                     step(&cell, &memory, x, h)))
}
