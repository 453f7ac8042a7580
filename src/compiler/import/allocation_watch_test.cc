// SPDX-License-Identifier: MIT
// A file of its own, so that the compiler cannot pair the replaced operators with others.
#include "compiler/import/allocation_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

namespace {
std::atomic<size_t> largest = 0;
}

// Not inlined: GCC would see malloc paired with delete, or new with free, and warn.
#define NOT_INLINED __attribute__((noinline))

NOT_INLINED void* operator new(size_t size) {
  size_t seen = largest;
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  if (void* p = std::malloc(size != 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
NOT_INLINED void operator delete(void* p) noexcept { std::free(p); }
NOT_INLINED void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace netkit {

void watch_allocations() { largest = 0; }
size_t largest_allocation_bytes() { return largest; }

TEST(AllocationWatch, SeesVectors) {
  watch_allocations();
  const std::vector<char> v(123'456);
  EXPECT_EQ(largest_allocation_bytes(), v.size());
}

}  // namespace netkit
