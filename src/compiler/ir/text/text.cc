// SPDX-License-Identifier: MIT
// Text of names, attributes and constants in graph dumps (text.h).
#include "compiler/ir/text/text.h"

#include <fmt/format.h>

#include <cstring>

namespace netkit {
namespace {

bool is_bare(std::string_view name) {
  if (name.empty()) return false;
  for (const char c : name) {
    const bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!alnum && std::string_view("_./:;-#@$").find(c) == std::string_view::npos) return false;
  }
  return true;
}

// A double that reads back as a double, never as an integer.
std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

template <typename T>
T element(const Bytes& bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::string element_text(nk_dtype dtype, const Bytes& bytes, size_t i) {
  switch (dtype) {
    case NK_FLOAT32:
      return fmt::format("{}", element<float>(bytes, i));
    case NK_FLOAT64:
      return fmt::format("{}", element<double>(bytes, i));
    case NK_FLOAT16:
      return fmt::format("0x{:04x}", element<uint16_t>(bytes, i));
    case NK_INT8:
      return fmt::format("{}", element<int8_t>(bytes, i));
    case NK_UINT8:
      return fmt::format("{}", element<uint8_t>(bytes, i));
    case NK_BOOL:
      return fmt::format("{}", element<uint8_t>(bytes, i));
    case NK_INT16:
      return fmt::format("{}", element<int16_t>(bytes, i));
    case NK_UINT16:
      return fmt::format("{}", element<uint16_t>(bytes, i));
    case NK_INT32:
      return fmt::format("{}", element<int32_t>(bytes, i));
    case NK_UINT32:
      return fmt::format("{}", element<uint32_t>(bytes, i));
    case NK_INT64:
      return fmt::format("{}", element<int64_t>(bytes, i));
    case NK_UINT64:
      return fmt::format("{}", element<uint64_t>(bytes, i));
    case NK_INT4: {
      const int nibble = (std::to_integer<int>(bytes[i / 2]) >> (i % 2 != 0 ? 4 : 0)) & 15;
      return fmt::format("{}", nibble > 7 ? nibble - 16 : nibble);
    }
    case NK_STRING:
    case NK_DTYPE_NONE:
      break;
  }
  return "?";
}

// FNV-1a, 64 bits: names a long constant in a dump.
uint64_t hash_of(const Bytes& bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte b : bytes) hash = (hash ^ std::to_integer<uint64_t>(b)) * 0x100000001b3u;
  return hash;
}

struct AttrText {
  size_t max_elems;

  std::string operator()(int64_t v) const { return fmt::format("{}", v); }
  std::string operator()(double v) const { return real_text(v); }
  std::string operator()(const std::string& v) const { return in_quotes(v); }
  std::string operator()(const std::vector<int64_t>& v) const {
    return fmt::format("[{}]", fmt::join(v, ","));
  }
  std::string operator()(const std::vector<double>& v) const { return list(v, real_text, 'f'); }
  std::string operator()(const std::vector<std::string>& v) const {
    return list(v, in_quotes, 's');
  }
  std::string operator()(const AttrTensor& v) const {
    static const Bytes kNone;
    return fmt::format("tensor({} = {})", type_text(v.type, max_elems),
                       values_text(v.type, v.data ? *v.data : kNone, max_elems));
  }

 private:
  // The suffix tells an empty list's type.
  template <typename V, typename F>
  static std::string list(const V& values, F text_of, char suffix) {
    std::string text = "[";
    for (const auto& value : values) {
      if (text.size() > 1) text += ',';
      text += text_of(value);
    }
    text += ']';
    if (values.empty()) text += suffix;
    return text;
  }
};

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string name_text(std::string_view name) {
  return "%" + (is_bare(name) ? std::string(name) : in_quotes(name));
}

std::string values_text(const TensorType& type, const Bytes& bytes, size_t max_elems) {
  const int bits = bits_of(type.dtype);
  const auto expected = byte_count(type.dtype, type.dims);
  const auto elems = element_count(type.dims);
  if (bits == 0 || !expected || static_cast<uint64_t>(*expected) != bytes.size()) {
    return fmt::format("hash {:016x}", hash_of(bytes));
  }
  const auto count = static_cast<size_t>(*elems);
  const size_t size = static_cast<size_t>(bits) / 8;
  if (count > 1 && size != 0 &&
      std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) == 0) {
    return "splat " + element_text(type.dtype, bytes, 0);
  }
  if (count > max_elems) return fmt::format("hash {:016x}", hash_of(bytes));
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) text += ' ';
    text += element_text(type.dtype, bytes, i);
  }
  return text;
}

std::string attr_text(const AttrValue& value, size_t max_elems) {
  return std::visit(AttrText{max_elems}, value);
}

}  // namespace netkit
