// SPDX-License-Identifier: MIT
// The flat names of the older C++ interface, as a program with -Iinclude/compat uses them.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "compat/arena.hpp"
#include "compat/arena_util.hpp"
#include "compat/conv2d.hpp"
#include "compat/depthwise_conv2d.hpp"
#include "compat/netkit_config.h"
#include "compat/ops.hpp"
#include "compat/tensor.hpp"
#include "compat/tensor_access.hpp"
#include "compat/tensor_factory.hpp"

namespace {

TEST(OlderFace, TheArenaPageHolds) {
  alignas(std::max_align_t) static unsigned char buffer[65536];
  std::memset(buffer, 0xA5, sizeof buffer);
  Arena arena;
  arena.init(buffer, sizeof(buffer));
  void* weights = arena.alloc(100, alignof(float));
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(arena.offset, 100u);
  void* net = arena.alloc(64, alignof(std::max_align_t));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(net) % alignof(std::max_align_t), 0u);
  EXPECT_EQ(arena.remaining(), arena.capacity - arena.offset);
  arena.reset();
  EXPECT_EQ(arena.alloc(100, alignof(float)), weights);
  EXPECT_EQ(Arena::kDefaultCapacity, size_t{NK_ARENA_DEFAULT_CAPACITY});
  EXPECT_EQ(ArenaUtil::kHandCapacity, Arena::kDefaultCapacity);
}

TEST(OlderFace, TensorsAndOps) {
  alignas(16) unsigned char memory[4096];
  std::memset(memory, 0xA5, sizeof memory);
  Arena arena(memory, sizeof memory);
  Tensor a = TensorFactory::Create2D(arena, 2, 2), c = TensorFactory::Create2D(arena, 2, 2);
  const std::array<float, 4> values = {-1, 2, 3, 8};
  TensorFactory::Fill(a, values);
  EXPECT_EQ(a.type, DataType::Float32);
  EXPECT_EQ(a.bytes, 16u);
  Ops::ReLU6(a, c);
  EXPECT_EQ(tensor_data_f32(c)[3], 6.0f);
  ASSERT_TRUE(Ops::IsMatMulValid(a, a, c));
  EXPECT_FALSE(Ops::IsMatMulValid(a, c, a));  // the output would be written while it is read
  Tensor late = a;
  late.data = tensor_data_f32(a) + 1;
  EXPECT_FALSE(Ops::IsMatMulValid(a, a, late));
  EXPECT_FALSE(Ops::IsElementwiseValidND(a, a, late) || Ops::IsUnaryOpValid(a, late));
  EXPECT_TRUE(Ops::IsElementwiseValidND(a, c, a) && Ops::IsUnaryOpValid(a, a));
  Ops::MatMul(a, a, c);
  EXPECT_EQ(tensor_data_f32(c)[0], 7.0f);
  Ops::MulScalar(a, 2.0f, c);
  EXPECT_EQ(tensor_data_f32(c)[1], 4.0f);
  Ops::Softmax(a, a);
  EXPECT_GT(tensor_data_f32(a)[3], 0.9f);
  int8_t bytes[24] = {};
  const Tensor image = TensorFactory::View3DInt8(bytes, 2, 3, 4);
  EXPECT_EQ(tensor_data_i8(image), bytes);
  EXPECT_EQ(tensor_data_i32(image), nullptr);
  EXPECT_EQ(index_nhwc(image, 1, 2, 3), 23u);
  EXPECT_EQ(TensorFactory::Create2D(arena, 1000, 1000).data, nullptr);
}

TEST(OlderFace, BothConvolutionsAgreeOnOneChannel) {
  std::array<float, 9> x = {1, -2, 3, 4, 5, -6, 7, 8, 9};
  std::array<float, 9> w = {0, 1, 0, 1, -4, 1, 0, 1, 0};
  std::array<float, 9> y{}, z{};
  float bias = 0.5f;
  const std::array<uint32_t, 3> shape = {3, 3, 1};
  const Tensor in = TensorFactory::ViewND(x.data(), 3, shape);
  Tensor out = TensorFactory::ViewND(y.data(), 3, shape);
  Tensor other = TensorFactory::ViewND(z.data(), 3, shape);
  Conv2D conv;
  conv.pad_h = conv.pad_w = conv.pad_h_end = conv.pad_w_end = 1;
  conv.in_channels = conv.out_channels = 1;
  EXPECT_FALSE(conv.forward(in, out));  // no weights yet
  conv.weights = w.data();
  conv.bias = &bias;
  DepthwiseConv2D depthwise;
  depthwise.pad_h = depthwise.pad_w = 1;
  depthwise.channels = 1;
  depthwise.weights = w.data();
  depthwise.bias = &bias;
  ASSERT_TRUE(conv.forward(in, out));
  ASSERT_TRUE(depthwise.forward(in, other));
  EXPECT_EQ(y, z);
  EXPECT_EQ(y[4], 4 - 2 - 6 + 8 - 20 + 0.5f);
  ASSERT_TRUE(conv.forward(in, out, NetkitKernelActivation::ReLU));
  EXPECT_EQ(y[4], 0.0f);
  conv.stride = 2;
  EXPECT_FALSE(conv.forward(in, out));
  conv.stride = 1;
  Tensor over = TensorFactory::ViewND(x.data() + 1, 3, shape);
  EXPECT_FALSE(conv.forward(in, over));  // it shares bytes with the input
}

}  // namespace
