/* SPDX-License-Identifier: MIT */
/* add for the DSP extension (binary_dsp.h). */
#include "ops/binary/arm/binary_dsp.h"

/* An operand on its way to the common scale. */
typedef struct operand {
  int32_t zero_point, multiplier, right;
  int32_t half, ties; /* half of 2^right; all bits set where there is something to round */
} operand;

static operand operand_of(int32_t zero_point, int32_t multiplier, int32_t shift) {
  operand x;
  x.zero_point = zero_point;
  x.multiplier = multiplier;
  x.right = -shift;
  x.half = shift < 0 ? (int32_t)1 << (-shift - 1) : 0;
  x.ties = shift < 0 ? -1 : 0;
  return x;
}

/* (value - zero_point) * 2^(twice_left - 1), scaled. */
static inline int32_t rescaled(int32_t value, const operand* x, int32_t twice_left) {
  const int32_t twice = (int32_t)((uint32_t)(value - x->zero_point) << twice_left);
  const int32_t product = nk_smmlar(twice, x->multiplier, x->half);
  return nk_wrap_add(product, (twice >> 31) & x->ties) >> x->right;
}

void nk_add_s8_dsp(const void* params, const void* const* in, void* const* out, void* scratch) {
  const nk_binary_params* p = (const nk_binary_params*)params;
  const operand a = operand_of(p->a_zero_point, p->a_multiplier, p->a_shift);
  const operand b = operand_of(p->b_zero_point, p->b_multiplier, p->b_shift);
  const int32_t twice_left = p->left_shift + 1;
  const int8_t* from_a = (const int8_t*)in[0];
  const int8_t* from_b = (const int8_t*)in[1];
  int8_t* y = (int8_t*)out[0];
  const int8_t* end = y + p->dims[0];
  const int32_t table[NK_DSP_TABLE_FIELDS] = {0, p->multiplier, -p->shift};
  const nk_dsp_scale scale = nk_dsp_scale_of(table, p->zero_point);
  (void)scratch;
  while (y != end) {
    const int32_t sum = nk_wrap_add(rescaled(*from_a++, &a, twice_left),
                                    rescaled(*from_b++, &b, twice_left));
    *y++ = (int8_t)nk_dsp_scaled(sum, &scale);
  }
  nk_dsp_clamp((int8_t*)out[0], (size_t)p->dims[0], p->act_min, p->act_max);
}
