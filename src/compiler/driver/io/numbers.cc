// SPDX-License-Identifier: MIT
#include "compiler/driver/io/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace netkit::driver {
namespace {

constexpr double kExactDouble = 9007199254740992.0;  // 2^53: every whole number up to here

struct Range {
  nk_dtype dtype;
  int64_t lo;
  uint64_t hi;
};
constexpr Range kRanges[] = {
    {NK_INT8, INT8_MIN, INT8_MAX},
    {NK_UINT8, 0, UINT8_MAX},
    {NK_INT16, INT16_MIN, INT16_MAX},
    {NK_UINT16, 0, UINT16_MAX},
    {NK_INT32, INT32_MIN, INT32_MAX},
    {NK_UINT32, 0, UINT32_MAX},
    {NK_INT64, INT64_MIN, INT64_MAX},
    {NK_UINT64, 0, UINT64_MAX},
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

std::string_view bare(std::string_view token) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const size_t first = token.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  token = token.substr(first, token.find_last_not_of(kBlank) - first + 1);
  const bool plus = token.starts_with('+') && token.size() > 1 && token[1] != '-';
  return plus ? token.substr(1) : token;
}

std::unexpected<Error> outside(std::string_view token, const TensorType& type,
                               const std::string& where) {
  const Range* range = range_of(type.dtype);
  return bad_input(
      fmt::format("{} is out of range of {}", token.substr(0, 40), name_of(type.dtype)), where,
      range == nullptr ? "infinity is written inf"
                       : fmt::format("give whole numbers from {} to {}{}", range->lo, range->hi,
                                     type.quant.empty() ? "" : ", or real numbers with --real"));
}

std::unexpected<Error> not_a_value(std::string_view token, const TensorType& type,
                                   const std::string& where) {
  return bad_input(fmt::format("{} is not a value of {}", token.substr(0, 40), name_of(type.dtype)),
                   where,
                   "give whole numbers in the model's own type, or real numbers with --real");
}

// The number nearest to a decimal. Too small a one is zero; too large a one is an error.
template <typename T>
Result<T> parse_real(std::string_view token, const TensorType& type, const std::string& where) {
  T value = 0;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, value);
  if (token.empty() || end != last || error == std::errc::invalid_argument) {
    return bad_input(fmt::format("'{}' is not a number", token.substr(0, 40)), where);
  }
  if (error == std::errc::result_out_of_range) {  // does not say on which side
    const std::string text(token);
    value = sizeof(T) == sizeof(float) ? static_cast<T>(std::strtof(text.c_str(), nullptr))
                                       : static_cast<T>(std::strtod(text.c_str(), nullptr));
  }
  const bool digits = token.find_first_of("0123456789") != std::string_view::npos;
  if (std::isinf(value) && digits) return outside(token, type, where);
  return value;
}

// A whole number in two's complement; nothing when it is not written as one.
Result<std::optional<uint64_t>> parse_whole(std::string_view token, const Range& range,
                                            const TensorType& type, const std::string& where) {
  const char* last = token.data() + token.size();
  const bool negative = token.starts_with('-');
  int64_t below = 0;
  uint64_t above = 0;
  const auto [end, error] = negative ? std::from_chars(token.data(), last, below)
                                     : std::from_chars(token.data(), last, above);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  const bool fits = error == std::errc() && (negative ? below >= range.lo : above <= range.hi);
  if (!fits) return outside(token, type, where);
  return negative ? static_cast<uint64_t>(below) : above;
}

Result<uint64_t> whole_of(double value, std::string_view token, const Range& range,
                          const TensorType& type, const std::string& where) {
  if (std::isnan(value) || value != std::floor(value)) return not_a_value(token, type, where);
  if (value < static_cast<double>(range.lo) || value > static_cast<double>(range.hi) ||
      std::abs(value) > kExactDouble) {
    return outside(token, type, where);
  }
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

Result<const Range*> integers_of(const TensorType& type, const std::string& where) {
  if (const Range* range = range_of(type.dtype)) return range;
  return bad_input(fmt::format("text values for a {} input", name_of(type.dtype)), where,
                   "give raw bytes in a .bin file, or an .npy");
}

void append_integer(Bytes& bytes, uint64_t value, nk_dtype dtype) {
  append(bytes, &value, static_cast<size_t>(bits_of(dtype) / 8));  // little-endian
}

}  // namespace

std::string kind_of(const TensorType& type) {
  return fmt::format("{} [{}]", name_of(type.dtype), dims_text(type.dims));
}

bool is_number(std::string_view token) {
  token = bare(token);
  double value = 0;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, value);
  return !token.empty() && end == last && error != std::errc::invalid_argument;
}

Result<int64_t> quantise(double real, const TensorType& type, const std::string& where) {
  const Range* range = range_of(type.dtype);
  if (range == nullptr || type.quant.scale.size() != 1) {
    return bad_input(fmt::format("real numbers for {}", kind_of(type)), where,
                     "give values of the model's own type");
  }
  if (!std::isfinite(real)) {
    return bad_input(fmt::format("{} for a quantised input", std::isnan(real) ? "NaN" : "infinity"),
                     where, "replace it in the data");
  }
  const double q = std::round(real / static_cast<double>(type.quant.scale[0])) +
                   static_cast<double>(type.quant.zero_point[0]);
  const uint64_t hi = std::min<uint64_t>(range->hi, INT64_MAX);
  if (q <= static_cast<double>(range->lo)) return range->lo;
  if (q >= static_cast<double>(hi)) return static_cast<int64_t>(hi);
  return static_cast<int64_t>(q);
}

Result<void> append_real(Bytes& bytes, double value, const TensorType& type,
                         const std::string& where) {
  if (type.dtype == NK_FLOAT32) {
    const auto f = static_cast<float>(value);
    if (std::isinf(f) && !std::isinf(value)) return outside(fmt::format("{}", value), type, where);
    append(bytes, &f, sizeof f);
    return {};
  }
  NK_ASSIGN(const Range* range, integers_of(type, where));
  uint64_t integer = 0;
  if (type.quant.empty()) {
    NK_ASSIGN(integer, whole_of(value, fmt::format("{}", value), *range, type, where));
  } else {
    NK_ASSIGN(const int64_t q, quantise(value, type, where));
    integer = static_cast<uint64_t>(q);
  }
  append_integer(bytes, integer, type.dtype);
  return {};
}

Result<void> append_text(Bytes& bytes, std::string_view token, const TensorType& type, bool real,
                         const std::string& where) {
  token = bare(token);
  if (type.dtype == NK_FLOAT32) {
    NK_ASSIGN(const float value, parse_real<float>(token, type, where));
    append(bytes, &value, sizeof value);
    return {};
  }
  NK_ASSIGN(const Range* range, integers_of(type, where));
  if (real && !type.quant.empty()) {
    NK_ASSIGN(const double value, parse_real<double>(token, {NK_FLOAT64, {}, {}}, where));
    return append_real(bytes, value, type, where);
  }
  NK_ASSIGN(std::optional<uint64_t> whole, parse_whole(token, *range, type, where));
  if (!whole) {
    NK_ASSIGN(const double value, parse_real<double>(token, type, where));
    NK_ASSIGN(whole, whole_of(value, token, *range, type, where));
  }
  append_integer(bytes, *whole, type.dtype);
  return {};
}

}  // namespace netkit::driver
