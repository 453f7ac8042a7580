/* SPDX-License-Identifier: MIT */
/* The row of add for Arm's DSP extension: int8 tensors of one shape, whose scales take the short
 * way of dsp_requantize.h. Arguments and modes as the reference row's. */
#ifndef NETKIT_OPS_BINARY_ARM_BINARY_DSP_H
#define NETKIT_OPS_BINARY_ARM_BINARY_DSP_H

#include "ops/binary/binary.h"
#include "ops/common/arm/dsp_requantize.h"

/* Shifts to the right by 0 to NK_DSP_MAX_SHIFT; by 1 or more. */
static inline int nk_add_dsp_has_shifts(const nk_binary_params* p) {
  return p->a_shift <= 0 && p->a_shift >= -NK_DSP_MAX_SHIFT && p->b_shift <= 0 &&
         p->b_shift >= -NK_DSP_MAX_SHIFT && p->shift < 0 && p->shift >= -NK_DSP_MAX_SHIFT;
}

/* One dimension, no broadcast. */
static inline int nk_add_dsp_is_flat(const nk_binary_params* p) {
  return p->rank == 1 && p->a_strides[0] == 1 && p->b_strides[0] == 1;
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_add_s8_dsp);
NK_EXTERN_C_END

#endif
