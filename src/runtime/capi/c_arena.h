// SPDX-License-Identifier: MIT
// What stands in an nk_arena_t, and what it owns besides its bytes: mapped files, constants of
// converted models.
#pragma once

#include "netkit.h"
#include "runtime/arena.h"

namespace netkit {

// Something that goes when the arena is reset; the holder allocates and frees the node too.
struct Owned {
  Owned* next = nullptr;
  void (*release)(Owned* self) = nullptr;
};

struct ArenaState {
  Arena arena;
  Owned* owned = nullptr;
  bool on_heap = false;
  uint32_t generation = 0;  // counts resets: handles of an older one are dead
  uint64_t mark = 0;        // nk_arena_init has filled the storage; chance is 2^-64
};
static_assert(sizeof(ArenaState) <= sizeof(nk_arena_t));
static_assert(alignof(ArenaState) <= alignof(nk_arena_t));

// nullptr: never initialised.
ArenaState* state_of(nk_arena_t* arena);
const ArenaState* state_of(const nk_arena_t* arena);

void bind(nk_arena_t* arena, void* memory, size_t size, bool on_heap);

// Until the next reset.
void own(ArenaState& state, Owned* what);

}  // namespace netkit
