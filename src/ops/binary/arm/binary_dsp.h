/* SPDX-License-Identifier: MIT */
/* The row of add for Arm's DSP extension: int8 tensors of one shape, whose scales take the short
 * way of dsp_requantize.h. Arguments and modes as the reference row's. Its loop is also the plain C
 * of the Helium row. */
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

/* An operand on its way to the common scale. */
typedef struct nk_add_operand {
  int32_t zero_point, multiplier, right;
  int32_t half, ties; /* half of 2^right; all bits set where there is something to round */
} nk_add_operand;

static inline nk_add_operand nk_add_operand_of(int32_t zero_point, int32_t multiplier,
                                               int32_t shift) {
  nk_add_operand x;
  x.zero_point = zero_point;
  x.multiplier = multiplier;
  x.right = -shift;
  x.half = shift < 0 ? (int32_t)1 << (-shift - 1) : 0;
  x.ties = shift < 0 ? -1 : 0;
  return x;
}

/* (value - zero_point) * 2^(twice_left - 1), scaled. */
static inline int32_t nk_add_rescaled(int32_t value, const nk_add_operand* x, int32_t twice_left) {
  const int32_t twice = (int32_t)((uint32_t)(value - x->zero_point) << twice_left);
  const int32_t product = nk_smmlar(twice, x->multiplier, x->half);
  return nk_wrap_add(product, (twice >> 31) & x->ties) >> x->right;
}

/* The whole kernel. */
static inline NK_MAYBE_UNUSED void nk_add_by_one(const nk_binary_params* p,
                                                 const void* const* in, void* const* out) {
  const nk_add_operand a = nk_add_operand_of(p->a_zero_point, p->a_multiplier, p->a_shift);
  const nk_add_operand b = nk_add_operand_of(p->b_zero_point, p->b_multiplier, p->b_shift);
  const int32_t twice_left = p->left_shift + 1;
  const int8_t* from_a = (const int8_t*)in[0];
  const int8_t* from_b = (const int8_t*)in[1];
  int8_t* y = (int8_t*)out[0];
  const int8_t* end = y + p->dims[0];
  const int32_t table[NK_DSP_TABLE_FIELDS] = {0, p->multiplier, -p->shift};
  const nk_dsp_scale scale = nk_dsp_scale_of(table, p->zero_point);
  while (y != end) {
    const int32_t sum = nk_wrap_add(nk_add_rescaled(*from_a++, &a, twice_left),
                                    nk_add_rescaled(*from_b++, &b, twice_left));
    *y++ = (int8_t)nk_dsp_scaled(sum, &scale);
  }
  nk_dsp_clamp((int8_t*)out[0], (size_t)p->dims[0], p->act_min, p->act_max);
}

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_add_s8_dsp);
NK_EXTERN_C_END

#endif
