/* SPDX-License-Identifier: MIT */
/* fully_connected for cores without SIMD (fully_connected_scalar.h). */
#include "ops/common/scalar_dot.h"
#include "ops/matmul/fully_connected_scalar.h"

void nk_fully_connected_s8_scalar(const void* params, const void* const* in, void* const* out,
                                  void* scratch) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)params;
  const int8_t* x = (const int8_t*)in[0];
  int8_t* y = (int8_t*)out[0];
  int32_t row;
  (void)scratch;
  for (row = 0; row < p->rows; ++row) {
    nk_scalar_outputs(x, p->in_features, (const int8_t*)in[1], (const int32_t*)in[2],
                      p->out_features, p->output_offset, y);
    nk_dsp_clamp(y, (size_t)p->out_features, p->act_min, p->act_max);
    x += p->in_features;
    y += p->out_features;
  }
}
