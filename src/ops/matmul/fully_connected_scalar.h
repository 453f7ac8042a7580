/* SPDX-License-Identifier: MIT */
/* The row of fully_connected for cores without SIMD.
 * Kernel in[]:      x, weights, table (common/arm/dsp_requantize.h).
 * Layout oi_table:  weights as in the node; the input's zero point is part of the bias. */
#ifndef NETKIT_OPS_MATMUL_FULLY_CONNECTED_SCALAR_H
#define NETKIT_OPS_MATMUL_FULLY_CONNECTED_SCALAR_H

#include "ops/matmul/fully_connected.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_fully_connected_s8_scalar);
NK_EXTERN_C_END

#endif
