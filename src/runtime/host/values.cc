// SPDX-License-Identifier: MIT
// Decoding of elements.
#include "runtime/host/values.h"

#include <cmath>
#include <cstring>

#include "base/dtype.h"

namespace netkit {
namespace {

template <typename T>
double load(const void* data, uint32_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + size_t{index} * sizeof value,
              sizeof value);
  return static_cast<double>(value);
}

double load_float16(const void* data, uint32_t index) {
  uint16_t bits;
  std::memcpy(&bits, static_cast<const char*>(data) + size_t{index} * sizeof bits, sizeof bits);
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 31) return mantissa ? std::nan("") : sign * HUGE_VAL;
  return exponent ? sign * std::ldexp(1024 + mantissa, exponent - 25)
                  : sign * std::ldexp(mantissa, -24);
}

double load_int4(const void* data, uint32_t index) {
  const int pair = static_cast<const uint8_t*>(data)[index / 2];
  const int nibble = index % 2 ? pair >> 4 : pair & 15;
  return nibble >= 8 ? nibble - 16 : nibble;
}

const char* dtype_name(uint8_t dtype) {
  switch (dtype) {
#define NK_X(name, value, text, bits) \
  case name:                          \
    return text;
    NK_DTYPES(NK_X)
#undef NK_X
    default: return "?";
  }
}

}  // namespace

uint32_t element_count(const nk_file_tensor& tensor) {
  uint32_t count = 1;
  for (uint32_t dim : tensor.dims) count *= dim;
  return count;
}

double element(const nk_file_tensor& tensor, const void* data, uint32_t index) {
  switch (tensor.dtype) {
    case NK_FLOAT32: return load<float>(data, index);
    case NK_FLOAT64: return load<double>(data, index);
    case NK_FLOAT16: return load_float16(data, index);
    case NK_INT8: return load<int8_t>(data, index);
    case NK_UINT8:
    case NK_BOOL: return load<uint8_t>(data, index);
    case NK_INT16: return load<int16_t>(data, index);
    case NK_UINT16: return load<uint16_t>(data, index);
    case NK_INT32: return load<int32_t>(data, index);
    case NK_UINT32: return load<uint32_t>(data, index);
    case NK_INT64: return load<int64_t>(data, index);
    case NK_UINT64: return load<uint64_t>(data, index);
    case NK_INT4: return load_int4(data, index);
    default: return std::nan("");
  }
}

double real_element(const nk_file_tensor& tensor, const void* data, uint32_t index) {
  const double stored = element(tensor, data, index);
  if (tensor.scale == 0.0f) return stored;
  return static_cast<double>(tensor.scale) * (stored - tensor.zero_point);
}

void print_tensor(std::FILE* to, const char* name, const nk_file_tensor& tensor,
                  const void* data, uint32_t limit) {
  std::fprintf(to, "%s %s[", name, dtype_name(tensor.dtype));
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    std::fprintf(to, "%s%u", i ? "x" : "", static_cast<unsigned>(tensor.dims[i]));
  }
  std::fputs("]:", to);
  const uint32_t count = element_count(tensor);
  for (uint32_t i = 0; i < count && i < limit; ++i) {
    std::fprintf(to, " %.9g", element(tensor, data, i));
  }
  if (count > limit) std::fprintf(to, " ... (%u values)", static_cast<unsigned>(count));
  std::fputc('\n', to);
}

}  // namespace netkit
