// SPDX-License-Identifier: MIT
#include "compiler/driver/io/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace netkit::driver {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

struct Descr {
  std::string_view text;
  nk_dtype dtype;
};
constexpr Descr kDescrs[] = {
    {"<f4", NK_FLOAT32}, {"|i1", NK_INT8},   {"<i4", NK_INT32},   {"|u1", NK_UINT8},
    {"<i2", NK_INT16},   {"<i8", NK_INT64},  {"<f2", NK_FLOAT16}, {"|b1", NK_BOOL},
    {"<f8", NK_FLOAT64}, {"<u2", NK_UINT16}, {"<u4", NK_UINT32},  {"<u8", NK_UINT64},
};

// The text after `'key':` in the header's Python dictionary.
std::string_view after_key(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  const size_t colon = header.find(':', at + key.size());
  if (colon == std::string_view::npos) return {};
  std::string_view rest = header.substr(colon + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

Result<Dims> parse_shape(std::string_view text, const std::string& name) {
  const size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    return bad_input("the .npy header has no shape", name);
  }
  Dims dims;
  const char* at = text.data() + 1;
  const char* last = text.data() + end;
  while (at < last) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at, last, value);
    if (error != std::errc() || value < 0) return bad_input("bad shape in the .npy header", name);
    dims.push_back(value);
    at = next;
  }
  return dims;
}

}  // namespace

Result<NpyArray> parse_npy(std::span<const std::byte> file, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.size() < 12 || !text.starts_with(kMagic)) return bad_input("not a .npy file", name);
  constexpr int kNewestVersion = 3;  // 2 and 3 have a longer header
  const int version = static_cast<uint8_t>(text[6]);
  if (version < 1 || version > kNewestVersion) {
    return bad_input(fmt::format(".npy of version {}.{}", version, static_cast<uint8_t>(text[7])),
                     name, "versions 1 to 3 are read: save it again with numpy.save");
  }
  const bool short_length = version == 1;
  const size_t at = short_length ? 10 : 12;
  size_t length =
      static_cast<uint8_t>(text[8]) | (static_cast<size_t>(static_cast<uint8_t>(text[9])) << 8);
  if (!short_length) {
    length |= static_cast<size_t>(static_cast<uint8_t>(text[10])) << 16;
    length |= static_cast<size_t>(static_cast<uint8_t>(text[11])) << 24;
  }
  if (length > text.size() - at) return bad_input("the .npy header is cut short", name);
  const std::string_view header = text.substr(at, length);
  if (after_key(header, "'fortran_order'").starts_with("True")) {
    return bad_input(".npy in Fortran order", name, "save it with numpy.ascontiguousarray");
  }
  NpyArray array;
  const std::string_view descr = after_key(header, "'descr'");
  for (const Descr& known : kDescrs) {
    if (descr.size() > 4 && descr.substr(1, 3) == known.text) array.type.dtype = known.dtype;
  }
  if (array.type.dtype == NK_DTYPE_NONE) {
    return bad_input(fmt::format(".npy of type {}", descr.substr(0, descr.find(','))), name,
                     "use a little-endian number type, as float32 or int8");
  }
  NK_ASSIGN(array.type.dims, parse_shape(after_key(header, "'shape'"), name));
  const auto bytes = byte_count(array.type.dtype, array.type.dims);
  if (!bytes) return bad_input("the .npy header is wrong: " + bytes.error().message, name);
  const size_t payload = text.size() - at - length;
  if (static_cast<size_t>(*bytes) != payload) {
    return bad_input(
        fmt::format("the .npy holds {} bytes of data, its shape needs {}", payload, *bytes), name);
  }
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at + length);
  array.data.assign(begin, file.end());
  return array;
}

Result<std::string> make_npy(const TensorType& type, std::span<const std::byte> data) {
  std::string_view descr;
  for (const Descr& known : kDescrs) {
    if (known.dtype == type.dtype) descr = known.text;
  }
  if (descr.empty()) {
    return bad_input(fmt::format("{} has no .npy type", name_of(type.dtype)), {},
                     "write raw bytes to a .bin file");
  }
  std::string shape;
  for (const int64_t d : type.dims) shape += fmt::format("{}, ", d);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(data.data()), data.size());
  return out;
}

}  // namespace netkit::driver
