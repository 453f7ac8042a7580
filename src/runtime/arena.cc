// SPDX-License-Identifier: MIT
// The bump allocator.
#include "runtime/arena.h"

namespace netkit {

void* Arena::alloc(size_t bytes, size_t alignment) {
  if (!memory_ || alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  // The padding depends on the absolute address; it is below alignment, so nothing overflows.
  const uintptr_t at = reinterpret_cast<uintptr_t>(memory_) + used_;
  const size_t padding = static_cast<size_t>(-at & (alignment - 1));
  const size_t left = capacity_ - used_;
  if (padding > left || bytes > left - padding) return nullptr;
  void* block = memory_ + used_ + padding;
  used_ += padding + bytes;
  if (used_ > high_water_) high_water_ = used_;
  return block;
}

bool Arena::release(Mark mark) {
  if (mark.used > used_) return false;
  used_ = mark.used;
  return true;
}

}  // namespace netkit
