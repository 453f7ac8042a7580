/* SPDX-License-Identifier: MIT */
/* The row of add for Helium: what the DSP row takes (binary_dsp.h), in the same arithmetic. */
#ifndef NETKIT_OPS_BINARY_ARM_BINARY_MVE_H
#define NETKIT_OPS_BINARY_ARM_BINARY_MVE_H

#include "ops/binary/arm/binary_dsp.h"
#include "ops/common/arm/mve.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_add_s8_mve);
NK_EXTERN_C_END

#endif
