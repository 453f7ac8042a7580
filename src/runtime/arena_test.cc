// SPDX-License-Identifier: MIT
#include "runtime/arena.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <vector>

#include "netkit.h"
#include "netkit/arena_util.hpp"

namespace netkit {
namespace {

struct Memory {
  Memory() { std::memset(bytes, 0xA5, sizeof bytes); }
  alignas(64) uint8_t bytes[256];
};

bool is_at(const void* p, size_t alignment) {
  return reinterpret_cast<uintptr_t>(p) % alignment == 0;
}

TEST(Arena, AlignsAbsolutely) {
  Memory memory;
  for (size_t shift = 0; shift < 16; ++shift) {
    Arena arena(memory.bytes + shift, 200);
    for (const size_t alignment : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
      void* block = arena.alloc(3, alignment);
      ASSERT_NE(block, nullptr);
      EXPECT_TRUE(is_at(block, alignment));
    }
  }
}

TEST(Arena, OverflowChangesNothing) {
  Memory memory;
  Arena arena(memory.bytes, 32);
  ASSERT_NE(arena.alloc(20, 1), nullptr);
  EXPECT_EQ(arena.alloc(13, 1), nullptr);
  EXPECT_EQ(arena.alloc(12, 16), nullptr);
  EXPECT_EQ(arena.alloc(SIZE_MAX, 16), nullptr);
  EXPECT_EQ(arena.alloc(SIZE_MAX - 8, 1), nullptr);
  EXPECT_EQ(arena.offset, 20u);
  EXPECT_EQ(arena.high_water(), 20u);
  EXPECT_NE(arena.alloc(12, 4), nullptr);
  EXPECT_EQ(arena.remaining(), 0u);
  EXPECT_NE(arena.alloc(0, 1), nullptr);
  EXPECT_EQ(arena.alloc(1, 1), nullptr);
}

TEST(Arena, AlignmentMustBeAPowerOfTwo) {
  Memory memory;
  Arena arena(memory.bytes, 64);
  for (const size_t alignment : {0u, 3u, 12u}) EXPECT_EQ(arena.alloc(1, alignment), nullptr);
  EXPECT_EQ(arena.alloc(1, size_t{1} << (8 * sizeof(size_t) - 1)), nullptr);
  EXPECT_EQ(arena.offset, 0u);
}

TEST(Arena, MarksAndHighWater) {
  Memory memory;
  Arena arena(memory.bytes, 64);
  const void* first = arena.alloc(8, 8);
  const Arena::Mark mark = arena.mark();
  {
    const ArenaScope scope(arena);
    ASSERT_NE(arena.alloc(40, 8), nullptr);
  }
  EXPECT_EQ(arena.offset, 8u);
  EXPECT_EQ(arena.high_water(), 48u);
  ASSERT_NE(arena.alloc(16, 8), nullptr);
  const Arena::Mark later = arena.mark();
  EXPECT_TRUE(arena.release(mark));
  EXPECT_FALSE(arena.release(later));
  EXPECT_EQ(arena.offset, 8u);
  arena.reset();
  EXPECT_EQ(arena.alloc(8, 8), first);
  arena.reset_high_water();
  EXPECT_EQ(arena.high_water(), 8u);
}

struct Thing : ArenaOwned {
  explicit Thing(int& count) : released(count) {
    release = [](ArenaOwned* self) { ++static_cast<Thing*>(self)->released; };
  }
  int& released;
};

TEST(Arena, ResetAndInitReleaseWhatItOwns) {
  Memory memory;
  int released = 0;
  Thing a(released), b(released), c(released);
  Arena arena;
  arena.init(memory.bytes, sizeof memory.bytes);
  const uint32_t before = arena.generation();
  ASSERT_NE(arena.alloc(10, 1), nullptr);
  arena.own(&a);
  arena.own(&b);
  arena.reset();
  EXPECT_EQ(released, 2);
  EXPECT_TRUE(arena.is_intact());
  EXPECT_EQ(arena.offset, 0u);
  EXPECT_NE(arena.generation(), before);
  arena.own(&c);
  arena.init(memory.bytes, 16);
  EXPECT_EQ(released, 3);
  EXPECT_EQ(arena.capacity, 16u);
  EXPECT_EQ(arena.high_water(), 0u);
}

// Of the heap, in blocks of kBlock: larger than what free keeps as it was.
constexpr size_t kBlock = size_t{4} << 20;
size_t blocks_held() {
  const auto info = mallinfo2();
  return (info.uordblks + info.hblkhd) / kBlock;
}
// How many more one block is: 0 under a sanitizer, which counts nothing and finds leaks itself.
size_t counts_as() {
  const size_t before = blocks_held();
  const std::vector<char> block(kBlock);
  return blocks_held() - before;
}

TEST(Arena, EveryInitReleasesTheHeapOfTheOneBefore) {
  Memory memory;
  const size_t before = blocks_held(), one = counts_as();
  {
    Arena arena;
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(arena.init_heap(kBlock));
      EXPECT_EQ(blocks_held(), before + one);
      arena.init(memory.bytes, sizeof memory.bytes);
      EXPECT_EQ(blocks_held(), before);
      ASSERT_TRUE(ArenaUtil::Init(arena, kBlock));
    }
  }
  EXPECT_EQ(blocks_held(), before);
}

// The C face: storage that holds an arena, storage that holds anything, a copy.
TEST(Arena, InitOfTheCHandleReleasesToo) {
  Memory memory;
  const size_t before = blocks_held(), one = counts_as();
  nk_arena_t arena, copy;
  std::memset(&arena, 0xA5, sizeof arena);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(nk_arena_init_heap(&arena, kBlock), NK_OK);
    EXPECT_EQ(blocks_held(), before + one);
    copy = arena;
    nk_arena_init(&copy, memory.bytes, 64);  // owns nothing: the block is still the first one's
    EXPECT_EQ(blocks_held(), before + one);
    nk_arena_init(&arena, memory.bytes, 64);
    EXPECT_EQ(blocks_held(), before);
  }
  // What was an arena and is written over owns nothing either: base, owned nodes, mapped file.
  ASSERT_EQ(nk_arena_init_heap(&arena, kBlock), NK_OK);
  copy = arena;
  for (const size_t word : {0u, 4u, 5u}) {
    arena = copy;
    arena.storage[word * sizeof(void*)] ^= 0x5A;
    nk_arena_init(&arena, memory.bytes, 64);
    EXPECT_EQ(nk_arena_capacity(&arena), 64u);
    EXPECT_EQ(blocks_held(), before + one);
  }
  arena = copy;
  nk_arena_destroy_heap(&arena);
  EXPECT_EQ(blocks_held(), before);
}

TEST(Arena, TheHeapBehindIt) {
  EXPECT_EQ(Arena::kDefaultCapacity, size_t{64} << 20);
  Arena arena;
  EXPECT_FALSE(arena.init_heap(0));
  ASSERT_TRUE(arena.init_heap(1000));
  ASSERT_TRUE(arena.init_heap(2000));  // the first block is freed
  EXPECT_NE(arena.alloc(2000, 1), nullptr);
  arena.destroy_heap();
  EXPECT_EQ(arena.capacity, 0u);
  EXPECT_EQ(arena.alloc(1, 1), nullptr);
  Memory memory;
  arena.init(memory.bytes, 64);
  arena.destroy_heap();  // a caller's buffer stays
  EXPECT_EQ(arena.capacity, 64u);
}

TEST(Arena, UtilTakesWhatTheClassAllows) {
  Memory memory;
  Arena arena;
  EXPECT_TRUE(ArenaUtil::Init(arena, 128, memory.bytes));
  EXPECT_EQ(arena.base, reinterpret_cast<std::byte*>(memory.bytes));
  ArenaUtil::Release(arena);
  {
    const ArenaUtil::Scoped scoped(arena, 4096);
    EXPECT_TRUE(scoped.ok());
    EXPECT_EQ(arena.remaining(), 4096u);
  }
  EXPECT_EQ(arena.capacity, 0u);
  EXPECT_EQ(ArenaUtil::CapacityForModel(1, true, 2, 3), Arena::kDefaultCapacity);
}

TEST(Arena, WithoutMemoryGivesNothing) {
  Arena arena(nullptr, 100);
  EXPECT_EQ(arena.capacity, 0u);
  EXPECT_EQ(arena.alloc(0, 1), nullptr);
  EXPECT_EQ(Arena().alloc(1, 1), nullptr);
}

}  // namespace
}  // namespace netkit
