// SPDX-License-Identifier: MIT
// What stands in an nk_arena_t.
#pragma once

#include "netkit.h"
#include "runtime/arena.h"

namespace netkit {

struct ArenaState {
  Arena arena;
  uint64_t mark = 0;  // nk_arena_init has filled the storage; chance is 2^-64
  // The storage that took what the arena owns; another place holds a copy, which owns nothing.
  const ArenaState* home = nullptr;
};
static_assert(sizeof(ArenaState) <= sizeof(nk_arena_t));
static_assert(alignof(ArenaState) <= alignof(nk_arena_t));

// nullptr: never initialised.
ArenaState* state_of(nk_arena_t* arena);
const ArenaState* state_of(const nk_arena_t* arena);

// The arena of a handle, for what it will own or release; nullptr as state_of. In a copy of the
// struct it first forgets what the original owns.
inline Arena* arena_of(nk_arena_t* arena) {
  ArenaState* state = state_of(arena);
  if (state == nullptr) return nullptr;
  if (state->home != state) state->arena.disown();
  state->home = state;
  return &state->arena;
}

// The arena that stands in the storage, for its next init, or a new one, whatever that held.
Arena& make_arena(nk_arena_t* arena);

}  // namespace netkit
