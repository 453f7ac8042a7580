// SPDX-License-Identifier: MIT
#include "compiler/driver/io/tensor_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "compiler/driver/io/npy.h"
#include "compiler/driver/io/numbers.h"
#include "compiler/driver/io/read_text.h"
#include "compiler/import/import.h"

namespace netkit::driver {
namespace {

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

// `where` with the element, which counts from 0.
Error at_element(Error error, const std::string& where, int64_t element) {
  error.where = fmt::format("{}, element {}", where, element);
  return error;
}

// Numbers between commas, semicolons and line ends. `lines`: of a file, whose lines are named.
Result<Bytes> from_text(std::string_view text, const TensorType& type, bool real,
                        const std::string& where, bool lines) {
  NK_ASSIGN(const int64_t wanted, element_count(type.dims));
  Bytes bytes;
  int64_t count = 0, line = 1;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find_first_of(",\n;", at), text.size());
    const std::string_view token = text.substr(at, end - at);
    at = end + 1;
    const bool last_of_line = end == text.size() || text[end] == '\n';
    const int64_t this_line = line;
    line += last_of_line ? 1 : 0;
    const bool blank = token.find_first_not_of(" \t\r") == std::string_view::npos;
    if (blank && last_of_line) continue;
    if (++count > wanted) continue;
    auto added = append_text(bytes, token, type, real, where);
    if (added) continue;
    Error error = std::move(added.error());
    if (error.hint.empty()) {
      error.hint = lines ? "give numbers only, without a heading"
                         : "give a comma list of numbers, or a file that exists";
    }
    return std::unexpected(at_element(
        std::move(error), lines ? fmt::format("{}:{}", where, this_line) : where, count - 1));
  }
  if (count != wanted) {
    return bad_input(fmt::format("{} values given, {} needs {}", count, kind_of(type), wanted),
                     where, "give one number per element, in the order of the shape");
  }
  return bytes;
}

Dims without_ones(Dims dims) {
  std::erase(dims, 1);
  return dims;
}

Result<Bytes> checked_bools(Bytes bytes, const TensorType& type, const std::string& where) {
  if (type.dtype != NK_BOOL) return bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (static_cast<uint8_t>(bytes[i]) > 1) {
      return bad_input(
          fmt::format("{} is not a value of bool (element {})", static_cast<int>(bytes[i]), i),
          where, "give bytes of 0 and 1");
    }
  }
  return bytes;
}

Result<Bytes> from_npy(std::span<const std::byte> file, const TensorType& type,
                       const std::string& where) {
  NK_ASSIGN(NpyArray array, parse_npy(file, where));
  if (without_ones(array.type.dims) != without_ones(type.dims)) {
    return bad_input(fmt::format("the .npy has shape [{}], the input is {}",
                                 dims_text(array.type.dims), kind_of(type)),
                     where, "dimensions of 1 aside the shapes must agree");
  }
  if (array.type.dtype == type.dtype) return checked_bools(std::move(array.data), type, where);
  if (!is_float(array.type.dtype)) {
    return bad_input(
        fmt::format("the .npy is {}, the input is {}", name_of(array.type.dtype), kind_of(type)),
        where,
        fmt::format("save it as {}{}", name_of(type.dtype),
                    type.quant.empty() ? "" : ", or real numbers as float32, which are quantised"));
  }
  NK_ASSIGN(const int64_t count, element_count(array.type.dims));
  Bytes bytes;
  for (int64_t i = 0; i < count; ++i) {
    const double value = element(array.data, array.type.dtype, static_cast<size_t>(i));
    auto added = append_real(bytes, value, type, where);
    if (!added) return std::unexpected(at_element(std::move(added.error()), where, i));
  }
  return bytes;
}

bool ends_with(const std::string& path, std::string_view ending) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == static_cast<unsigned char>(b);
  };
  return path.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), path.end() - static_cast<long>(ending.size()),
                    [&](char b, char a) { return same(a, b); });
}

// Was it meant as a file? Numbers hold no slash and end in no word.
bool names_a_file(const std::string& what) {
  if (ends_with(what, ".npy") || ends_with(what, ".csv") || ends_with(what, ".bin")) return true;
  if (what.find_first_of(",;\n") != std::string::npos || is_number(what)) return false;
  const size_t dot = what.rfind('.');
  return what.find('/') != std::string::npos ||
         (dot != std::string::npos && dot + 1 < what.size() &&
          std::isalpha(static_cast<unsigned char>(what[dot + 1])) != 0);
}

}  // namespace

InputSpec split_input(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {{}, std::string(text)};
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<Bytes> read_input(const std::string& what, const TensorType& type, bool real,
                         const std::string& name) {
  const std::string input = fmt::format("input '{}'", name);
  std::error_code error;
  const auto status = std::filesystem::status(what, error);
  if (!std::filesystem::exists(status)) {
    if (!names_a_file(what)) return from_text(what, type, real, input, false);
    return bad_input("no such file", fmt::format("{}: {}", input, what),
                     "check the name and its folder");
  }
  const std::string where = fmt::format("{}: {}", input, what);
  if (std::filesystem::is_directory(status)) {
    return bad_input("is a folder, not a file", where, "give a file or a comma list of numbers");
  }
  NK_ASSIGN(const int64_t wanted, byte_count(type.dtype, type.dims));
  const bool raw = !ends_with(what, ".npy") && !ends_with(what, ".csv");
  const bool regular = std::filesystem::is_regular_file(status);
  if (raw && wanted == 0 && regular && std::filesystem::file_size(what, error) == 0) {
    return Bytes{};  // the raw bytes of a tensor without elements
  }
  auto read = read_model_file(what);
  if (!read) {
    read.error().where = where;
    return read;
  }
  Bytes file = std::move(*read);
  if (ends_with(what, ".npy")) return from_npy(file, type, where);
  if (ends_with(what, ".csv")) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    return from_text(without_mark(text), type, real, where, true);
  }
  if (static_cast<int64_t>(file.size()) != wanted) {
    return bad_input(fmt::format("holds {} bytes, {} needs {}", file.size(), kind_of(type), wanted),
                     where, "give the raw bytes of one tensor, or a .npy or .csv file");
  }
  return checked_bools(std::move(file), type, where);
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
  if (ends_with(path, ".npy")) return make_npy(type, bytes);
  if (!ends_with(path, ".csv")) {
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
