/* SPDX-License-Identifier: MIT */
/* fully_connected of int16 activations and int8 weights, matmul of int16: nodes as their headers
 * state; zero points 0, the bias int64.
 * Both equal the TensorFlow Lite reference kernels bit for bit (common/wide.h). */
#ifndef NETKIT_OPS_MATMUL_MATMUL_S16_H
#define NETKIT_OPS_MATMUL_MATMUL_S16_H

#include "ops/matmul/fully_connected.h"
#include "ops/matmul/matmul.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_fully_connected_s16_ref);
NK_DECLARE_KERNEL(nk_matmul_s16_ref);
NK_EXTERN_C_END

#endif
