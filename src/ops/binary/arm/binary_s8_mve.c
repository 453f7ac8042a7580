/* SPDX-License-Identifier: MIT */
/* add for Helium (binary_mve.h): four elements at a time, else as the DSP row does. */
#include "ops/binary/arm/binary_mve.h"

#if NK_HAS_MVE
/* Elements x of an operand at the common scale. ties: all bits set where there is a shift. */
static inline int32x4_t rescaled(int32x4_t x, const nk_add_operand* o, int32_t left,
                                 int32x4_t ties) {
  const int32x4_t raised = vshlq_r_s32(vsubq_n_s32(x, o->zero_point), left);
  const int32x4_t below = vandq_s32(vshrq_n_s32(raised, 31), ties);
  return vrshlq_n_s32(vaddq_s32(vqrdmulhq_n_s32(raised, o->multiplier), below), -o->right);
}
#endif

void nk_add_s8_mve(const void* params, const void* const* in, void* const* out, void* scratch) {
  const nk_binary_params* p = (const nk_binary_params*)params;
#if NK_HAS_MVE
  const nk_add_operand a = nk_add_operand_of(p->a_zero_point, p->a_multiplier, p->a_shift);
  const nk_add_operand b = nk_add_operand_of(p->b_zero_point, p->b_multiplier, p->b_shift);
  const nk_mve_output limits = nk_mve_output_of(p->zero_point, p->act_min, p->act_max);
  const int32_t table[NK_DSP_TABLE_FIELDS] = {0, p->multiplier, -p->shift};
  const nk_dsp_scale scale = nk_dsp_scale_of(table, p->zero_point);
  const int32x4_t ties_a = vdupq_n_s32(a.ties), ties_b = vdupq_n_s32(b.ties);
  const int32x4_t lo = vdupq_n_s32(limits.lo), hi = vdupq_n_s32(limits.hi);
  const int8_t* from_a = (const int8_t*)in[0];
  const int8_t* from_b = (const int8_t*)in[1];
  const int32_t raise = p->left_shift;
  int8_t* y = (int8_t*)out[0];
  int32_t left;
  for (left = p->dims[0]; left > 0; left -= 4) {
    const mve_pred16_t some = vctp32q((uint32_t)left);
    const int32x4_t sum = vaddq_s32(rescaled(vldrbq_z_s32(from_a, some), &a, raise, ties_a),
                                    rescaled(vldrbq_z_s32(from_b, some), &b, raise, ties_b));
    int32x4_t v = vaddq_n_s32(vshrq_n_s32(sum, 31), scale.half);
    v = vshlq_r_s32(vqrdmlahq_n_s32(v, sum, scale.multiplier), -scale.shift);
    vstrbq_p_s32(y, vminq_s32(vmaxq_s32(v, lo), hi), some);
    from_a += 4;
    from_b += 4;
    y += 4;
  }
#else
  nk_add_by_one(p, in, out);
#endif
  (void)scratch;
}
