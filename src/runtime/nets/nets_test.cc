// SPDX-License-Identifier: MIT
// Networks built on a device: planned places against places that share nothing, on drawn networks;
// what is refused; two networks and a second plan in one arena.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/nets/steps.h"

namespace netkit::nets {
namespace {

constexpr uint32_t kSpread = 1 << 21;

// Every kernel, float32.
NkOpsResolver all() {
  return all_network_ops();
}

class Drawn {
 public:
  explicit Drawn(uint32_t seed) : random_(seed), memory_(1 << 22, 0xA5), weights_(1 << 16) {
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 20) % 201 - 100) * 0.01f;
    }
    arena_.init(memory_.data(), memory_.size());
    h_ = draw(3, 11);
    w_ = draw(3, 11);
    c_ = draw(1, 6);
    in_ = {h_, w_, c_};
    net_.arena = &arena_;
    net_.layer_count = static_cast<uint16_t>(draw(1, 7));
    net_.layers = static_cast<Layer**>(arena_.alloc(8 * sizeof(Layer*), alignof(Layer*)));
    std::memset(static_cast<void*>(net_.layers), 0, 8 * sizeof(Layer*));
    for (uint32_t i = 0; i < net_.layer_count; ++i) add(i);
  }

  Net& net() { return net_; }
  nk_status_t make() {
    const nk_status_t status = plan(net_, arena_, in_[0], in_[1], in_[2]);
    return status == NK_OK ? bind(net_, all()) : status;
  }

  // The result of a run over a buffer that held `fill`.
  std::vector<float> result(uint8_t* buffer, uint32_t bytes, uint8_t fill) {
    net_.buffer = buffer;
    std::memset(buffer, fill, bytes);
    float* x = data_of(net_, net_.input);
    const uint32_t count = elements(net_.values[net_.input]);
    for (uint32_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 97) * 0.02f - 1.0f;
    EXPECT_EQ(run(net_), NK_OK);
    const float* y = data_of(net_, net_.output);
    return {y, y + elements(net_.values[net_.output])};
  }

 private:
  uint32_t draw(uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random_);
  }
  const float* numbers(uint32_t count) {
    const uint32_t at = draw(0, static_cast<uint32_t>(weights_.size()) - count);
    return weights_.data() + at;
  }
  Layer& layer(uint32_t i, nk_cnn_block_type_t kind, uint32_t count) {
    Layer* l = set_layer(net_, i, count);
    l->kind = static_cast<uint8_t>(kind);
    l->in = c_;
    l->out = c_;
    for (uint32_t k = 0; k < count; ++k) l->weights()[k] = draw(0, 3) ? numbers(6000) : nullptr;
    return *l;
  }
  void window(Layer& l, uint32_t most) {
    const uint32_t high = std::min({most, h_, w_});
    l.kernel_h = static_cast<uint16_t>(draw(1, high));
    l.kernel_w = static_cast<uint16_t>(draw(1, high));
    l.stride = static_cast<uint16_t>(draw(1, 2));
    l.top = static_cast<uint16_t>(draw(0, l.kernel_h / 2u));
    l.left = static_cast<uint16_t>(draw(0, l.kernel_w / 2u));
    l.bottom = static_cast<uint16_t>(draw(0, l.kernel_h / 2u));
    l.right = static_cast<uint16_t>(draw(0, l.kernel_w / 2u));
    h_ = (h_ + l.top + l.bottom - l.kernel_h) / l.stride + 1;
    w_ = (w_ + l.left + l.right - l.kernel_w) / l.stride + 1;
  }
  void require(Layer& l, std::initializer_list<uint32_t> needed) {
    for (const uint32_t k : needed) l.weights()[k] = numbers(6000);
  }
  void same(Layer& l) {
    l.spatial_h = static_cast<uint16_t>(h_);
    l.spatial_w = static_cast<uint16_t>(w_);
  }

  void add(uint32_t i) {
    const uint32_t kind = draw(0, 8);
    kind < 5 ? add_simple(i, kind) : add_block(i, kind);
  }

  void add_simple(uint32_t i, uint32_t kind) {
    switch (kind) {
      case 0: {
        Layer& l = layer(i, NK_CNN_BLOCK_CONV2D, 2);
        require(l, {0});
        window(l, 3);
        c_ = l.out = draw(1, 8);
        l.activation = static_cast<uint8_t>(draw(0, 5));
        l.value = 0.1f;
        return;
      }
      case 1: {
        Layer& l = layer(i, NK_CNN_BLOCK_DEPTHWISE_CONV2D, 2);
        require(l, {0});
        window(l, 5);
        return;
      }
      case 2:
        return window(layer(i, NK_CNN_BLOCK_MAX_POOL2D, 0), 2);
      case 3:
        return require(layer(i, NK_CNN_BLOCK_BATCH_NORM2D, 2), {0});
      default:
        layer(i, NK_CNN_BLOCK_LAYERNORM2D, 2).value = 1e-3f;
    }
  }

  // The block's output channels, drawn; its stride is set.
  void step_down(Layer& l) {
    l.out = draw(0, 1) ? c_ : draw(1, 8);
    c_ = l.out;
    h_ = (h_ - 1) / l.stride + 1;
    w_ = (w_ - 1) / l.stride + 1;
  }

  void add_block(uint32_t i, uint32_t kind) {
    switch (kind) {
      case 5: {
        Layer& l = layer(i, NK_CNN_BLOCK_RESNET_BASIC_BLOCK, 12);
        same(l);
        require(l, {0, 2, 4, 6, 8, 10});
        l.stride = static_cast<uint16_t>(draw(1, 2));
        return step_down(l);
      }
      case 6: {
        Layer& l = layer(i, NK_CNN_BLOCK_MOBILENETV4_UIB, 16);
        same(l);
        require(l, {0, 2, 4, 6, 8, 10, 12, 14});
        l.extra[0] = static_cast<uint16_t>(draw(0, 1) * 3);
        l.extra[1] = static_cast<uint16_t>(draw(0, 1) * 3);
        l.extra[2] = 1;
        l.stride = static_cast<uint16_t>(l.extra[0] + l.extra[1] > 0 ? draw(1, 2) : 1);
        l.value = 2.0f;
        return step_down(l);
      }
      case 7: {
        Layer& l = layer(i, NK_CNN_BLOCK_CONVNEXTV2_BLOCK, 10);
        same(l);
        require(l, {0, 4, 6, 7, 8});
        l.value = 1e-3f;
        return;
      }
      default: {
        Layer& l = layer(i, NK_CNN_BLOCK_YOLOX_DECOUPLED_HEAD, 12);
        same(l);
        require(l, {0, 2, 4, 6, 8, 10});
        l.extra[0] = 1;
        l.extra[1] = static_cast<uint16_t>(draw(1, 6));
        l.extra[2] = static_cast<uint16_t>(draw(1, 4));
        c_ = 5u + l.extra[2];
        return;
      }
    }
  }

  std::mt19937 random_;
  std::vector<uint8_t> memory_;
  std::vector<float> weights_;
  Arena arena_;
  Net net_{};
  std::array<uint32_t, 3> in_{};
  uint32_t h_ = 0, w_ = 0, c_ = 0;
};

TEST(Nets, PlannedPlacesGiveTheBitsOfPlacesThatShareNothing) {
  std::vector<uint8_t> spread(kSpread);
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    Drawn drawn(seed);
    ASSERT_EQ(drawn.make(), NK_OK) << seed;
    Net& net = drawn.net();
    uint8_t* planned = net.buffer;
    const auto first = drawn.result(planned, net.buffer_bytes, 0xA5);
    const auto again = drawn.result(planned, net.buffer_bytes, 0x5A);
    // The same steps, each value by itself.
    uint32_t at = 0;
    for (uint16_t i = 0; i < net.value_count; ++i) {
      if (net.values[i].parent != kNone) continue;
      net.values[i].offset = at;
      at += (bytes_of(net.values[i]) + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
    }
    ASSERT_LE(at, kSpread);
    EXPECT_LE(net.buffer_bytes, at);
    for (uint16_t i = 0; i < net.step_count; ++i) net.steps[i].mode = NK_MODE_PLAIN;
    const auto apart = drawn.result(spread.data(), at, 0x3C);
    ASSERT_EQ(first.size(), apart.size());
    const size_t bytes = first.size() * sizeof(float);
    EXPECT_EQ(std::memcmp(first.data(), apart.data(), bytes), 0) << seed;
    EXPECT_EQ(std::memcmp(again.data(), apart.data(), bytes), 0) << seed;
  }
}

TEST(Nets, AnArenaThatIsTooSmallIsLeftAsItWas) {
  std::vector<uint8_t> memory(8192, 0xA5);
  for (const size_t bytes : {200u, 600u, 1200u}) {
    Arena arena(memory.data(), bytes);
    Net net{};
    net.arena = &arena;
    net.layer_count = 1;
    net.layers = static_cast<Layer**>(arena.alloc(sizeof(Layer*), alignof(Layer*)));
    net.layers[0] = nullptr;
    EXPECT_EQ(plan(net, arena, 16, 16, 4), NK_ERR_LAYER_CONFIG);  // never set
    Layer* l = set_layer(net, 0, 0);
    ASSERT_NE(l, nullptr);
    EXPECT_EQ(set_layer(net, 1, 0), nullptr);
    l->kind = NK_CNN_BLOCK_MAX_POOL2D;
    l->kernel_h = l->kernel_w = l->stride = 2;
    const size_t used = arena.offset;
    EXPECT_EQ(plan(net, arena, 16, 16, 4), NK_ERR_ARENA_OVERFLOW);
    EXPECT_EQ(arena.offset, used);
    EXPECT_EQ(run(net), NK_ERR_NOT_INITIALIZED);
    EXPECT_EQ(plan(net, arena, 1, 1, 4), NK_ERR_LAYER_CONFIG);  // the window does not fit
    EXPECT_EQ(plan(net, arena, 0xFFFFFFFFu, 2, 4), NK_ERR_LAYER_CONFIG);
  }
}

TEST(Nets, WindowsInThePaddingAndTapsOfOneIdAreRefused) {
  std::vector<uint8_t> memory(8192, 0xA5);
  Arena arena(memory.data(), memory.size());
  Net net{};
  net.arena = &arena;
  net.layer_count = 1;
  net.layers = static_cast<Layer**>(arena.alloc(2 * sizeof(Layer*), alignof(Layer*)));
  net.layers[0] = net.layers[1] = nullptr;
  Layer* l = set_layer(net, 0, 0);
  l->kind = NK_CNN_BLOCK_MAX_POOL2D;
  l->kernel_h = l->kernel_w = 2;
  l->stride = 1;
  for (uint16_t Layer::* side : {&Layer::top, &Layer::left, &Layer::bottom, &Layer::right}) {
    l->*side = 1;
    EXPECT_EQ(plan(net, arena, 4, 4, 1), NK_OK);
    l->*side = 2;
    EXPECT_EQ(plan(net, arena, 4, 4, 1), NK_ERR_LAYER_CONFIG);
    l->*side = 0;
  }
  net.layer_count = 2;
  for (const uint8_t id : {uint8_t{0}, uint8_t{1}}) {
    for (uint32_t i = 0; i < 2; ++i) {
      l = set_layer(net, i, 0);
      l->kind = NK_CNN_BLOCK_FEATURE_TAP;
      l->tap = i == 0 ? uint8_t{1} : id;
    }
    EXPECT_EQ(plan(net, arena, 4, 4, 1), id == 1 ? NK_ERR_LAYER_CONFIG : NK_OK);
  }
}

// Rows of an MLP are inputs of their own.
TEST(Nets, SoftmaxOfABatchIsPerRow) {
  std::vector<uint8_t> memory(8192, 0xA5);
  Arena arena(memory.data(), memory.size());
  const float w[6] = {1, 2, -1, 0.5f, 0, 3}, x[4] = {1, 0.5f, -2, 3};
  Net net{};
  net.arena = &arena;
  net.is_mlp = true;
  net.layer_count = 1;
  net.layers = static_cast<Layer**>(arena.alloc(sizeof(Layer*), alignof(Layer*)));
  net.layers[0] = nullptr;
  Layer* l = set_layer(net, 0, 2);
  l->kind = NK_CNN_BLOCK_DENSE;
  l->activation = NK_ACTIVATION_SOFTMAX;
  l->in = 2;
  l->out = 3;
  l->weights()[0] = w;
  std::vector<float> rows;
  for (const uint32_t count : {1u, 1u, 2u}) {
    ASSERT_EQ(plan(net, arena, 1, count, 2), NK_OK);
    ASSERT_EQ(bind(net, all()), NK_OK);
    std::memcpy(data_of(net, net.input), x + rows.size() / 3 % 2 * 2, count * 8);
    ASSERT_EQ(run(net), NK_OK);
    const float* y = data_of(net, net.output);
    rows.insert(rows.end(), y, y + elements(net.values[net.output]));
  }
  EXPECT_EQ(std::memcmp(rows.data(), rows.data() + 6, 24), 0);
}

TEST(Nets, ASecondPlanIsForAnotherSize) {
  std::vector<uint8_t> memory(8192, 0xA5);
  Arena arena(memory.data(), memory.size());
  Net net{};
  net.arena = &arena;
  net.layer_count = 1;
  net.layers = static_cast<Layer**>(arena.alloc(sizeof(Layer*), alignof(Layer*)));
  net.layers[0] = nullptr;
  Layer* l = set_layer(net, 0, 0);
  l->kind = NK_CNN_BLOCK_AVG_POOL2D;
  l->kernel_h = l->kernel_w = l->stride = 2;
  for (const uint32_t size : {4u, 6u}) {
    ASSERT_EQ(plan(net, arena, size, size, 1), NK_OK);
    ASSERT_EQ(bind(net, all()), NK_OK);
    float* x = data_of(net, net.input);
    for (uint32_t i = 0; i < size * size; ++i) x[i] = static_cast<float>(i);
    ASSERT_EQ(run(net), NK_OK);
    EXPECT_EQ(elements(net.values[net.output]), size * size / 4);
    EXPECT_EQ(data_of(net, net.output)[0], static_cast<float>(size + 1) / 2);
  }
  EXPECT_EQ(bind(net, {}), NK_ERR_UNKNOWN_KERNEL);
}

}  // namespace
}  // namespace netkit::nets
