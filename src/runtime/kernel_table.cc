// SPDX-License-Identifier: MIT
// The table of all kernels, derived from ops.inc at compile time.
#include "runtime/kernel_table.h"

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

constexpr auto kEntries = sorted_kernels<kRowCount>(kRows);
static_assert(is_sorted(kEntries.data(), kRowCount),
              "two kernel symbols have the same id: rename one");

}  // namespace

KernelTable all_kernels() { return {kEntries.data(), kRowCount}; }

}  // namespace netkit
