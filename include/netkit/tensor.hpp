// SPDX-License-Identifier: MIT
// Tensor: elements, type and shape, over memory of anybody's. C++17 and newer.
#ifndef NETKIT_TENSOR_HPP
#define NETKIT_TENSOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "netkit.h"

namespace netkit {

enum class DataType : std::uint8_t { Float32, Int8, UInt8, Int16, Int32 };

inline constexpr std::uint32_t kMaxTensorRank = NK_MAX_TENSOR_RANK;

// Dense and row-major; stride in elements. MLP tensors are [rows, cols], images [h, w, c].
struct Tensor {
  void* data = nullptr;
  DataType type = DataType::Float32;
  std::uint32_t rank = 0;
  std::array<std::uint32_t, kMaxTensorRank> shape{};
  std::array<std::uint32_t, kMaxTensorRank> stride{};
  std::uint32_t num_elements = 0;
  std::uint32_t bytes = 0;
};

// The same tensor for the C interface, and back. DataType and nk_dtype_t count alike.
inline nk_tensor_t to_c(const Tensor& t) {
  nk_tensor_t out{};
  out.data = t.data;
  out.dtype = static_cast<nk_dtype_t>(t.type);
  out.rank = t.rank;
  for (std::uint32_t i = 0; i < kMaxTensorRank; ++i) {
    out.shape[i] = t.shape[i];
    out.stride[i] = t.stride[i];
  }
  out.num_elements = t.num_elements;
  out.bytes = t.bytes;
  return out;
}
inline Tensor from_c(const nk_tensor_t& t) {
  Tensor out;
  out.data = t.data;
  out.type = static_cast<DataType>(t.dtype);
  out.rank = t.rank;
  for (std::uint32_t i = 0; i < kMaxTensorRank; ++i) {
    out.shape[i] = t.shape[i];
    out.stride[i] = t.stride[i];
  }
  out.num_elements = t.num_elements;
  out.bytes = t.bytes;
  return out;
}
static_assert(static_cast<int>(DataType::Int32) == NK_DTYPE_INT32);

}  // namespace netkit

#endif
