// SPDX-License-Identifier: MIT
// Constants as numbers and back.
#include "compiler/ir/const_values.h"

#include <bit>
#include <cstring>
#include <limits>

namespace netkit {
namespace {

constexpr int64_t kMaxRepeatedBytes = int64_t{1} << 26;

template <typename T, typename Out>
std::vector<Out> widened(const Bytes& bytes) {
  std::vector<Out> out(bytes.size() / sizeof(T));
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<Out>(value);
  }
  return out;
}

template <typename T, typename In>
ConstData narrowed(std::span<const In> values) {
  Bytes out(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      if (values[i] < static_cast<In>(std::numeric_limits<T>::min()) ||
          values[i] > static_cast<In>(std::numeric_limits<T>::max())) {
        return nullptr;
      }
    }
    const T value = static_cast<T>(values[i]);
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
  return std::make_shared<const Bytes>(std::move(out));
}

bool is_whole(const Tensor& tensor) {
  if (!tensor.is_constant()) return false;
  const auto bytes = byte_count(tensor.type.dtype, tensor.type.dims);
  return bytes.has_value() && static_cast<uint64_t>(*bytes) == tensor.data.size() &&
         (tensor.data.element() == nullptr || *bytes <= kMaxRepeatedBytes);
}

}  // namespace

std::optional<std::vector<int64_t>> ints_of(const Tensor& tensor) {
  if (!is_whole(tensor)) return std::nullopt;
  const Bytes& bytes = *tensor.data;
  switch (tensor.type.dtype) {
    case NK_INT8: return widened<int8_t, int64_t>(bytes);
    case NK_BOOL:
    case NK_UINT8: return widened<uint8_t, int64_t>(bytes);
    case NK_INT16: return widened<int16_t, int64_t>(bytes);
    case NK_UINT16: return widened<uint16_t, int64_t>(bytes);
    case NK_INT32: return widened<int32_t, int64_t>(bytes);
    case NK_UINT32: return widened<uint32_t, int64_t>(bytes);
    case NK_INT64: return widened<int64_t, int64_t>(bytes);
    default: return std::nullopt;
  }
}

std::optional<std::vector<double>> floats_of(const Tensor& tensor) {
  if (!is_whole(tensor)) return std::nullopt;
  const Bytes& bytes = *tensor.data;
  if (tensor.type.dtype == NK_FLOAT32) return widened<float, double>(bytes);
  if (tensor.type.dtype == NK_FLOAT64) return widened<double, double>(bytes);
  if (tensor.type.dtype != NK_FLOAT16) return std::nullopt;
  std::vector<double> out;
  out.reserve(bytes.size() / 2);
  for (const uint16_t bits : widened<uint16_t, uint16_t>(bytes)) {
    out.push_back(static_cast<double>(half_to_float(bits)));
  }
  return out;
}

ConstData constant_floats(nk_dtype dtype, std::span<const double> values) {
  if (dtype == NK_FLOAT32) return narrowed<float, double>(values);
  if (dtype == NK_FLOAT64) return narrowed<double, double>(values);
  return nullptr;
}

ConstData constant_ints(nk_dtype dtype, std::span<const int64_t> values) {
  switch (dtype) {
    case NK_INT8: return narrowed<int8_t, int64_t>(values);
    case NK_BOOL:
    case NK_UINT8: return narrowed<uint8_t, int64_t>(values);
    case NK_INT16: return narrowed<int16_t, int64_t>(values);
    case NK_INT32: return narrowed<int32_t, int64_t>(values);
    case NK_INT64: return narrowed<int64_t, int64_t>(values);
    default: return nullptr;
  }
}

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 31u;
  const uint32_t mantissa = bits & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  }
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

}  // namespace netkit
