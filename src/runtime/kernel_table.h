// SPDX-License-Identifier: MIT
// Kernel tables: from the id that a step states to the function and the size of its parameters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netkit.h"

namespace netkit {

// A table sorted by id, without equal ids; the entries stay the owner's (flash).
struct KernelTable {
  const nk_kernel_entry* entries = nullptr;
  uint32_t count = 0;
};

// Every kernel row that this library was built with (ops.inc). In an object file of its own: a
// program that brings its own table links none of them.
KernelTable all_kernels();

// nullptr: not in the table. Binary search.
const nk_kernel_entry* find_entry(KernelTable table, uint32_t id);

// Sorted and without equal ids?
constexpr bool is_sorted(const nk_kernel_entry* entries, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    if (entries[i - 1].id >= entries[i].id) return false;
  }
  return true;
}

}  // namespace netkit
