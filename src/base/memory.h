// SPDX-License-Identifier: MIT
// Blocks of memory against each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netkit {

// Is there a byte that both hold? Empty blocks hold none.
inline bool share_bytes(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const auto first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
  if (a_bytes == 0 || b_bytes == 0) return false;
  return first <= second ? second - first < a_bytes : first - second < b_bytes;
}

}  // namespace netkit
