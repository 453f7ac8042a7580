/* SPDX-License-Identifier: MIT */
/* requantize between integer types. */
#include <string.h>

#include "ops/common/requantize.h"
#include "ops/quantize/quantize.h"

/* Body of a kernel; narrowing from low to high. */
#define NK_REQUANTIZE_LOOP(from, to, lo, hi)                                                \
  const nk_requantize_params* p = (const nk_requantize_params*)params;                      \
  const from* source = (const from*)in[0];                                                  \
  uint8_t* target = (uint8_t*)out[0];                                                       \
  int32_t i;                                                                                \
  (void)scratch;                                                                            \
  for (i = 0; i < p->count; ++i) {                                                          \
    const to y = (to)nk_requantize((int32_t)((uint32_t)source[i] - (uint32_t)p->in_zero_point), \
                                   p->multiplier, p->shift, p->zero_point, lo, hi);         \
    memcpy(target + (size_t)i * sizeof(y), &y, sizeof(y));                                  \
  }

void nk_requantize_s8_s8_ref(NK_KERNEL_ARGS) { NK_REQUANTIZE_LOOP(int8_t, int8_t, -128, 127) }
void nk_requantize_s8_u8_ref(NK_KERNEL_ARGS) { NK_REQUANTIZE_LOOP(int8_t, uint8_t, 0, 255) }
void nk_requantize_u8_s8_ref(NK_KERNEL_ARGS) { NK_REQUANTIZE_LOOP(uint8_t, int8_t, -128, 127) }
void nk_requantize_u8_u8_ref(NK_KERNEL_ARGS) { NK_REQUANTIZE_LOOP(uint8_t, uint8_t, 0, 255) }
void nk_requantize_s16_s8_ref(NK_KERNEL_ARGS) { NK_REQUANTIZE_LOOP(int16_t, int8_t, -128, 127) }
void nk_requantize_s16_s16_ref(NK_KERNEL_ARGS) {
  NK_REQUANTIZE_LOOP(int16_t, int16_t, INT16_MIN, INT16_MAX)
}
void nk_requantize_s32_s8_ref(NK_KERNEL_ARGS) { NK_REQUANTIZE_LOOP(int32_t, int8_t, -128, 127) }
void nk_requantize_s32_s16_ref(NK_KERNEL_ARGS) {
  NK_REQUANTIZE_LOOP(int32_t, int16_t, INT16_MIN, INT16_MAX)
}

/* Body of a kernel; widening, from high to low. An int32 result cannot saturate in nk_requantize's
 * manner (the zero point is 0 there). */
#define NK_REQUANTIZE_WIDEN_LOOP(from, to, lo, hi)                                          \
  const nk_requantize_params* p = (const nk_requantize_params*)params;                      \
  const uint8_t* source = (const uint8_t*)in[0];                                            \
  to* target = (to*)out[0];                                                                 \
  int32_t i;                                                                                \
  (void)scratch;                                                                            \
  for (i = p->count; i-- > 0;) {                                                            \
    from x;                                                                                 \
    memcpy(&x, source + (size_t)i * sizeof(x), sizeof(x));                                  \
    target[i] = (to)nk_requantize(x - p->in_zero_point, p->multiplier, p->shift,            \
                                  p->zero_point, lo, hi);                                   \
  }

void nk_requantize_s8_s16_ref(NK_KERNEL_ARGS) {
  NK_REQUANTIZE_WIDEN_LOOP(int8_t, int16_t, INT16_MIN, INT16_MAX)
}
void nk_requantize_s8_s32_ref(NK_KERNEL_ARGS) {
  NK_REQUANTIZE_WIDEN_LOOP(int8_t, int32_t, INT32_MIN, INT32_MAX)
}
void nk_requantize_s16_s32_ref(NK_KERNEL_ARGS) {
  NK_REQUANTIZE_WIDEN_LOOP(int16_t, int32_t, INT32_MIN, INT32_MAX)
}
