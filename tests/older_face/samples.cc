// SPDX-License-Identifier: MIT
// The code samples of the older interface's pages on arenas and C++, word for word, with what they
// leave out around them. Built with -Iinclude/compat.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "arena.hpp"
#include "cnn.hpp"
#include "mlp.hpp"
#include "netkit.h"
#include "tensor_factory.hpp"

namespace {

// Small numbers that differ.
std::vector<float> numbers(size_t count, int seed) {
  std::vector<float> out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(static_cast<float>((static_cast<int>(i) * 7 + seed * 3) % 11 - 5) * 0.1f);
  }
  return out;
}

TEST(Samples, ArenaOverABuffer) {
  alignas(std::max_align_t) static unsigned char buffer[65536];
  const size_t weight_bytes = 1000;
  std::memset(buffer, 0xA5, sizeof buffer);
  {
    Arena arena;
    arena.init(buffer, sizeof(buffer));
    void* weights = arena.alloc(weight_bytes, alignof(float));
    void* net_mem = arena.alloc(sizeof(CNNNetwork), alignof(CNNNetwork));
    ASSERT_NE(weights, nullptr);
    ASSERT_NE(net_mem, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(net_mem) % alignof(CNNNetwork), 0u);
    arena.reset(); // reuse for next inference
    EXPECT_EQ(arena.offset, 0u);
  }
}

TEST(Samples, ArenaSizedByInspect) {
  // Example: size from inspect, then deploy with margin
  alignas(std::max_align_t) static unsigned char memory[3 * 1024 * 1024]; // 3 MiB
  Arena arena;
  arena.init(memory, sizeof(memory));
  EXPECT_EQ(arena.remaining(), sizeof memory);
}

TEST(Samples, ArenaFromC) {
  alignas(max_align_t) static unsigned char memory[NK_ARENA_DEFAULT_CAPACITY];
  nk_arena_t arena;
  nk_arena_init(&arena, memory, sizeof(memory));
  void* block = nk_arena_alloc(&arena, 1024, alignof(float));
  EXPECT_NE(block, nullptr);
  nk_arena_reset(&arena);
  EXPECT_EQ(nk_arena_used(&arena), 0u);
}

// The sample of two dense layers, on the caller's weights.
void run_mlp(Tensor W0, Tensor B0, Tensor W1, Tensor B1, float* in_data, uint32_t in_features,
             float* out_data, uint32_t out_features) {
alignas(std::max_align_t) static unsigned char memory[65536];
Arena arena;
arena.init(memory, sizeof(memory));

MLPNetwork net(2, arena);
net.InitLayer(0, W0, B0, ActivationType::ReLU);
net.InitLayer(1, W1, B1, ActivationType::None);
if (!net.InitActivationBuffers(arena, /*batch_rows=*/1))
    return;  // arena overflow

Tensor input = TensorFactory::View2D(in_data, 1, in_features);
Tensor output = TensorFactory::View2D(out_data, 1, out_features);
net.forward(input, output, arena);
  EXPECT_EQ(net.GetLayer(0).activation, ActivationType::ReLU);
  EXPECT_EQ(net.GetLayer(1).in_features, 3u);
  arena.reset();  // gives back what stands outside the static buffer
}

TEST(Samples, MlpByHand) {
  float w0[6] = {1, 0, 0, 1, 1, -3}, b0[3] = {0, 0.5f, 1};
  float w1[6] = {1, 2, 3, 0, 0, 1}, b1[2] = {0, 1};
  float in[2] = {2, 3}, out[2] = {-1, -1};
  run_mlp(TensorFactory::View2D(w0, 3, 2), TensorFactory::View2D(b0, 1, 3),
          TensorFactory::View2D(w1, 2, 3), TensorFactory::View2D(b1, 1, 2), in, 2, out, 2);
  EXPECT_EQ(out[0], 2 + 2 * 3.5f);  // relu(2 - 9 + 1) is 0
  EXPECT_EQ(out[1], 1.0f);
}

// Conv, pool, batch norm, flatten and dense, of an image 8x8x3; the result's class scores.
std::vector<float> run_cnn(Arena& arena, float* conv_w, float* conv_b, float* bn_scale,
                           float* bn_bias, const Tensor& W, const Tensor& B, Tensor image) {
  const uint32_t in_h = 8, in_w = 8, in_c = 3;
  const auto build = [&](auto done) {
CNNNetwork net(5, arena);
net.InitConvLayer(0, 3, 1, 3, 16, conv_w, conv_b, ConvActivationType::ReLU, 0.01f, 1, 1);
net.InitPoolLayer(1, 2, 2, 2, 0, 0);  // pool_h, pool_w, stride, pad_h, pad_w
net.InitBatchNormLayer(2, 16, bn_scale, bn_bias);
net.InitFlattenLayer(3);
net.InitDenseLayer(4, W, B, ActivationType::None);
if (!net.InitActivationBuffers(arena, in_h, in_w, in_c))
    return;
Tensor input = image;
Tensor& output = net.forward(input, arena);
    EXPECT_EQ(&output, &net.GetOutput());
    EXPECT_EQ(net.GetBlock(1).type, CnnBlockType::MaxPool2D);
    done(output);
  };
  std::vector<float> scores;
  build([&](const Tensor& output) {
    ASSERT_NE(output.data, nullptr) << nk_last_error();
    EXPECT_EQ(output.rank, 2u);
    const float* at = tensor_data_f32(output);
    scores.assign(at, at + output.num_elements);
  });
  return scores;
}

TEST(Samples, CnnByHand) {
  auto conv_w = numbers(16 * 27, 1), conv_b = numbers(16, 2), scale = numbers(16, 3);
  auto shift = numbers(16, 4), w = numbers(4 * 256, 5), b = numbers(4, 6), x = numbers(192, 7);
  std::vector<unsigned char> memory(65536, 0xA5);
  Arena arena(memory.data(), memory.size());
  const uint32_t shape[] = {8, 8, 3};
  const std::vector<float> scores =
      run_cnn(arena, conv_w.data(), conv_b.data(), scale.data(), shift.data(),
              TensorFactory::View2D(w.data(), 4, 256), TensorFactory::View2D(b.data(), 1, 4),
              TensorFactory::ViewND(x.data(), 3, shape));
  ASSERT_EQ(scores.size(), 4u);
  for (const float score : scores) EXPECT_TRUE(std::isfinite(score));
  arena.reset();
  // Memory that held something else gives the same.
  std::memset(memory.data(), 0x3C, memory.size());
  EXPECT_EQ(scores,
            run_cnn(arena, conv_w.data(), conv_b.data(), scale.data(), shift.data(),
                    TensorFactory::View2D(w.data(), 4, 256), TensorFactory::View2D(b.data(), 1, 4),
                    TensorFactory::ViewND(x.data(), 3, shape)));
  arena.reset();
}

TEST(Samples, YoloxHeadByHand) {
  const uint32_t spatial_h = 2, spatial_w = 2;
  const int in_channels = 12, hidden_dim = 8, num_classes = 3, num_convs = 2;
  auto stem = numbers(8 * 12, 1), conv = numbers(8 * 9 * 8, 2), pred = numbers(4 * 8, 3);
  auto bias = numbers(8, 4), x = numbers(48, 5);
  float *stem_w = stem.data(), *stem_b = bias.data();
  float *cls_conv_w[] = {conv.data(), conv.data()}, *cls_conv_b[] = {bias.data(), bias.data()};
  float **reg_conv_w = cls_conv_w, **reg_conv_b = cls_conv_b;
  float *cls_pred_w = pred.data(), *cls_pred_b = bias.data(), *reg_pred_w = pred.data();
  float *reg_pred_b = bias.data(), *obj_pred_w = pred.data(), *obj_pred_b = bias.data();
  std::vector<unsigned char> memory(65536, 0xA5);
  Arena arena(memory.data(), memory.size());
  const uint32_t shape[] = {2, 2, 12};
  const Tensor image = TensorFactory::ViewND(x.data(), 3, shape);
  bool ran = false;
  const auto build = [&] {
CNNNetwork net(1, arena);
net.InitYoloxDecoupledHeadLayer(
    0, arena,
    spatial_h, spatial_w,   // e.g. 2, 2 for 2×2 feature map
    in_channels,            // backbone output depth (e.g. 960)
    hidden_dim, num_classes, num_convs,
    stem_w, stem_b,
    cls_conv_w, cls_conv_b,  // arrays of num_convs pointers
    reg_conv_w, reg_conv_b,
    cls_pred_w, cls_pred_b,
    reg_pred_w, reg_pred_b,
    obj_pred_w, obj_pred_b);
if (!net.InitActivationBuffers(arena, spatial_h, spatial_w, in_channels))
    return;
Tensor input = image;
Tensor& output = net.forward(input, arena);  // [H, W, 4+1+num_classes]
    ran = true;
    ASSERT_EQ(output.rank, 3u);
    EXPECT_EQ(output.shape[0], spatial_h);
    EXPECT_EQ(output.shape[2], static_cast<uint32_t>(4 + 1 + num_classes));
  };
  build();
  EXPECT_TRUE(ran) << nk_last_error();
  arena.reset();
}

}  // namespace
