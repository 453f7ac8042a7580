// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_data.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

namespace netkit::emit {
namespace {

template <typename T>
T load(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// INT64_MIN and INT32_MIN have no literal in C: a minus sign is an operator.
std::string c_signed(int64_t value) {
  if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
  if (value == INT32_MIN) return "(-2147483647 - 1)";
  if (value > INT32_MAX || value < INT32_MIN) return fmt::format("{}LL", value);
  return fmt::format("{}", value);
}

struct Element {
  std::string_view c_type;  // as in a parameter struct
  size_t bytes;
  std::string (*text)(std::span<const std::byte>, size_t);
};

template <typename T>
std::string integer_text(std::span<const std::byte> bytes, size_t offset) {
  return c_signed(static_cast<int64_t>(load<T>(bytes, offset)));
}
std::string uint32_text(std::span<const std::byte> bytes, size_t offset) {
  return fmt::format("{}u", load<uint32_t>(bytes, offset));
}
std::string uint64_text(std::span<const std::byte> bytes, size_t offset) {
  return fmt::format("{}ull", load<uint64_t>(bytes, offset));
}
std::string float_text(std::span<const std::byte> bytes, size_t offset) {
  return c_float(load<float>(bytes, offset));
}

constexpr Element kElements[] = {
    {"int8_t", 1, integer_text<int8_t>},
    {"uint8_t", 1, integer_text<uint8_t>},
    {"int16_t", 2, integer_text<int16_t>},
    {"uint16_t", 2, integer_text<uint16_t>},
    {"int32_t", 4, integer_text<int32_t>},
    {"uint32_t", 4, uint32_text},
    {"int64_t", 8, integer_text<int64_t>},
    {"uint64_t", 8, uint64_text},
    {"float", 4, float_text},
};

const Element& element(std::string_view type) {
  for (const Element& e : kElements) {
    if (e.c_type == type) return e;
  }
  return kElements[1];
}

// Breaks a list into lines of at most 100 columns.
class Wrapped {
 public:
  void add(std::string_view item) {
    if (line_.size() + item.size() + 2 > 98) flush();
    line_ += line_.empty() ? "    " : " ";
    line_ += item;
    line_ += ',';
  }
  std::string take() {
    flush();
    return std::move(text_);
  }

 private:
  void flush() {
    if (line_.empty()) return;
    text_ += line_ + "\n";
    line_.clear();
  }
  std::string text_, line_;
};

}  // namespace

std::string_view c_type(nk_dtype dtype) {
  switch (dtype) {
    case NK_FLOAT32:
      return "float";
    case NK_INT8:
      return "int8_t";
    case NK_INT32:
      return "int32_t";
    case NK_INT16:
      return "int16_t";
    case NK_INT64:
      return "int64_t";
    case NK_UINT16:
      return "uint16_t";
    case NK_FLOAT16:
      return "uint16_t";
    case NK_UINT32:
      return "uint32_t";
    case NK_UINT64:
      return "uint64_t";
    default:
      return "uint8_t";
  }
}

std::string c_float(float value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string c_array(const std::string& name, const Constant& constant) {
  const Element& e = element(c_type(constant.dtype));
  const std::span<const std::byte> bytes(*constant.data);
  Wrapped list;
  for (size_t at = 0; at + e.bytes <= bytes.size(); at += e.bytes) list.add(e.text(bytes, at));
  if (bytes.empty()) list.add("0");
  return fmt::format("static const NK_ALIGNED({}) {} {}[] = {{\n{}}};\n", constant.alignment,
                     e.c_type, name, list.take());
}

std::string c_params(std::span<const ParamField> fields, std::span<const std::byte> params) {
  Wrapped list;
  for (const ParamField& field : fields) {
    const Element& e = element(field.type);
    std::string text;
    for (uint32_t i = 0; i < field.count; ++i) {
      text += (i == 0 ? "" : ", ") + e.text(params, field.offset + i * e.bytes);
    }
    list.add(field.count == 1 ? text : "{" + text + "}");
  }
  return "{\n" + list.take() + "}";
}

}  // namespace netkit::emit
