/* SPDX-License-Identifier: MIT */
/* fully_connected for Helium (fully_connected_mve.h). */
#include "ops/matmul/arm/fully_connected_mve.h"

void nk_fully_connected_s8_mve(const void* params, const void* const* in, void* const* out,
                               void* scratch) {
  const nk_fully_connected_params* p = (const nk_fully_connected_params*)params;
  const int8_t* x = (const int8_t*)in[0];
  int8_t* y = (int8_t*)out[0];
  int32_t left, i;
  nk_mve_layer layer;
  layer.weights = (const int8_t*)in[1];
  layer.table = (const int32_t*)in[2];
  layer.channels = p->out_features;
  layer.column = nk_mve_whole(p->in_features);
  layer.out = nk_mve_output_of(p->output_offset, p->act_min, p->act_max);
  for (left = p->rows; left > 0; left -= NK_MVE_COLUMNS) {
    const int32_t count = left < NK_MVE_COLUMNS ? left : NK_MVE_COLUMNS;
    const int8_t* columns = x;
    if (layer.column != p->in_features) {
      columns = (const int8_t*)scratch;
      for (i = 0; i < count; ++i) {
        nk_mve_copy((int8_t*)scratch + i * layer.column, x + i * p->in_features, p->in_features);
      }
    }
    nk_mve_outputs(&layer, columns, count, y);
    x += NK_MVE_COLUMNS * p->in_features;
    y += NK_MVE_COLUMNS * p->out_features;
  }
}
