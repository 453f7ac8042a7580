// SPDX-License-Identifier: MIT
// Constants as numbers: what lowerings, folding and passes read from and write to constant bytes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/graph.h"

namespace netkit {

// Row-major values of a constant of integer or bool type (stored values, quantisation not applied);
// nullopt for activations, other types, constants whose bytes do not match their type, and more
// than 64 MiB of one repeated element.
std::optional<std::vector<int64_t>> ints_of(const Tensor& tensor);

// Row-major values of a float16, float32 or float64 constant; nullopt as above.
std::optional<std::vector<double>> floats_of(const Tensor& tensor);

// Little-endian bytes of `values` as `dtype`, rounded to nearest for float32. Supported: float32,
// float64, int8, int16, int32, int64, uint8, bool; values must be in range. Else nullptr.
ConstData constant_floats(nk_dtype dtype, std::span<const double> values);
ConstData constant_ints(nk_dtype dtype, std::span<const int64_t> values);

// IEEE 754 binary16 bits to the float of equal value.
float half_to_float(uint16_t bits);

}  // namespace netkit
