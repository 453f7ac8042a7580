// SPDX-License-Identifier: MIT
// Shapes, quantisation and constants: the vocabulary of foreign and canonical graphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"
#include "compiler/ir/const_data.h"

namespace netkit {

using Dims = std::vector<int64_t>;  // {} is a scalar; every value >= 0 in a canonical graph

// Affine quantisation: real = scale * (q - zero_point). One scale: per tensor; several: per slice
// along `axis`. Empty scale: not quantised.
struct Quant {
  std::vector<float> scale;
  std::vector<int64_t> zero_point;  // as many as scale
  int axis = 0;                     // used where scale.size() > 1

  bool empty() const { return scale.empty(); }
  bool operator==(const Quant&) const = default;
};

struct TensorType {
  nk_dtype dtype = NK_DTYPE_NONE;
  Dims dims;
  Quant quant;

  bool operator==(const TensorType&) const = default;
};

// What the values of a float32 constant were dequantised from.
struct Dequantised {
  TensorType type;
  ConstData data;
};

int bits_of(nk_dtype dtype);
std::string_view name_of(nk_dtype dtype);                // "int8"
nk_dtype dtype_from_name(std::string_view name);         // NK_DTYPE_NONE when unknown
bool is_float(nk_dtype dtype);

// Product of dims, or an error when it does not fit into int64. A scalar has 1 element.
Result<int64_t> element_count(std::span<const int64_t> dims);
// Bytes of a dense tensor (int4: two to a byte, rounded up), or an error on overflow or above 2^40.
Result<int64_t> byte_count(nk_dtype dtype, std::span<const int64_t> dims);
std::string dims_text(std::span<const int64_t> dims);    // "1x28x28x1", "scalar"
// "int8[1x28x28x1] q(0.0039,-128)"; per channel "q(0.5 0.25,0,axis 3)", and "q(64 scales,axis 3)"
// where there are more than max_scales.
std::string type_text(const TensorType& type, size_t max_scales = 4);

}  // namespace netkit
