// SPDX-License-Identifier: MIT
// TensorFactory: tensors in an arena, views, printing. C++20 and newer.
#ifndef NETKIT_TENSOR_FACTORY_HPP
#define NETKIT_TENSOR_FACTORY_HPP

#include <span>

#include "netkit/arena.hpp"
#include "netkit/tensor.hpp"
#include "netkit/tensor_access.hpp"

namespace netkit::TensorFactory {

// Over `data`; a Tensor of rank 0 where rank is not 1 to 4, a size is missing or they overflow.
Tensor View(void* data, DataType type, std::uint32_t rank, std::span<const std::uint32_t> shape);

// float32, elements not set; null data where the arena is full.
inline Tensor CreateND(Arena& arena, std::uint32_t rank, std::span<const std::uint32_t> shape) {
  Tensor t = View(nullptr, DataType::Float32, rank, shape);
  if (t.rank != 0) t.data = arena.alloc(t.bytes, alignof(float));
  return t;
}
inline Tensor Create2D(Arena& arena, std::uint32_t rows, std::uint32_t cols) {
  const std::uint32_t shape[] = {rows, cols};
  return CreateND(arena, 2, shape);
}

inline Tensor ViewND(float* data, std::uint32_t rank, std::span<const std::uint32_t> shape) {
  return View(data, DataType::Float32, rank, shape);
}
inline Tensor View2D(float* data, std::uint32_t rows, std::uint32_t cols) {
  const std::uint32_t shape[] = {rows, cols};
  return View(data, DataType::Float32, 2, shape);
}
inline Tensor View2DInt8(std::int8_t* data, std::uint32_t rows, std::uint32_t cols) {
  const std::uint32_t shape[] = {rows, cols};
  return View(data, DataType::Int8, 2, shape);
}
inline Tensor View3DInt8(std::int8_t* data, std::uint32_t depth, std::uint32_t rows,
                         std::uint32_t cols) {
  const std::uint32_t shape[] = {depth, rows, cols};
  return View(data, DataType::Int8, 3, shape);
}
inline Tensor View1DInt32(std::int32_t* data, std::uint32_t length) {
  const std::uint32_t shape[] = {length};
  return View(data, DataType::Int32, 1, shape);
}

// The first elements of a float32 tensor; values beyond its end are left out.
inline void Fill(Tensor& t, std::span<const float> values) {
  float* to = tensor_data_f32(t);
  for (std::size_t i = 0; to != nullptr && i < values.size() && i < t.num_elements; ++i) {
    to[i] = values[i];
  }
}

#if defined(NETKIT_TARGET_CPU)
// On stdout. max_values 0: every element; else the first ones and the number of all.
void Print(const Tensor& t);
void PrintLabeled(const char* label, const Tensor& t, std::uint32_t max_values = 0);
#endif

}  // namespace netkit::TensorFactory

#endif
