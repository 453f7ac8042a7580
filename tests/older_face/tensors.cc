// SPDX-License-Identifier: MIT
// Arenas with a heap and mapped files, tensors and single operations: what the other tests of the
// flat names do not call. Built with -Iinclude/compat.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cmath>
#include <cstring>

#include "arena_util.hpp"
#include "netkit_config.h"
#include "ops.hpp"
#include "tensor_access.hpp"
#include "tensor_factory.hpp"

namespace {

// What the C interface does with a copy of its struct.
TEST(Tensors, ACopyOfAnArenaThatDisownsReleasesNothing) {
  Arena arena;
  ASSERT_TRUE(arena.init_heap(256));
  auto* bytes = static_cast<unsigned char*>(arena.alloc(16, 16));
  alignas(Arena) unsigned char storage[sizeof(Arena)];
  std::memcpy(storage, static_cast<const void*>(&arena), sizeof storage);
  auto* copy = reinterpret_cast<Arena*>(storage);
  copy->disown();
  copy->reset();
  std::memset(bytes, 1, 16);  // still the arena's
  EXPECT_TRUE(arena.is_intact());
}

TEST(Tensors, ArenasOfEveryKind) {
  {
    Arena arena;
    const ArenaUtil::Scoped scoped(arena, 4096);
    ASSERT_TRUE(scoped.ok());
    EXPECT_EQ(arena.capacity, 4096u);
    const Arena::Mark mark = arena.mark();
    EXPECT_NE(arena.alloc(100, 64), nullptr);
    EXPECT_TRUE(arena.release(mark));
    EXPECT_EQ(arena.offset, 0u);
    EXPECT_GE(arena.high_water(), 100u);
    arena.reset_high_water();
    EXPECT_EQ(arena.high_water(), 0u);
  }
  Arena arena;
  EXPECT_TRUE(arena.init_heap(64));
  const uint32_t generation = arena.generation();
  arena.destroy_heap();
  EXPECT_NE(arena.generation(), generation);
  EXPECT_EQ(arena.remaining(), 0u);
  alignas(16) unsigned char buffer[64];
  ASSERT_TRUE(ArenaUtil::Init(arena, sizeof buffer, buffer));
  ArenaUtil::Release(arena);
  EXPECT_EQ(ArenaUtil::CapacityForInputElements(10, true), Arena::kDefaultCapacity);
  EXPECT_EQ(ArenaUtil::CapacityForModel(10, true, 1, 1), Arena::kDefaultCapacity);
}

TEST(Tensors, AMappedFileGoesWithTheArena) {
  alignas(16) unsigned char buffer[64];
  Arena arena(buffer, sizeof buffer);
  const auto map = [] {
    return mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  arena.attach_mapped_file(map(), 4096);
  EXPECT_EQ(arena.remaining(), sizeof buffer);  // it takes no capacity
  arena.release_mapped_file();
  arena.attach_mapped_file(map(), 4096);
  arena.reset();
}

TEST(Tensors, FactoryAndAccess) {
  alignas(16) unsigned char buffer[1024];
  std::memset(buffer, 0xA5, sizeof buffer);
  Arena arena(buffer, sizeof buffer);
  const std::array<uint32_t, 3> shape = {2, 1, 3};
  Tensor t = TensorFactory::CreateND(arena, 3, shape);
  ASSERT_NE(t.data, nullptr);
  EXPECT_EQ(t.bytes, 24u);
  const std::array<float, 6> values = {1, 2, 3, 4, 5, 6};
  TensorFactory::Fill(t, values);
  TensorFactory::Print(t);
  TensorFactory::PrintLabeled("t", t, 2);
  EXPECT_EQ(tensor_data_f32(t)[index_nhwc(t, 1, 0, 2)], 6.0f);
  std::array<int32_t, 2> words = {7, 8};
  Tensor w = TensorFactory::View1DInt32(words.data(), 2);
  EXPECT_EQ(tensor_data_i32(w)[1], 8);
  EXPECT_EQ(tensor_data_i8(w), nullptr);
  const Tensor any = TensorFactory::View(words.data(), DataType::Int32, 3, shape);
  EXPECT_EQ(any.num_elements, 6u);
}

TEST(Tensors, OperationsAndTheirChecks) {
  std::array<float, 4> a = {-2, 0.5f, 3, 7}, b = {1, 2, 3, 4}, c{};
  const Tensor A = TensorFactory::View2D(a.data(), 2, 2), B = TensorFactory::View2D(b.data(), 2, 2);
  Tensor C = TensorFactory::View2D(c.data(), 2, 2);
  EXPECT_TRUE(Ops::CheckSameShape2D(A, B, C) && Ops::CheckSameShapeND(A, B, C));
  EXPECT_TRUE(Ops::IsElementwiseValid(A, B) && Ops::IsElementwiseValidND(A, B, C));
  EXPECT_TRUE(Ops::IsUnaryOpValid(A, C));
  Ops::MatAdd(A, B, C);
  EXPECT_EQ(c[3], 11.0f);
  Ops::Mul(A, B, C);
  EXPECT_EQ(c[2], 9.0f);
  Ops::Tanh(A, C);
  EXPECT_NEAR(c[1], std::tanh(0.5f), 1e-6f);
  Ops::LeakyReLU(A, C, 0.25f);
  EXPECT_EQ(c[0], -0.5f);
  const Tensor wide = TensorFactory::View2D(a.data(), 1, 4);
  EXPECT_FALSE(Ops::IsElementwiseValid(A, wide));
}

}  // namespace
