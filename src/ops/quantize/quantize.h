/* SPDX-License-Identifier: MIT */
/* Changes of element type.
 *
 * quantize: float32 to int8, uint8 or int16: zero point + round(x / scale), saturated; NaN gives
 * the least value. Attribute round: away (ties away from zero, TensorFlow Lite) or even (ONNX).
 * dequantize: int8, uint8, int16, int32 to float32: (x - zero point) * scale.
 * Both: the quantised tensor's own parameters; where these are per axis, in[1]: scales (float32)
 * and in[2]: zero points (int32) with x seen as [outer, channels, inner].
 * requantize: between quantised types, per tensor, (x - zero point) * (scale / scale') by the
 * multiplier of the rounding contract.
 * cast: the value in another type (attribute to: dtype name), towards zero, saturated where a float
 * does not fit (NaN gives 0); to bool: x != 0. Never touches quantisation.
 * Kernels that widen run from high to low, the others from low to high. */
#ifndef NETKIT_OPS_QUANTIZE_QUANTIZE_H
#define NETKIT_OPS_QUANTIZE_QUANTIZE_H

#include "base/dtype.h"
#include "ops/common/kernel.h"

#define NK_QUANTIZE_FIELDS(S, A) \
  S(int32_t, outer) \
  S(int32_t, channels) \
  S(int32_t, inner) \
  S(int32_t, ties_to_even) \
  S(int32_t, zero_point) \
  S(float, scale)

typedef struct nk_quantize_params {
  NK_QUANTIZE_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_quantize_params;
typedef nk_quantize_params nk_dequantize_params;

#define NK_REQUANTIZE_FIELDS(S, A) \
  S(int32_t, count) \
  S(int32_t, in_zero_point) \
  S(int32_t, multiplier) \
  S(int32_t, shift) \
  S(int32_t, zero_point)

typedef struct nk_requantize_params {
  NK_REQUANTIZE_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_requantize_params;

#define NK_CAST_FIELDS(S, A) S(int32_t, count) S(int32_t, from) S(int32_t, to) /* nk_dtype */

typedef struct nk_cast_params { NK_CAST_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_cast_params;

/* Bytes of an element of a type that cast knows; 1 for all others. */
static inline int32_t nk_cast_width(int32_t dtype) {
  if (dtype == NK_INT64 || dtype == NK_UINT64 || dtype == NK_FLOAT64) return 8;
  if (dtype == NK_FLOAT32 || dtype == NK_INT32 || dtype == NK_UINT32) return 4;
  return dtype == NK_INT16 || dtype == NK_UINT16 || dtype == NK_FLOAT16 ? 2 : 1;
}

#endif
