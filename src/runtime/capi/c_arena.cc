// SPDX-License-Identifier: MIT
// nk_arena_t: the C face of Arena.
#include "runtime/capi/c_arena.h"

#include <new>

namespace netkit {
namespace {

constexpr uint64_t kMark = 0x6b72a1c35e0d94f7u;

}  // namespace

ArenaState* state_of(nk_arena_t* arena) {
  auto* state = reinterpret_cast<ArenaState*>(arena ? arena->storage : nullptr);
  return state && state->mark == kMark ? state : nullptr;
}

const ArenaState* state_of(const nk_arena_t* arena) {
  return state_of(const_cast<nk_arena_t*>(arena));
}

Arena& make_arena(nk_arena_t* arena) {
  ArenaState* state = state_of(arena);
  if (state != nullptr && state->home == state && state->arena.is_intact()) return state->arena;
  state = ::new (static_cast<void*>(arena->storage)) ArenaState;
  state->mark = kMark;
  state->home = state;
  return state->arena;
}

}  // namespace netkit

using netkit::ArenaState;

extern "C" {

void nk_arena_init(nk_arena_t* arena, void* memory, size_t size) {
  if (arena) netkit::make_arena(arena).init(memory, size);
}

void* nk_arena_alloc(nk_arena_t* arena, size_t size, size_t alignment) {
  ArenaState* state = netkit::state_of(arena);
  return state ? state->arena.alloc(size, alignment) : nullptr;
}

void nk_arena_reset(nk_arena_t* arena) {
  if (netkit::Arena* own = netkit::arena_of(arena)) own->reset();
}

size_t nk_arena_capacity(const nk_arena_t* arena) {
  const ArenaState* state = netkit::state_of(arena);
  return state ? state->arena.capacity : 0;
}

size_t nk_arena_used(const nk_arena_t* arena) {
  const ArenaState* state = netkit::state_of(arena);
  return state ? state->arena.offset : 0;
}

size_t nk_arena_remaining(const nk_arena_t* arena) {
  const ArenaState* state = netkit::state_of(arena);
  return state ? state->arena.remaining() : 0;
}

}  // extern "C"
