// SPDX-License-Identifier: MIT
#include "compiler/driver/io/tensor_io.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "compiler/driver/io/npy.h"
#include "compiler/import/import.h"

namespace netkit::driver {
namespace {

struct Range {
  nk_dtype dtype;
  int64_t lo, hi;
};
constexpr Range kRanges[] = {
    {NK_INT8, INT8_MIN, INT8_MAX},
    {NK_UINT8, 0, UINT8_MAX},
    {NK_INT16, INT16_MIN, INT16_MAX},
    {NK_UINT16, 0, UINT16_MAX},
    {NK_INT32, INT32_MIN, INT32_MAX},
    {NK_UINT32, 0, UINT32_MAX},
    {NK_INT64, INT64_MIN, INT64_MAX},
    {NK_UINT64, 0, INT64_MAX},
    {NK_BOOL, 0, 1},
};

const Range* range_of(nk_dtype dtype) {
  for (const Range& range : kRanges) {
    if (range.dtype == dtype) return &range;
  }
  return nullptr;
}

void append(Bytes& bytes, const void* value, size_t size) {
  const auto* from = static_cast<const std::byte*>(value);
  bytes.insert(bytes.end(), from, from + size);
}

template <typename T>
T load(std::span<const std::byte> bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof value);
  return value;
}

float half_to_float(uint16_t half) {
  const uint32_t exponent = (half >> 10) & 31u;
  const uint32_t mantissa = half & 1023u;
  const float sign = (half & 0x8000u) != 0 ? -1.0f : 1.0f;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  if (exponent == 31) {
    return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  }
  return sign * std::ldexp(static_cast<float>(1024 + mantissa), static_cast<int>(exponent) - 25);
}

std::string kind_of(const TensorType& type) {
  return fmt::format("{} [{}]", name_of(type.dtype), dims_text(type.dims));
}

Result<double> parse_number(std::string_view token, const std::string& name) {
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.front()))) {
    token.remove_prefix(1);
  }
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back()))) {
    token.remove_suffix(1);
  }
  if (token.starts_with('+')) token.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool whole = end == token.data() + token.size() && !token.empty();
  if (!whole || error == std::errc::invalid_argument) {
    return bad_input(fmt::format("'{}' is not a number", token.substr(0, 40)),
                     fmt::format("input '{}'", name),
                     "give a comma list of numbers, or a file that exists");
  }
  return value;
}

Result<void> append_value(Bytes& bytes, double value, const TensorType& type, bool real,
                          const std::string& name) {
  if (type.dtype == NK_FLOAT32) {
    const float f = static_cast<float>(value);
    append(bytes, &f, sizeof f);
    return {};
  }
  const Range* range = range_of(type.dtype);
  if (range == nullptr) {
    return bad_input(fmt::format("text values for a {} input", name_of(type.dtype)),
                     fmt::format("input '{}'", name), "give raw bytes in a .bin file, or an .npy");
  }
  int64_t integer = 0;
  if (real && !type.quant.empty()) {
    NK_ASSIGN(integer, quantise(value, type, name));
  } else {
    if (!(value >= static_cast<double>(range->lo) && value <= static_cast<double>(range->hi)) ||
        value != std::floor(value)) {
      return bad_input(fmt::format("{} is not a value of {}", value, name_of(type.dtype)),
                       fmt::format("input '{}'", name),
                       "give whole numbers in the model's own type, or real numbers with --real");
    }
    integer = static_cast<int64_t>(value);
  }
  append(bytes, &integer, static_cast<size_t>(bits_of(type.dtype) / 8));
  return {};
}

Result<Bytes> from_text(std::string_view text, const TensorType& type, bool real,
                        const std::string& name) {
  NK_ASSIGN(const int64_t wanted, element_count(type.dims));
  Bytes bytes;
  int64_t count = 0;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find_first_of(",\n;", at), text.size());
    const std::string_view token = text.substr(at, end - at);
    at = end + 1;
    const bool blank = token.find_first_not_of(" \t\r") == std::string_view::npos;
    if (blank && (end == text.size() || text[end] == '\n')) continue;
    if (++count > wanted) continue;
    NK_ASSIGN(const double value, parse_number(token, name));
    NK_TRY(append_value(bytes, value, type, real, name));
  }
  if (count != wanted) {
    return bad_input(fmt::format("{} values given, {} needs {}", count, kind_of(type), wanted),
                     fmt::format("input '{}'", name));
  }
  return bytes;
}

Result<Bytes> from_npy(std::span<const std::byte> file, const TensorType& type,
                       const std::string& name) {
  NK_ASSIGN(NpyArray array, parse_npy(file, name));
  NK_ASSIGN(const int64_t wanted, element_count(type.dims));
  NK_ASSIGN(const int64_t count, element_count(array.type.dims));
  if (count != wanted) {
    return bad_input(
        fmt::format("the .npy holds {} values, {} needs {}", count, kind_of(type), wanted),
        fmt::format("input '{}'", name));
  }
  if (array.type.dtype == type.dtype) return std::move(array.data);
  if (!is_float(array.type.dtype)) {
    return bad_input(
        fmt::format("the .npy is {}, the input is {}", name_of(array.type.dtype), kind_of(type)),
        fmt::format("input '{}'", name));
  }
  Bytes bytes;
  for (int64_t i = 0; i < count; ++i) {
    const double value = element(array.data, array.type.dtype, static_cast<size_t>(i));
    NK_TRY(append_value(bytes, value, type, true, name));
  }
  return bytes;
}

}  // namespace

InputSpec split_input(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {{}, std::string(text)};
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<int64_t> quantise(double real, const TensorType& type, const std::string& name) {
  const Range* range = range_of(type.dtype);
  if (range == nullptr || type.quant.scale.size() != 1) {
    return bad_input(fmt::format("real numbers for {}", kind_of(type)),
                     fmt::format("input '{}'", name), "give values of the model's own type");
  }
  if (std::isnan(real)) {
    return bad_input("NaN for a quantised input", fmt::format("input '{}'", name),
                     "replace NaN in the data");
  }
  const double q = std::round(real / static_cast<double>(type.quant.scale[0])) +
                   static_cast<double>(type.quant.zero_point[0]);
  if (q <= static_cast<double>(range->lo)) return range->lo;
  if (q >= static_cast<double>(range->hi)) return range->hi;
  return static_cast<int64_t>(q);
}

Result<Bytes> read_input(const std::string& what, const TensorType& type, bool real,
                         const std::string& name) {
  std::error_code error;
  if (!std::filesystem::exists(what, error)) return from_text(what, type, real, name);
  NK_ASSIGN(Bytes file, read_model_file(what));
  if (what.ends_with(".npy")) return from_npy(file, type, name);
  if (what.ends_with(".csv")) {
    return from_text({reinterpret_cast<const char*>(file.data()), file.size()}, type, real, name);
  }
  NK_ASSIGN(const int64_t wanted, byte_count(type.dtype, type.dims));
  if (static_cast<int64_t>(file.size()) != wanted) {
    return bad_input(
        fmt::format("{} holds {} bytes, {} needs {}", what, file.size(), kind_of(type), wanted),
        fmt::format("input '{}'", name));
  }
  return file;
}

double element(std::span<const std::byte> bytes, nk_dtype dtype, size_t i) {
  switch (dtype) {
    case NK_FLOAT32:
      return static_cast<double>(load<float>(bytes, i));
    case NK_FLOAT16:
      return static_cast<double>(half_to_float(load<uint16_t>(bytes, i)));
    case NK_FLOAT64:
      return load<double>(bytes, i);
    case NK_INT8:
      return load<int8_t>(bytes, i);
    case NK_INT16:
      return load<int16_t>(bytes, i);
    case NK_UINT16:
      return load<uint16_t>(bytes, i);
    case NK_INT32:
      return load<int32_t>(bytes, i);
    case NK_UINT32:
      return load<uint32_t>(bytes, i);
    case NK_INT64:
      return static_cast<double>(load<int64_t>(bytes, i));
    case NK_UINT64:
      return static_cast<double>(load<uint64_t>(bytes, i));
    default:
      return load<uint8_t>(bytes, i);
  }
}

std::string element_json(std::span<const std::byte> bytes, nk_dtype dtype, size_t i) {
  if (dtype == NK_INT64) return fmt::format("{}", load<int64_t>(bytes, i));
  if (dtype == NK_UINT64) return fmt::format("{}", load<uint64_t>(bytes, i));
  const double value = element(bytes, dtype, i);
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  if (dtype == NK_FLOAT32) return fmt::format("{}", load<float>(bytes, i));
  if (is_float(dtype)) return fmt::format("{}", value);
  return fmt::format("{}", static_cast<int64_t>(value));
}

Result<std::string> encode_output(const std::string& path, const TensorType& type,
                                  std::span<const std::byte> bytes) {
  if (path.ends_with(".npy")) return make_npy(type, bytes);
  if (!path.ends_with(".csv")) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  NK_ASSIGN(const int64_t count, element_count(type.dims));
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += element_json(bytes, type.dtype, static_cast<size_t>(i));
    text += i + 1 < count ? "," : "\n";
  }
  return text;
}

}  // namespace netkit::driver
