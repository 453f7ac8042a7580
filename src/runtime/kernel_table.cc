// SPDX-License-Identifier: MIT
// The table of all kernels, derived from ops.inc at compile time.
#include "runtime/kernel_table.h"

#include <array>
#include <iterator>

#include "netkit/kernels.hpp"
#include "ops/common/kernel.h"

// First pass, at file scope: headers and kernels.
#define NK_KERNEL(op, symbol, arch, signature, layout, predicate, modes) \
  NK_EXTERN_C_BEGIN NK_DECLARE_KERNEL(symbol); NK_EXTERN_C_END
#include "ops/ops.inc"

namespace netkit {
namespace {

constexpr nk_kernel_entry kRows[] = {
#define NK_KERNEL(op, symbol, arch, signature, layout, predicate, modes) \
  {kernel_id(#symbol), sizeof(nk_##op##_params), symbol},
#include "ops/ops.inc"
    {0, 0, nullptr}};
constexpr size_t kRowCount = std::size(kRows) - 1;

// A kernel may stand in rows of several operators; it has one entry.
constexpr bool is_repeat(const nk_kernel_entry& a, const nk_kernel_entry& b) {
  return a.id == b.id && a.run == b.run && a.params_bytes == b.params_bytes;
}

constexpr auto kSorted = sorted_kernels<kRowCount>(kRows);

constexpr size_t distinct_count() {
  size_t count = kRowCount == 0 ? 0 : 1;
  for (size_t i = 1; i < kRowCount; ++i) count += is_repeat(kSorted[i - 1], kSorted[i]) ? 0 : 1;
  return count;
}

constexpr std::array<nk_kernel_entry, distinct_count()> distinct_entries() {
  std::array<nk_kernel_entry, distinct_count()> out{};
  size_t count = 0;
  for (size_t i = 0; i < kRowCount; ++i) {
    if (i == 0 || !is_repeat(kSorted[i - 1], kSorted[i])) out[count++] = kSorted[i];
  }
  return out;
}

constexpr auto kEntries = distinct_entries();
static_assert(is_sorted(kEntries.data(), kEntries.size()),
              "two kernel symbols have the same id: rename one");

}  // namespace

KernelTable all_kernels() { return {kEntries.data(), kEntries.size()}; }

}  // namespace netkit
