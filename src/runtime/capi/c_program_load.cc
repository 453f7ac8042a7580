// SPDX-License-Identifier: MIT
// nk_program_load: the only call that links every kernel of the library.
#include "netkit.h"
#include "runtime/kernel_table.h"

extern "C" nk_status_t nk_program_load(nk_program_t* program, const void* file, size_t file_bytes,
                                       void* arena, size_t arena_bytes) {
  const netkit::KernelTable all = netkit::all_kernels();
  return nk_program_load_with(program, file, file_bytes, arena, arena_bytes, all.entries,
                              all.count, NK_CHECK_STRUCTURE);
}
