/* SPDX-License-Identifier: MIT */
/* The row of fully_connected for Arm's DSP extension.
 * Kernel in[]:    x, weights, table (dsp_requantize.h).
 * Layout pairs2:  weights as in dsp_dot.h. No scratch: inputs are unpacked as they are read. */
#ifndef NETKIT_OPS_MATMUL_ARM_FULLY_CONNECTED_DSP_H
#define NETKIT_OPS_MATMUL_ARM_FULLY_CONNECTED_DSP_H

#include "ops/common/arm/dsp_dot.h"
#include "ops/common/arm/dsp_requantize.h"
#include "ops/matmul/fully_connected.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_fully_connected_s8_dsp);
NK_EXTERN_C_END

#endif
