// SPDX-License-Identifier: MIT
// What an arena can only do above an operating system: the heap behind it, mapped files.
#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include <cstdlib>

#include "netkit/arena.hpp"

namespace netkit {

#ifdef NETKIT_ARENA_HEAP
bool Arena::init_heap(std::size_t size) {
  release_all();
  void* memory = size != 0 ? std::malloc(size) : nullptr;
  bind(memory, size);
  if (memory != nullptr) free_ = std::free;
  seal_ = seal();
  return memory != nullptr;
}

void Arena::destroy_heap() {
  reset();
#ifdef NETKIT_TARGET_CPU
  if (free_ != nullptr) init(nullptr, 0);
#endif
}
#endif

#ifdef NETKIT_USE_MMAP
void Arena::attach_mapped_file(const void* data, std::size_t size) {
  release_mapped_file();
  mapped_ = data;
  mapped_bytes_ = size;
  unmap_ = [](const void* mapped, std::size_t bytes) {
#ifdef _WIN32
    (void)bytes;
    UnmapViewOfFile(mapped);
#else
    munmap(const_cast<void*>(mapped), bytes);
#endif
  };
  seal_ = seal();
}
#endif

}  // namespace netkit
