// SPDX-License-Identifier: MIT
// Arenas over one allocation of the heap's.
#include "runtime/capi/c_arena.h"
#include "runtime/capi/last_error.h"

extern "C" {

nk_status_t nk_arena_init_heap(nk_arena_t* arena, size_t capacity) {
  if (!arena) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_arena_init_heap: no arena");
  if (netkit::make_arena(arena).init_heap(capacity)) return NK_OK;
  return netkit::refuse(NK_ERR_ARENA_OVERFLOW, "nk_arena_init_heap: no memory of that size");
}

void nk_arena_destroy_heap(nk_arena_t* arena) {
  if (netkit::Arena* own = netkit::arena_of(arena)) own->destroy_heap();
}

}  // extern "C"
