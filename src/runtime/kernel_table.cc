// SPDX-License-Identifier: MIT
// The table of all kernels, derived from ops.inc at compile time.
#include "runtime/kernel_table.h"

#include <array>

#include "runtime/kernel_rows.h"

namespace netkit {
namespace {

// A kernel may stand in rows of several operators; it has one entry.
constexpr bool is_repeat(const nk_kernel_entry& a, const nk_kernel_entry& b) {
  return a.id == b.id && a.run == b.run && a.params_bytes == b.params_bytes &&
         a.in_elem == b.in_elem && a.out_elem == b.out_elem && a.fit == b.fit;
}

constexpr auto kSorted = sorted_kernels<kKernelRowCount>(kKernelRows);

constexpr size_t distinct_count() {
  size_t count = kKernelRowCount == 0 ? 0 : 1;
  for (size_t i = 1; i < kKernelRowCount; ++i) {
    count += is_repeat(kSorted[i - 1], kSorted[i]) ? 0 : 1;
  }
  return count;
}

constexpr std::array<nk_kernel_entry, distinct_count()> distinct_entries() {
  std::array<nk_kernel_entry, distinct_count()> out{};
  size_t count = 0;
  for (size_t i = 0; i < kKernelRowCount; ++i) {
    if (i == 0 || !is_repeat(kSorted[i - 1], kSorted[i])) out[count++] = kSorted[i];
  }
  return out;
}

constexpr auto kEntries = distinct_entries();
static_assert(is_sorted(kEntries.data(), kEntries.size()),
              "two kernel symbols have the same id, or rows of one differ");

}  // namespace

KernelTable all_kernels() { return {kEntries.data(), kEntries.size()}; }

}  // namespace netkit
