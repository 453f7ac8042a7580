/* SPDX-License-Identifier: MIT */
/* dwconv2d of int16 activations and int8 weights: node and layout as dwconv2d.h states.
 * Kernel in[]:  x, weights, bias (int64), multiplier, shift; zero points 0.
 * Equals the TensorFlow Lite reference kernel with a 64-bit bias bit for bit (common/wide.h). */
#ifndef NETKIT_OPS_DWCONV2D_DWCONV2D_S16_H
#define NETKIT_OPS_DWCONV2D_DWCONV2D_S16_H

#include "ops/dwconv2d/dwconv2d.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_dwconv2d_s16_ref);
NK_EXTERN_C_END

#endif
