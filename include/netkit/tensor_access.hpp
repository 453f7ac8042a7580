// SPDX-License-Identifier: MIT
// Typed access: nullptr where a tensor is of another type. C++17 and newer.
#ifndef NETKIT_TENSOR_ACCESS_HPP
#define NETKIT_TENSOR_ACCESS_HPP

#include "netkit/tensor.hpp"

namespace netkit {

inline float* tensor_data_f32(Tensor& t) {
  return t.type == DataType::Float32 ? static_cast<float*>(t.data) : nullptr;
}
inline const float* tensor_data_f32(const Tensor& t) {
  return t.type == DataType::Float32 ? static_cast<const float*>(t.data) : nullptr;
}
inline std::int8_t* tensor_data_i8(Tensor& t) {
  return t.type == DataType::Int8 ? static_cast<std::int8_t*>(t.data) : nullptr;
}
inline const std::int8_t* tensor_data_i8(const Tensor& t) {
  return t.type == DataType::Int8 ? static_cast<const std::int8_t*>(t.data) : nullptr;
}
inline std::int32_t* tensor_data_i32(Tensor& t) {
  return t.type == DataType::Int32 ? static_cast<std::int32_t*>(t.data) : nullptr;
}
inline const std::int32_t* tensor_data_i32(const Tensor& t) {
  return t.type == DataType::Int32 ? static_cast<const std::int32_t*>(t.data) : nullptr;
}
// Of the element in a tensor [h, w, c]; 0 where the tensor has another rank.
inline std::uint32_t index_nhwc(const Tensor& t, std::uint32_t h, std::uint32_t w,
                                std::uint32_t c) {
  return t.rank == 3 ? h * t.stride[0] + w * t.stride[1] + c * t.stride[2] : 0;
}

}  // namespace netkit

#endif
