// SPDX-License-Identifier: MIT
// What stands in an nk_arena_t.
#pragma once

#include "netkit.h"
#include "runtime/arena.h"

namespace netkit {

struct ArenaState {
  Arena arena;
  uint64_t mark = 0;  // nk_arena_init has filled the storage; chance is 2^-64
};
static_assert(sizeof(ArenaState) <= sizeof(nk_arena_t));
static_assert(alignof(ArenaState) <= alignof(nk_arena_t));

// nullptr: never initialised.
ArenaState* state_of(nk_arena_t* arena);
const ArenaState* state_of(const nk_arena_t* arena);

// The arena of a handle; nullptr as state_of.
inline Arena* arena_of(nk_arena_t* arena) {
  ArenaState* state = state_of(arena);
  return state == nullptr ? nullptr : &state->arena;
}

// An empty arena in the storage, whatever that held.
Arena& make_arena(nk_arena_t* arena);

}  // namespace netkit
