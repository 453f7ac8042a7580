/* SPDX-License-Identifier: MIT */
/* The row of dwconv2d for Arm's DSP extension (planar.h has arguments, layout, modes, scratch). */
#ifndef NETKIT_OPS_DWCONV2D_ARM_DWCONV2D_DSP_H
#define NETKIT_OPS_DWCONV2D_ARM_DWCONV2D_DSP_H

#include "ops/dwconv2d/planar.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_dwconv2d_s8_dsp);
NK_EXTERN_C_END

#endif
