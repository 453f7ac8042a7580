// SPDX-License-Identifier: MIT
// Look-up in a kernel table. Apart from the table of all kernels, so that it does not pull it in.
#include "runtime/kernel_table.h"

namespace netkit {

const nk_kernel_entry* find_entry(KernelTable table, uint32_t id) {
  uint32_t low = 0, high = table.count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (table.entries[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < table.count && table.entries[low].id == id ? &table.entries[low] : nullptr;
}

}  // namespace netkit
