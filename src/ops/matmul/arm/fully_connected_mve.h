/* SPDX-License-Identifier: MIT */
/* The row of fully_connected for Helium.
 * Kernel in[]:     x, weights, table (dsp_requantize.h).
 * Layout blocks2:  weights as in mve_dot.h.
 * Scratch:         nk_fully_connected_mve_scratch bytes: up to three rows of x; none where rows are
 *                  whole vectors, which serve as columns as they stand. */
#ifndef NETKIT_OPS_MATMUL_ARM_FULLY_CONNECTED_MVE_H
#define NETKIT_OPS_MATMUL_ARM_FULLY_CONNECTED_MVE_H

#include "ops/common/arm/mve_dot.h"
#include "ops/matmul/fully_connected.h"

static inline int64_t nk_fully_connected_mve_scratch(const nk_fully_connected_params* p) {
  const int64_t vectors = ((int64_t)p->in_features + NK_MVE_BYTES - 1) / NK_MVE_BYTES;
  if (p->in_features % NK_MVE_BYTES == 0) return 0;
  return vectors * NK_MVE_BYTES * (p->rows < NK_MVE_COLUMNS ? p->rows : NK_MVE_COLUMNS);
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_fully_connected_s8_mve);
NK_EXTERN_C_END

#endif
