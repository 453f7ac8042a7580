/* SPDX-License-Identifier: MIT */
/* Whether parameters of fully_connected's Helium row fit the arguments (fit.h). */
#include "ops/common/arm/dsp_fit.h"
#include "ops/matmul/arm/fully_connected_mve.h"

NK_FIT(nk_fully_connected_mve_fit) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)f->params;
  const int32_t in[2] = {p->rows, p->in_features}, out[2] = {p->rows, p->out_features};
  int32_t weights[2];
  if (p->in_features < 1 || p->out_features < 1 || p->in_features > NK_FIT_FAR) {
    return NK_FIT_REFUSED;
  }
  weights[0] = p->out_features / 2 + p->out_features % 2;
  weights[1] = 2 * nk_mve_whole(p->in_features);
  return nk_fit_in(f, 0, 1, nk_fit_count(in, 2)) && nk_fit_out(f, 0, 1, nk_fit_count(out, 2)) &&
         nk_fit_in(f, 1, 1, nk_fit_count(weights, 2)) &&
         (p->in_features % NK_MVE_BYTES == 0 ||
          nk_fit_scratch(f, 1, (uint32_t)nk_fully_connected_mve_scratch(p))) &&
         nk_fit_mve_table(f, 2, (const nk_weighted*)(const void*)&p->input_offset,
                          p->out_features);
}
