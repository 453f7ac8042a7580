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
  EXPECT_STREQ(nk_last_error(), "the input tensor is 1x4, the network takes 1x3");
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

TEST(Refusals, ParametersThatAreNoNumbers) {
  auto w = ramp(400);
  float* const p = w.data();
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    const std::string after = ": a parameter is not finite; give a number";
    const auto is = [&](const std::string& text, const std::string& layer) {
      EXPECT_EQ(text.find(layer), 0u) << text;
      EXPECT_TRUE(text.ends_with(after)) << text;
    };
    is(said([&](CNNNetwork& net, Arena&) { net.InitLayerNormLayer(0, 2, bad, p, p); }),
       "layer 0 (layer norm): eps ");
    is(said([&](CNNNetwork& net, Arena& arena) {
         net.InitConvNeXtV2BlockLayer(0, arena, 4, 4, 2, bad, p, p, p, p, p, p, p, p, p, p);
       }),
       "layer 0 (ConvNeXt V2 block): eps ");
    is(said([&](CNNNetwork& net, Arena&) {
         net.InitConvLayer(0, 3, 1, 2, 4, p, p, ConvActivationType::LeakyReLU, bad);
       }),
       "layer 0 (conv2d): leaky_alpha ");
    is(said([&](CNNNetwork& net, Arena&) {
         net.InitDenseLayer(0, TensorFactory::View2D(p, 3, 32), Tensor{}, ActivationType::LeakyReLU,
                            bad);
       }),
       "layer 0 (dense): leaky_alpha ");
  }
  EXPECT_EQ(said([&](CNNNetwork& net, Arena&) { net.InitLayerNormLayer(0, 2, -1.0f, p, p); }),
            "layer 0 (layer norm): eps -1: below 0; give 0 or a small number above");
  EXPECT_EQ(said([&](CNNNetwork& net, Arena&) { net.InitLayerNormLayer(0, 2, 0.0f, p, p); }),
            "planned");
  w[0] = NAN;  // a weight may be one
  EXPECT_EQ(said([&](CNNNetwork& net, Arena&) { net.InitBatchNormLayer(0, 2, p, p); }), "planned");
}

TEST(Refusals, ATapWithoutAPlaceIsRefusedAtOnce) {
  Room room;
  CNNNetwork net(1, room.arena);
  EXPECT_EQ(nk_cnn_init_feature_tap_layer(net.handle(), nullptr, 0, 4, 4, 2, 7),
            NK_ERR_LAYER_CONFIG);
  EXPECT_STREQ(nk_last_error(), "layer 0 (feature tap): tap 7, 0 to 3 are possible");
}

// Nothing runs behind a refusal until the network is planned again, and forward says why.
TEST(Refusals, AnOlderPlanIsGone) {
  Room room;
  auto w = ramp(4);
  float x[2] = {1, 2}, y[2] = {7, 7};
  const Tensor weights = TensorFactory::View2D(w.data(), 2, 2), none;
  Tensor in = TensorFactory::View2D(x, 1, 2), out = TensorFactory::View2D(y, 1, 2);
  MLPNetwork net(1, room.arena);
  const auto plan = [&] {
    net.InitLayer(0, weights, none, ActivationType::None);
    ASSERT_TRUE(net.InitActivationBuffers(room.arena, 1)) << nk_last_error();
    EXPECT_TRUE(net.HasActivationBuffers());
  };
  const auto refused = [&](const char* cause) {
    EXPECT_FALSE(net.HasActivationBuffers());
    const nk_tensor_t from = to_c(in);
    nk_tensor_t to = to_c(out);
    EXPECT_EQ(nk_mlp_forward(net.handle(), nullptr, &from, &to), NK_ERR_NOT_INITIALIZED);
    EXPECT_STREQ(nk_last_error(), cause);
    net.forward_timed(in, out, [](const char*, uint64_t, void*) {}, nullptr);
    EXPECT_STREQ(nk_last_error(), cause);
    EXPECT_EQ(y[0], 7.0f);
  };
  plan();
  net.InitLayer(0, none, none, ActivationType::None);
  refused("layer 0 (dense): weights: NULL; a tensor [out, in] is needed");
  plan();
  net.InitLayer(3, weights, none, ActivationType::None);
  refused("layer 3: the network has 1, counted from 0");
  plan();
  EXPECT_FALSE(net.InitActivationBuffers(room.arena, 0));
  refused("an input of 0x2: each size is 1 to 1048576");
  plan();
  net.InitLayer(0, weights, none, ActivationType::None);
  refused("the network has no activation buffers yet");
  plan();
  net.forward(in, out, room.arena);
  EXPECT_NE(y[0], 7.0f);
}

TEST(Refusals, InputsOfAnotherShape) {
  Room room;
  auto x = ramp(16);
  CNNNetwork net(1, room.arena);
  net.InitPoolLayer(0, 2, 2, 2);
  ASSERT_TRUE(net.InitActivationBuffers(room.arena, 4, 4, 1)) << nk_last_error();
  const auto given = [&](std::vector<uint32_t> shape) {
    const auto rank = static_cast<uint32_t>(shape.size());
    const Tensor in = TensorFactory::ViewND(x.data(), rank, shape);
    return std::string(net.forward(in, room.arena).data ? "ran" : nk_last_error());
  };
  EXPECT_EQ(given({4, 4, 1}), "ran");
  EXPECT_EQ(given({1, 4, 4, 1}), "ran");
  EXPECT_EQ(given({16, 1}), "ran");  // rows of pixels, as nk_tensor_view_2d can state them
  EXPECT_EQ(given({2, 8}), "the input tensor is 2x8, the network takes 4x4x1");
  EXPECT_EQ(given({4, 2, 2}), "the input tensor is 4x2x2, the network takes 4x4x1");
  EXPECT_EQ(given({}), "the input tensor is NULL or has no data");
  const uint32_t shape[] = {4, 4, 1};
  Tensor turned = TensorFactory::ViewND(x.data(), 3, shape);
  turned.stride = {1, 4, 1};
  EXPECT_EQ(net.forward(turned, room.arena).data, nullptr);
  EXPECT_STREQ(nk_last_error(),
               "the input tensor 4x4x1 has strides 1x4x1: copy it into a row-major one");
  MLPNetwork mlp(1, room.arena);
  float y[9];
  Tensor out = TensorFactory::View2D(y, 3, 3);
  mlp.InitLayer(0, TensorFactory::View2D(x.data(), 3, 2), Tensor{}, ActivationType::None);
  ASSERT_TRUE(mlp.InitActivationBuffers(room.arena, 3)) << nk_last_error();
  y[0] = 7;
  mlp.forward(TensorFactory::View2D(x.data(), 2, 3), out, room.arena);
  EXPECT_STREQ(nk_last_error(), "the input tensor is 2x3, the network takes 3x2");
  EXPECT_EQ(y[0], 7.0f);
  ASSERT_TRUE(mlp.InitActivationBuffers(room.arena, 1)) << nk_last_error();
  const uint32_t flat[] = {2};
  mlp.forward(TensorFactory::ViewND(x.data(), 1, flat), out, room.arena);
  EXPECT_NE(y[0], 7.0f);
}

TEST(Refusals, WhatIsNullIsNamed) {
  nk_tensor_t t;
  nk_arena_t arena;
  nk_model_t model;
  unsigned char few[64];
  std::memset(&arena, 0xA5, sizeof arena);
  EXPECT_EQ(nk_tensor_create_2d(nullptr, 2, 2, &t), NK_ERR_INVALID_ARGUMENT);
  EXPECT_STREQ(nk_last_error(), "nk_tensor_create: no arena");
  EXPECT_EQ(nk_tensor_create_2d(&arena, 2, 2, &t), NK_ERR_INVALID_ARGUMENT);
  EXPECT_STREQ(nk_last_error(), "nk_tensor_create: the arena was never initialised");
  nk_arena_init(&arena, few, sizeof few);
  EXPECT_EQ(nk_tensor_create_2d(&arena, 2, 2, nullptr), NK_ERR_INVALID_ARGUMENT);
  EXPECT_STREQ(nk_last_error(), "nk_tensor_create: no tensor to fill, out is NULL");
  EXPECT_EQ(nk_tensor_create_nd(&arena, 2, nullptr, &t), NK_ERR_INVALID_ARGUMENT);
  EXPECT_STREQ(nk_last_error(), "nk_tensor_create: no shape");
  EXPECT_EQ(nk_model_load(nullptr, &arena, &model), NK_ERR_INVALID_ARGUMENT);
  EXPECT_STREQ(nk_last_error(), "no path");
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
