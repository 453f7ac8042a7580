// SPDX-License-Identifier: MIT
// The flat header names of the older interface, from the installed package.
#include <cstddef>
#include <cstdio>

#include "arena.hpp"
#include "tensor_factory.hpp"

int main() {
  alignas(std::max_align_t) static unsigned char memory[4096];
  Arena arena;
  arena.init(memory, sizeof memory);
  const Tensor tensor = TensorFactory::Create2D(arena, 2, 3);
  std::printf("%u elements\n", tensor.num_elements);
  return tensor.data == nullptr ? 1 : 0;
}
