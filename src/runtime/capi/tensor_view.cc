// SPDX-License-Identifier: MIT
// TensorFactory::View: the one place where shapes of tensors of the C++ face are checked.
#include "netkit/tensor_factory.hpp"

namespace netkit::TensorFactory {

Tensor View(void* data, DataType type, std::uint32_t rank, std::span<const std::uint32_t> shape) {
  Tensor t;
  if (rank < 1 || rank > kMaxTensorRank || shape.size() < rank) return t;
  constexpr std::uint32_t kWidths[] = {4, 1, 1, 2, 4};
  std::uint64_t elements = 1;
  for (std::uint32_t i = 0; i < rank; ++i) {
    elements *= shape[i];
    if (elements > UINT32_MAX) return t;
  }
  const std::uint64_t bytes = elements * kWidths[static_cast<std::size_t>(type)];
  if (bytes > UINT32_MAX) return t;
  t.data = data;
  t.type = type;
  t.rank = rank;
  t.shape.fill(1);
  std::uint32_t stride = 1;
  for (std::uint32_t i = rank; i-- > 0; stride *= shape[i]) {
    t.shape[i] = shape[i];
    t.stride[i] = stride;
  }
  t.num_elements = static_cast<std::uint32_t>(elements);
  t.bytes = static_cast<std::uint32_t>(bytes);
  return t;
}

}  // namespace netkit::TensorFactory
