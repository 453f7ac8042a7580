/* SPDX-License-Identifier: MIT */
/* cast between all types of elements. */
#include <string.h>

#include "base/dtype.h"
#include "ops/quantize/quantize.h"

/* float32 of a float16's bits (IEEE 754 binary16), exact. */
static inline float from_half(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 31u, mantissa = half & 0x3FFu, bits;
  float value;
  if (exponent == 31u) {
    bits = sign | 0x7F800000u | (mantissa << 13);
  } else if (exponent != 0u) {
    bits = sign | ((exponent + 112u) << 23) | (mantissa << 13);
  } else {
    value = (float)mantissa * 5.9604644775390625e-8f; /* 2^-24 */
    return sign != 0u ? -value : value;
  }
  memcpy(&value, &bits, sizeof(value));
  return value;
}

/* float16 bits nearest to x, ties to even; beyond the range an infinity. */
static inline uint16_t to_half(float x) {
  uint32_t bits, sign, magnitude, rounded;
  memcpy(&bits, &x, sizeof(bits));
  sign = (bits >> 16) & 0x8000u;
  magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return (uint16_t)(sign | 0x7E00u); /* NaN */
  if (magnitude >= 0x477FF000u) return (uint16_t)(sign | 0x7C00u);
  if (magnitude < 0x38800000u) { /* below 2^-14: steps of 2^-24; adding 0.5 rounds to them */
    float y;
    memcpy(&y, &magnitude, sizeof(y));
    y += 0.5f;
    memcpy(&bits, &y, sizeof(bits));
    return (uint16_t)(sign | (bits - 0x3F000000u));
  }
  rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
  return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

/* An element on its way: integers exactly (the bits of a uint64), floats as they are. */
typedef struct cast_value {
  int64_t whole;
  float real;
  int is_real, is_u64;
} cast_value;

#define NK_CAST_LOAD(type)               \
  {                                      \
    type x;                              \
    memcpy(&x, at, sizeof(x));           \
    value.whole = (int64_t)x;            \
    break;                               \
  }

static inline cast_value cast_load(const uint8_t* at, int32_t dtype) {
  cast_value value = {0, 0.0f, 0, 0};
  value.is_u64 = dtype == NK_UINT64;
  switch (dtype) {
    case NK_FLOAT32:
      memcpy(&value.real, at, sizeof(value.real));
      value.is_real = 1;
      break;
    case NK_FLOAT16: {
      uint16_t half;
      memcpy(&half, at, sizeof(half));
      value.real = from_half(half);
      value.is_real = 1;
      break;
    }
    case NK_INT8: NK_CAST_LOAD(int8_t)
    case NK_INT16: NK_CAST_LOAD(int16_t)
    case NK_UINT16: NK_CAST_LOAD(uint16_t)
    case NK_INT32: NK_CAST_LOAD(int32_t)
    case NK_UINT32: NK_CAST_LOAD(uint32_t)
    case NK_INT64: NK_CAST_LOAD(int64_t)
    case NK_UINT64: NK_CAST_LOAD(uint64_t)
    default: NK_CAST_LOAD(uint8_t)
  }
  return value;
}

/* Towards zero, saturated to what the type holds (limit = 2^bits); NaN is 0. */
static inline int64_t cast_whole(const cast_value* value, float lo, float limit) {
  if (value->is_real == 0) return value->whole;
  if (value->real != value->real) return 0;
  if (value->real >= limit) return limit >= 9.0e18f ? INT64_MAX : (int64_t)limit - 1;
  if (value->real <= lo) return lo <= -9.0e18f ? INT64_MIN : (int64_t)lo;
  return (int64_t)value->real;
}

/* As cast_whole, for uint64. */
static inline uint64_t cast_whole_u64(const cast_value* value) {
  if (value->is_real == 0) return (uint64_t)value->whole;
  if (!(value->real > 0.0f)) return 0;
  return value->real >= 18446744073709551616.0f ? UINT64_MAX : (uint64_t)value->real;
}

static inline float cast_real(const cast_value* value) {
  if (value->is_real != 0) return value->real;
  return value->is_u64 != 0 ? (float)(uint64_t)value->whole : (float)value->whole;
}

#define NK_CAST_STORE(type, lo, limit)                       \
  {                                                          \
    const type y = (type)cast_whole(value, lo, limit);       \
    memcpy(at, &y, sizeof(y));                               \
    break;                                                   \
  }

static inline void cast_store(uint8_t* at, int32_t dtype, const cast_value* value) {
  switch (dtype) {
    case NK_FLOAT32: {
      const float y = cast_real(value);
      memcpy(at, &y, sizeof(y));
      break;
    }
    case NK_FLOAT16: {
      const uint16_t y = to_half(cast_real(value));
      memcpy(at, &y, sizeof(y));
      break;
    }
    case NK_BOOL:
      *at = value->is_real != 0 ? value->real != 0.0f : value->whole != 0;
      break;
    case NK_INT8: NK_CAST_STORE(int8_t, -128.0f, 128.0f)
    case NK_INT16: NK_CAST_STORE(int16_t, -32768.0f, 32768.0f)
    case NK_UINT16: NK_CAST_STORE(uint16_t, 0.0f, 65536.0f)
    case NK_INT32: NK_CAST_STORE(int32_t, -2147483648.0f, 2147483648.0f)
    case NK_UINT32: NK_CAST_STORE(uint32_t, 0.0f, 4294967296.0f)
    case NK_INT64: NK_CAST_STORE(int64_t, -9.223372036854775808e18f, 9.223372036854775808e18f)
    case NK_UINT64: {
      const uint64_t y = cast_whole_u64(value);
      memcpy(at, &y, sizeof(y));
      break;
    }
    default: NK_CAST_STORE(uint8_t, 0.0f, 256.0f)
  }
}

void nk_cast_any_ref(NK_KERNEL_ARGS) {
  const nk_cast_params* p = (const nk_cast_params*)params;
  const uint8_t* source = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const size_t from = (size_t)nk_cast_width(p->from), to = (size_t)nk_cast_width(p->to);
  int32_t k;
  (void)scratch;
  for (k = 0; k < p->count; ++k) {
    const size_t i = (size_t)(to > from ? p->count - 1 - k : k);
    const cast_value value = cast_load(source + i * from, p->from);
    cast_store(target + i * to, p->to, &value);
  }
}

/* Towards zero, saturated to the type (limit = 2^bits); NaN is 0. */
static inline int64_t cast_whole_f64(double x, double lo, double limit) {
  if (x != x) return 0;
  if (x >= limit) return limit >= 9.0e18 ? INT64_MAX : (int64_t)limit - 1;
  if (x <= lo) return lo <= -9.0e18 ? INT64_MIN : (int64_t)lo;
  return (int64_t)x;
}

static inline void cast_store_f64(uint8_t* at, int32_t dtype, double x) {
  cast_value value = {0, 0.0f, 0, 0};
  const int is_signed = dtype == NK_INT8 || dtype == NK_INT16 || dtype == NK_INT32 ||
                        dtype == NK_INT64;
  const int bits = 8 * nk_cast_width(dtype) - is_signed;
  const double limit = (double)((uint64_t)1 << (bits - 1)) * 2.0;
  if (dtype == NK_FLOAT64) {
    memcpy(at, &x, sizeof(x));
    return;
  }
  if (dtype == NK_FLOAT32 || dtype == NK_FLOAT16) {
    value.real = (float)x;
    value.is_real = 1;
  } else if (dtype == NK_BOOL) {
    value.whole = x != 0.0;
  } else if (dtype == NK_UINT64) {
    value.whole = (int64_t)(!(x > 0.0) ? 0 : x >= limit ? UINT64_MAX : (uint64_t)x);
  } else {
    value.whole = cast_whole_f64(x, is_signed ? -limit : 0.0, limit);
  }
  cast_store(at, dtype, &value);
}

/* cast with float64 on at least one side; apart, so that others need no double arithmetic. */
void nk_cast_f64_ref(NK_KERNEL_ARGS) {
  const nk_cast_params* p = (const nk_cast_params*)params;
  const uint8_t* source = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const size_t from = (size_t)nk_cast_width(p->from), to = (size_t)nk_cast_width(p->to);
  int32_t k;
  (void)scratch;
  for (k = 0; k < p->count; ++k) {
    const size_t i = (size_t)(to > from ? p->count - 1 - k : k);
    double x;
    if (p->from == NK_FLOAT64) {
      memcpy(&x, source + i * from, sizeof(x));
    } else {
      const cast_value value = cast_load(source + i * from, p->from);
      x = value.is_real != 0  ? (double)value.real
          : value.is_u64 != 0 ? (double)(uint64_t)value.whole
                              : (double)value.whole;
    }
    cast_store_f64(target + i * to, p->to, x);
  }
}
