// SPDX-License-Identifier: MIT
// Binary pictures of one byte per sample: PGM and PPM (Netpbm, P5 and P6), and IDX, the format of
// the MNIST files (http://yann.lecun.com/exdb/mnist).
#pragma once

#include <string>

#include "base/result.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::driver {

struct Picture {
  int64_t height = 0, width = 0, channels = 0;
  Bytes bytes;  // rows of pixels, channels inside
};
bool is_picture(std::span<const std::byte> file);
// Greatest value 255 only.
Result<Picture> parse_picture(std::span<const std::byte> file, const std::string& where);

struct Idx {
  Dims dims;
  Bytes bytes;
};
// By the first four bytes (0, 0, 8, number of axes) and the name's end.
bool is_idx(std::span<const std::byte> file, const std::string& path);
Result<Idx> parse_idx(std::span<const std::byte> file, const std::string& where);

}  // namespace netkit::driver
