/* SPDX-License-Identifier: MIT */
/* nk_arena_t: every function, every init after every other, and the page's own lines. */
#include <string.h>

#include "calls.h"

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ >= 201112L
/* As the older page on arenas writes it, to the letter. */
void check_page(void) {
alignas(max_align_t) static unsigned char memory[NK_ARENA_DEFAULT_CAPACITY];
nk_arena_t arena;
nk_arena_init(&arena, memory, sizeof(memory));
void* block = nk_arena_alloc(&arena, 1024, alignof(float));
nk_arena_reset(&arena);
  CHECK(block == (void*)memory);
}
#else
void check_page(void) {}
#endif

#define ARENA_BYTES 4096u
static unsigned char memory[ARENA_BYTES + 3];

/* What is done to a copy of the struct releases nothing of the original's; a sanitizer, or the heap
 * itself, would tell a block that is freed twice. */
static void check_copies(void) {
  nk_arena_t heap, copy;
  nk_mlp_t mlp, other;
  CHECK(nk_arena_init_heap(&heap, 4096) == NK_OK);
  CHECK(nk_mlp_create(&heap, 1, &mlp) == NK_OK);
  copy = heap;
  nk_arena_reset(&copy);
  copy = heap;
  nk_arena_destroy_heap(&copy);
  CHECK(nk_arena_capacity(&copy) == 4096 && nk_arena_used(&copy) == 0);
  copy = heap;
  nk_arena_init(&copy, memory, 64);
  copy = heap; /* owns what is made in it from here on */
  CHECK(nk_mlp_create(&copy, 1, &other) == NK_OK && nk_mlp_is_valid(&other));
  nk_arena_reset(&copy);
  CHECK(!nk_mlp_is_valid(&other) && nk_mlp_is_valid(&mlp));
  nk_arena_destroy_heap(&heap);
  CHECK(!nk_mlp_is_valid(&mlp));
}

void check_arena(void) {
  nk_arena_t arena, heap;
  void* block;
  memset(memory, 0xA5, sizeof memory);
  nk_arena_init(&arena, memory + 3, ARENA_BYTES);
  CHECK(nk_arena_capacity(&arena) == ARENA_BYTES && nk_arena_used(&arena) == 0);
  block = nk_arena_alloc(&arena, 10, 64);
  CHECK(block != NULL && (size_t)block % 64 == 0);
  CHECK(nk_arena_used(&arena) + nk_arena_remaining(&arena) == ARENA_BYTES);
  block = nk_arena_alloc(&arena, 1, 3); /* no power of two */
  CHECK(block == NULL);
  CHECK(nk_arena_alloc(&arena, ARENA_BYTES, 1) == NULL);
  nk_arena_reset(&arena);
  CHECK(nk_arena_used(&arena) == 0);
  CHECK(nk_arena_init_heap(&heap, 4096) == NK_OK);
  CHECK(nk_arena_alloc(&heap, 4096, 1) != NULL);
  nk_arena_destroy_heap(&heap);
  CHECK(nk_arena_capacity(&heap) == 0);
  nk_arena_destroy_heap(&heap);
  /* Each init releases what the one before took: under LeakSanitizer nothing is left. */
  CHECK(nk_arena_init_heap(&heap, 4096) == NK_OK && nk_arena_init_heap(&heap, 8192) == NK_OK);
  CHECK(nk_arena_capacity(&heap) == 8192);
  nk_arena_init(&heap, memory, 64);
  nk_arena_destroy_heap(&heap);
  CHECK(nk_arena_capacity(&heap) == 64);
  check_copies();
}
