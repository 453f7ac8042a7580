/* SPDX-License-Identifier: MIT */
/* Whether parameters of fully_connected and matmul fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/common/wide.h"
#include "ops/matmul/fully_connected.h"
#include "ops/matmul/matmul.h"

static int holds_rows(const nk_fit* f, const nk_fully_connected_params* p, uint32_t w_elem) {
  const int32_t in[2] = {p->rows, p->in_features}, out[2] = {p->rows, p->out_features};
  const int32_t weights[2] = {p->in_features, p->out_features};
  return nk_fit_in(f, 0, f->in_elem, nk_fit_count(in, 2)) &&
         nk_fit_in(f, 1, w_elem, nk_fit_count(weights, 2)) &&
         nk_fit_out(f, 0, f->out_elem, nk_fit_count(out, 2));
}

NK_FIT(nk_fully_connected_fit) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)f->params;
  return holds_rows(f, p, f->in_elem) &&
         nk_fit_weighted(f, (const nk_weighted*)(const void*)&p->input_offset, p->out_features);
}

NK_FIT(nk_fully_connected_s16_fit) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)f->params;
  return holds_rows(f, p, 1) &&
         nk_fit_wide(f, (const nk_weighted*)(const void*)&p->input_offset, p->out_features);
}

/* Elements of an input that the walk over stack, rows (columns) and depth touches. */
static uint32_t operand(const nk_matmul_params* p, const int32_t* stack, int32_t lines,
                        int32_t line, int32_t depth) {
  const int32_t dims[6] = {p->stack[0], p->stack[1], p->stack[2], p->stack[3], lines, p->depth};
  const int32_t strides[6] = {stack[0], stack[1], stack[2], stack[3], line, depth};
  int i;
  for (i = 0; i < 6; ++i) {
    if (strides[i] < 0) return NK_FIT_MANY;
  }
  return nk_fit_span(dims, strides, 6, 0);
}

/* The depth is no greater than a's elements, so that strides of 0 cannot stretch the sum. */
NK_FIT(nk_matmul_fit) {
  const nk_matmul_params* p = (const nk_matmul_params*)f->params;
  const int32_t out[6] = {p->stack[0], p->stack[1], p->stack[2], p->stack[3], p->rows, p->cols};
  if (!nk_fit_out(f, 0, f->out_elem, nk_fit_count(out, 6)) || p->depth < 0 ||
      !nk_is_shift(p->shift) || !nk_is_offset_x8(p->a_offset) || !nk_is_offset_x8(p->b_offset) ||
      !nk_is_offset(p->output_offset)) {
    return NK_FIT_REFUSED;
  }
  if (p->depth == 0) return NK_FIT_SHARED;
  return nk_fit_in(f, 0, f->in_elem, (uint32_t)p->depth) &&
         nk_fit_in(f, 0, f->in_elem, operand(p, p->a_stack, p->rows, p->a_row, p->a_depth)) &&
         nk_fit_in(f, 1, f->in_elem, operand(p, p->b_stack, p->cols, p->b_col, p->b_depth));
}

NK_FIT(nk_matmul_s16_fit) {
  const nk_matmul_params* p = (const nk_matmul_params*)f->params;
  if (!nk_is_within(p->shift, NK_WIDE_MIN_SHIFT, NK_WIDE_MAX_SHIFT)) return NK_FIT_REFUSED;
  return nk_matmul_fit(f);
}
