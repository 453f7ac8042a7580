/* SPDX-License-Identifier: MIT */
/* The row of dwconv2d for cores without SIMD (planar.h has arguments, layout, modes, scratch). */
#ifndef NETKIT_OPS_DWCONV2D_DWCONV2D_SCALAR_H
#define NETKIT_OPS_DWCONV2D_DWCONV2D_SCALAR_H

#include "ops/dwconv2d/planar.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_dwconv2d_s8_scalar);
NK_EXTERN_C_END

#endif
