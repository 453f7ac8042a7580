/* SPDX-License-Identifier: MIT */
/* nk_arena_t: a bump pointer over one buffer (docs/arena.md). Single-threaded.
 * C99 to C23 and C++17. */
#ifndef NETKIT_C_ARENA_H
#define NETKIT_C_ARENA_H

#include "netkit/c/status.h"
#include "netkit/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Filled by nk_arena_init, before any other call; a copy is no second arena. */
typedef struct nk_arena_t {
  NK_MAX_ALIGNED unsigned char storage[128];
} nk_arena_t;
NK_STATIC_CHECK(arena_size, sizeof(nk_arena_t) == 128);

/* Binds a buffer of the caller's, of any alignment. The storage may hold anything before; what an
 * arena in it owned is released first: mapped files, constants of models, what
 * nk_arena_init_heap took. */
void nk_arena_init(nk_arena_t* arena, void* memory, size_t size);
/* O(1). A block whose absolute address is a multiple of `alignment`, or NULL with nothing changed:
 * it does not fit, or alignment is no power of two. */
void* nk_arena_alloc(nk_arena_t* arena, size_t size, size_t alignment);
/* Back to empty. Models loaded into the arena are gone, their mapped files are released. */
void nk_arena_reset(nk_arena_t* arena);
size_t nk_arena_capacity(const nk_arena_t* arena);
size_t nk_arena_used(const nk_arena_t* arena);
size_t nk_arena_remaining(const nk_arena_t* arena);

#ifdef NETKIT_ARENA_HEAP
/* One allocation of `capacity` bytes behind the arena, or NK_ERR_ARENA_OVERFLOW. First it releases
 * as nk_arena_init does. */
nk_status_t nk_arena_init_heap(nk_arena_t* arena, size_t capacity);
/* Resets and frees it; does nothing on an arena over a caller's buffer. */
void nk_arena_destroy_heap(nk_arena_t* arena);
#endif

#ifdef __cplusplus
}
#endif

#endif
