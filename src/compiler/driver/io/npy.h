// SPDX-License-Identifier: MIT
// NumPy's .npy container (format versions 1.0 to 3.0), C order, plain little-endian dtypes.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::driver {

struct NpyArray {
  TensorType type;
  Bytes data;
};

Result<NpyArray> parse_npy(std::span<const std::byte> file, const std::string& name);
Result<std::string> make_npy(const TensorType& type, std::span<const std::byte> data);

}  // namespace netkit::driver
