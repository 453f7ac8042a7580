// SPDX-License-Identifier: MIT
// Tensors in and out of files and text, in the model's own dtype and layout.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/driver/io/numbers.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::driver {

// `[NAME=]WHAT` split at the first '='; name is empty where none is given.
struct InputSpec {
  std::string name, what;
};
InputSpec split_input(std::string_view text);

// The bytes of one input. `what` is a file (.npy, .csv, .bin or any other raw little-endian bytes)
// or a comma list of numbers. Text numbers are values of the dtype itself; with `real` they are
// real numbers and are quantised, as a float .npy for a quantised input always is. Name endings are
// read in either case. Errors (kInput): wrong count or size, an .npy whose shape differs when
// dimensions of 1 are dropped, and what io/numbers.h refuses; a .bin bool is 0 or 1.
Result<Bytes> read_input(const std::string& what, const TensorType& type, bool real,
                         const std::string& name);

// Element i as a double (exact for all dtypes but int64 beyond 2^53).
double element(std::span<const std::byte> bytes, nk_dtype dtype, size_t i);
// Element i as JSON: shortest text that reads back to the same value; NaN null, "Infinity".
std::string element_json(std::span<const std::byte> bytes, nk_dtype dtype, size_t i);

// .npy version 1.0 of a tensor; anything but .npy and .csv as a name ending gives raw bytes.
Result<std::string> encode_output(const std::string& path, const TensorType& type,
                                  std::span<const std::byte> bytes);

}  // namespace netkit::driver
