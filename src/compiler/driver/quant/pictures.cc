// SPDX-License-Identifier: MIT
#include "compiler/driver/quant/pictures.h"

#include <fmt/format.h>

#include <cctype>

namespace netkit::driver {
namespace {

constexpr int64_t kMaxSide = 1 << 16;

uint8_t at(std::span<const std::byte> file, size_t i) {
  return static_cast<uint8_t>(file[i]);
}

// The next number of a Netpbm header; blanks and comments before it are passed over. -1: none.
int64_t next_number(std::span<const std::byte> file, size_t& i) {
  while (i < file.size()) {
    if (at(file, i) == '#') {
      while (i < file.size() && at(file, i) != '\n') ++i;
    } else if (std::isspace(at(file, i)) == 0) {
      break;
    } else {
      ++i;
    }
  }
  int64_t value = -1;
  for (; i < file.size() && std::isdigit(at(file, i)) != 0; ++i) {
    value = (value < 0 ? 0 : value) * 10 + (at(file, i) - '0');
    if (value > kMaxSide) return -1;
  }
  return value;
}

}  // namespace

bool is_picture(std::span<const std::byte> file) {
  return file.size() > 2 && at(file, 0) == 'P' && (at(file, 1) == '5' || at(file, 1) == '6') &&
         std::isspace(at(file, 2)) != 0;
}

Result<Picture> parse_picture(std::span<const std::byte> file, const std::string& where) {
  Picture picture;
  picture.channels = at(file, 1) == '5' ? 1 : 3;
  size_t i = 2;
  picture.width = next_number(file, i);
  picture.height = next_number(file, i);
  const int64_t greatest = next_number(file, i);
  if (picture.width < 1 || picture.height < 1 || greatest != 255) {
    return bad_input("not a PGM or PPM picture of 8 bits", where,
                     "write it with a greatest value of 255");
  }
  const auto wanted = static_cast<size_t>(picture.width * picture.height * picture.channels);
  if (i >= file.size() || file.size() - i - 1 != wanted) {
    return bad_input(
        fmt::format("a picture of {}x{} with {} channels has {} bytes behind its header",
                    picture.height, picture.width, picture.channels, wanted),
        where, "the file is cut short or holds more");
  }
  picture.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(i + 1), file.end());
  return picture;
}

bool is_idx(std::span<const std::byte> file, const std::string& path) {
  const bool named = path.ends_with("-ubyte") || path.ends_with(".idx");
  return named && file.size() >= 4 && at(file, 0) == 0 && at(file, 1) == 0;
}

Result<Idx> parse_idx(std::span<const std::byte> file, const std::string& where) {
  const size_t axes = at(file, 3);
  if (at(file, 2) != 8 || axes == 0 || axes > 4 || file.size() < 4 + 4 * axes) {
    return bad_input("not an IDX file of unsigned bytes with 1 to 4 axes", where);
  }
  Idx idx;
  for (size_t a = 0; a < axes; ++a) {
    int64_t size = 0;
    for (size_t b = 0; b < 4; ++b) size = size * 256 + at(file, 4 + 4 * a + b);
    idx.dims.push_back(size);
  }
  NK_ASSIGN(const int64_t wanted, byte_count(NK_UINT8, idx.dims));
  const size_t begin = 4 + 4 * axes;
  if (file.size() - begin != static_cast<size_t>(wanted)) {
    return bad_input(fmt::format("the IDX file holds {} bytes of data, its sizes need {}",
                                 file.size() - begin, wanted),
                     where);
  }
  idx.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(begin), file.end());
  return idx;
}

}  // namespace netkit::driver
