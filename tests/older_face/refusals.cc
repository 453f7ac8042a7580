// SPDX-License-Identifier: MIT
// Refusals of networks set by hand say which layer, what is wrong and what to do; and what batches
// of an MLP are. Built with -Iinclude/compat.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cnn.hpp"
#include "mlp.hpp"
#include "tensor_factory.hpp"

namespace {

struct Room {
  Room() : block(1 << 16, 0xA5) { arena.init(block.data(), block.size()); }
  std::vector<unsigned char> block;
  Arena arena;
};

std::vector<float> ramp(size_t count) {
  std::vector<float> out;
  for (size_t i = 0; i < count; ++i) out.push_back(static_cast<float>(i % 7) * 0.2f - 0.5f);
  return out;
}

TEST(Refusals, AnMlpNamesTheLayerAndTheCause) {
  Room room;
  auto w = ramp(12), b = ramp(4);
  const Tensor weights = TensorFactory::View2D(w.data(), 4, 3);
  const Tensor bias = TensorFactory::View2D(b.data(), 1, 4);
  MLPNetwork net(2, room.arena);
  const auto planned = [&](uint32_t rows) {
    return net.InitActivationBuffers(room.arena, rows) ? "planned" : nk_last_error();
  };
  EXPECT_TRUE(room.arena.is_intact());
  EXPECT_STREQ(planned(1), "layer 0 of 2 was never set: init every layer, then the buffers");
  net.InitLayer(0, weights, bias, static_cast<ActivationType>(9));
  EXPECT_STREQ(planned(1),
               "layer 0 (dense): activation 9: NK_ACTIVATION_NONE to _SOFTMAX are 0 to 6");
  net.InitLayer(0, Tensor{}, bias, ActivationType::None);
  EXPECT_STREQ(planned(1), "layer 0 (dense): weights: NULL; a tensor [out, in] is needed");
  net.InitLayer(0, TensorFactory::View2D(nullptr, 4, 3), bias, ActivationType::None);
  EXPECT_STREQ(planned(1), "layer 0 (dense): weights: NULL; give 12 values");
  net.InitLayer(0, weights, weights, ActivationType::None);
  EXPECT_STREQ(planned(1), "layer 0 (dense): a bias of 12 for 4 units");
  net.InitLayer(0, weights, bias, ActivationType::None);
  EXPECT_STREQ(planned(1), "layer 1 of 2 was never set: init every layer, then the buffers");
  net.InitLayer(7, weights, bias, ActivationType::None);
  EXPECT_STREQ(nk_last_error(), "layer 7: the network has 2, counted from 0");
  net.InitLayer(1, TensorFactory::View2D(w.data(), 3, 4), Tensor{}, ActivationType::None);
  EXPECT_STREQ(planned(0), "an input of 0x3: each size is 1 to 1048576");
  EXPECT_STREQ(planned(1), "planned");
  float y[3] = {7, 7, 7};
  Tensor out = TensorFactory::View2D(y, 1, 3), none;
  net.forward(Tensor{}, out, room.arena);
  EXPECT_STREQ(nk_last_error(), "the input tensor is NULL or has no data");
  net.forward(out, none, room.arena);
  EXPECT_STREQ(nk_last_error(), "the output tensor is NULL or has no data");
  net.forward(TensorFactory::View2D(w.data(), 1, 4), out, room.arena);
  EXPECT_STREQ(nk_last_error(), "the input tensor has 4 elements, the network takes 3");
  EXPECT_EQ(y[0], 7.0f);
}

TEST(Refusals, AnArenaThatIsTooSmall) {
  alignas(16) unsigned char few[64];
  Arena arena(few, sizeof few);
  MLPNetwork net(4, arena);
  EXPECT_FALSE(net.IsValid());
  net.InitLayer(0, Tensor{}, Tensor{}, ActivationType::None);
  EXPECT_FALSE(net.InitActivationBuffers(arena, 1));
  float y[1] = {7};
  Tensor out = TensorFactory::View2D(y, 1, 1);
  net.forward(out, out, arena);
  EXPECT_EQ(y[0], 7.0f);
}

// Planning of one layer on a 4x4x2 input; what it says, or "planned".
template <typename Set>
std::string said(const Set& set, uint32_t layers = 1) {
  Room room;
  CNNNetwork net(layers, room.arena);
  set(net, room.arena);
  return net.InitActivationBuffers(room.arena, 4, 4, 2) ? "planned" : nk_last_error();
}

TEST(Refusals, LayersOfImages) {
  auto w = ramp(2000);
  float* const p = w.data();
  EXPECT_EQ(said([&](CNNNetwork& net, Arena&) {
              net.InitConvLayer(0, 3, 0, 2, 4, p, p, ConvActivationType::None);
            }),
            "layer 0 (conv2d): window 3x3, stride 0, padding 0 0 0 0: the first three are at least "
            "1, padding 0");
  EXPECT_EQ(said([&](CNNNetwork& net, Arena&) {
              net.InitConvLayer(0, 3, 1, 2, 0, p, p, ConvActivationType::None);
            }),
            "layer 0 (conv2d): weights of 0x3x3x2: a size is below 1 or too large");
  // A window that lies wholly in the padding, at each side.
  for (int side = 0; side < 4; ++side) {
    for (const int pad : {1, 2}) {
      const auto pads = [&](int i) { return i == side ? pad : 0; };
      const std::string text = said([&](CNNNetwork& net, Arena&) {
        net.InitPoolLayer(0, 2, 2, 1, pads(0), pads(1), pads(2), pads(3));
      });
      const bool fits = pad == 1;
      EXPECT_EQ(text == "planned", fits) << text;
      EXPECT_EQ(text.find("wholly in the padding") == std::string::npos, fits) << text;
    }
  }
  EXPECT_EQ(
      said(
          [](CNNNetwork& net, Arena&) {
            net.InitFeatureTapLayer(0, 4, 4, 2, 1);
            net.InitFeatureTapLayer(1, 4, 4, 2, 1);
          },
          2),
      "layer 1 (feature tap): tap 1 is set by an earlier layer too: give each tap an id of its "
      "own");
}

TEST(Refusals, BlocksNameTheParameter) {
  auto w = ramp(2000);
  float* const p = w.data();
  const auto uib = [&](float ratio, float* expand, float* scale) {
    return said([&](CNNNetwork& net, Arena& arena) {
      net.InitMobilenetV4UibLayer(0, arena, 4, 4, 2, 2, 3, 3, 1, 1, ratio, p, p, p, p, expand, p,
                                  scale, p, p, p, p, p, p, p, p, p);
    });
  };
  EXPECT_EQ(uib(2.0f, p, p), "planned");
  EXPECT_EQ(uib(-1.0f, p, p), "layer 0 (UIB): expand_ratio -1: above 0 and below 1000");
  EXPECT_EQ(uib(2.0f, nullptr, p), "layer 0 (UIB): expand_weights: NULL; give 16 values");
  EXPECT_EQ(uib(2.0f, p, nullptr), "layer 0 (UIB): expand_bn_scale: NULL; give 8 values");
  EXPECT_EQ(said([&](CNNNetwork& net, Arena& arena) {
              net.InitResNetBasicBlockLayer(0, arena, 4, 4, 2, 2, 0, p, p, p, p, p, p, p, p, p, p,
                                            p, p);
            }),
            "layer 0 (ResNet basic block): stride 0: from 1 to 255");
}

// A softmax normalises each row of a batch by itself: the rows are inputs of their own.
TEST(Batches, SoftmaxIsPerRow) {
  auto w = ramp(12), x = ramp(6);
  const auto run = [&](const float* from, uint32_t rows, std::vector<float>& y) {
    Room room;
    MLPNetwork net(1, room.arena);
    net.InitLayer(0, TensorFactory::View2D(w.data(), 4, 3), Tensor{}, ActivationType::Softmax);
    ASSERT_TRUE(net.InitActivationBuffers(room.arena, rows)) << nk_last_error();
    Tensor out = TensorFactory::View2D(y.data(), rows, 4);
    net.forward(TensorFactory::View2D(const_cast<float*>(from), rows, 3), out, room.arena);
  };
  std::vector<float> both(8), first(4), second(4);
  run(x.data(), 2, both);
  run(x.data(), 1, first);
  run(x.data() + 3, 1, second);
  EXPECT_NEAR(both[0] + both[1] + both[2] + both[3], 1.0f, 1e-6f);
  EXPECT_EQ(std::memcmp(both.data(), first.data(), 16), 0);
  EXPECT_EQ(std::memcmp(both.data() + 4, second.data(), 16), 0);
}

}  // namespace
