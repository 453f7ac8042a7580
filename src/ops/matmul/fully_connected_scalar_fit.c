/* SPDX-License-Identifier: MIT */
/* Whether parameters of fully_connected's scalar row fit the arguments (fit.h). */
#include "ops/common/arm/dsp_fit.h"
#include "ops/matmul/fully_connected_scalar.h"

NK_FIT(nk_fully_connected_scalar_fit) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)f->params;
  const int32_t in[2] = {p->rows, p->in_features}, out[2] = {p->rows, p->out_features};
  const int32_t weights[2] = {p->in_features, p->out_features};
  return nk_fit_in(f, 0, 1, nk_fit_count(in, 2)) && nk_fit_out(f, 0, 1, nk_fit_count(out, 2)) &&
         nk_fit_in(f, 1, 1, nk_fit_count(weights, 2)) &&
         nk_fit_dsp_table(f, 2, (const nk_weighted*)(const void*)&p->input_offset, p->out_features);
}
