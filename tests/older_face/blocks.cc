// SPDX-License-Identifier: MIT
// Composite blocks against the same networks of primitive layers, from weights in memory that
// nobody may write. Built with -Iinclude/compat.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "cnn.hpp"
#include "ops.hpp"
#include "tensor_factory.hpp"

namespace {

// Numbers of which no two neighbours are alike, in pages that are read-only once seal() is called.
class Weights {
 public:
  Weights() {
    data_ = static_cast<float*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (size_t i = 0; i < kBytes / sizeof(float); ++i) {
      data_[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 20) % 201 - 100) * 0.004f;
    }
    EXPECT_EQ(mprotect(data_, kBytes, PROT_READ), 0);
  }
  ~Weights() { munmap(data_, kBytes); }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  float* take(size_t count) {
    float* out = data_ + used_;
    used_ += count;
    EXPECT_LE(used_ * sizeof(float), kBytes);
    return out;
  }

 private:
  static constexpr size_t kBytes = 1 << 18;
  float* data_;
  size_t used_ = 0;
};

struct Memory {
  Memory() : block(1 << 20, 0xA5) { arena.init(block.data(), block.size()); }
  std::vector<unsigned char> block;
  Arena arena;
};

struct Image {
  uint32_t h, w, c;
  std::vector<float> values;

  Tensor tensor() {
    const uint32_t shape[] = {h, w, c};
    return TensorFactory::ViewND(values.data(), 3, shape);
  }
};

Image image_of(uint32_t h, uint32_t w, uint32_t c) {
  Image image = {h, w, c, {}};
  for (uint32_t i = 0; i < h * w * c; ++i) {
    image.values.push_back(static_cast<float>(static_cast<int>(i * 37 % 97) - 48) * 0.03f);
  }
  return image;
}

// Runs one network and copies its result out.
template <typename Set>
Image run(uint32_t layers, const Set& set, Image in) {
  Memory memory;
  CNNNetwork net(layers, memory.arena);
  set(net, memory.arena);
  EXPECT_TRUE(net.InitActivationBuffers(memory.arena, in.h, in.w, in.c)) << nk_last_error();
  std::memset(memory.block.data() + memory.arena.offset, 0x5C,
              memory.block.size() - memory.arena.offset);
  const Tensor& out = net.forward(in.tensor(), memory.arena);
  EXPECT_NE(out.data, nullptr) << nk_last_error();
  if (out.data == nullptr || out.rank != 3) return in;
  const float* at = tensor_data_f32(out);
  return {out.shape[0], out.shape[1], out.shape[2], {at, at + out.num_elements}};
}

Image sum(Image a, Image b) {
  Tensor x = a.tensor(), y = b.tensor();
  Ops::MatAddND(x, y, x);
  return a;
}
Image relu(Image a) {
  Tensor x = a.tensor();
  Ops::ReLU(x, x);
  return a;
}
Image swish(Image a) {
  Image gate = a;
  Tensor x = a.tensor(), g = gate.tensor();
  Ops::Sigmoid(g, g);
  Ops::MulND(x, g, x);
  return a;
}

void expect_equal_bits(const Image& a, const Image& b) {
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)), 0);
}
// A convolution, a batch norm where scale is given, a relu.
struct Conv {
  int kernel, stride, in, out;
  float *w, *b, *scale, *shift;
  ConvActivationType activation = ConvActivationType::None;
};
Image conv(const Conv& c, const Image& in) {
  const int pad = c.kernel / 2;
  return run(
      c.scale ? 2 : 1,
      [&](CNNNetwork& net, Arena&) {
        net.InitConvLayer(0, c.kernel, c.stride, c.in, c.out, c.w, c.b, c.activation, 0, pad, pad);
        if (c.scale) net.InitBatchNormLayer(1, c.out, c.scale, c.shift);
      },
      in);
}

TEST(Blocks, ResNetEqualsItsLayers) {
  for (const bool norms : {false, true}) {
    for (const int stride : {1, 2}) {
      Weights w;
      const int in_c = 4, out_c = stride == 1 ? 4 : 6;
      const auto made = [&](int kernel, int s, int in) {
        return Conv{kernel,
                    s,
                    in,
                    out_c,
                    w.take(static_cast<size_t>(kernel * kernel * in * out_c)),
                    w.take(6),
                    norms ? w.take(6) : nullptr,
                    norms ? w.take(6) : nullptr};
      };
      const Conv a = made(3, stride, in_c), b = made(3, 1, out_c), c = made(1, stride, in_c);
      const Image in = image_of(8, 8, 4);
      const Image block = run(
          1,
          [&](CNNNetwork& net, Arena& arena) {
            net.InitResNetBasicBlockLayer(0, arena, 8, 8, in_c, out_c, stride, a.w, a.b, a.scale,
                                          a.shift, b.w, b.b, b.scale, b.shift, c.w, c.b, c.scale,
                                          c.shift);
          },
          in);
      const Image shortcut = stride == 1 ? in : conv(c, in);
      expect_equal_bits(block, relu(sum(shortcut, conv(b, relu(conv(a, in))))));
    }
  }
}

TEST(Blocks, UibEqualsItsLayers) {
  Weights w;
  const Conv expand = {1, 1, 8, 16, w.take(128), w.take(16), w.take(16), w.take(16)};
  const Conv project = {1, 1, 16, 8, w.take(128), w.take(8), w.take(8), w.take(8)};
  float *start = w.take(72), *start_b = w.take(8), *start_s = w.take(8), *start_t = w.take(8);
  float *mid = w.take(16 * 9), *mid_b = w.take(16), *mid_s = w.take(16), *mid_t = w.take(16);
  const Image in = image_of(6, 6, 8);
  const Image block = run(
      1,
      [&](CNNNetwork& net, Arena& arena) {
        net.InitMobilenetV4UibLayer(0, arena, 6, 6, 8, 8, 3, 3, 1, 1, 2.0f, start, start_b, start_s,
                                    start_t, expand.w, expand.b, expand.scale, expand.shift, mid,
                                    mid_b, mid_s, mid_t, project.w, project.b, project.scale,
                                    project.shift);
      },
      in);
  const auto depthwise = [](int channels, float* dw, float* b, float* scale, float* shift,
                            const Image& from) {
    return run(
        2,
        [&](CNNNetwork& net, Arena&) {
          net.InitDepthwiseConvLayer(0, 3, 3, 1, channels, dw, b, ConvActivationType::None, 0, 1,
                                     1);
          net.InitBatchNormLayer(1, channels, scale, shift);
        },
        from);
  };
  Image y = depthwise(8, start, start_b, start_s, start_t, in);
  y = relu(depthwise(16, mid, mid_b, mid_s, mid_t, relu(conv(expand, y))));
  expect_equal_bits(block, sum(in, conv(project, y)));
}

TEST(Blocks, YoloxHeadEqualsItsLayers) {
  Weights w;
  const Conv stem = {1, 1, 6, 4, w.take(24), w.take(4), nullptr, nullptr};
  const Conv cls = {3, 1, 4, 4, w.take(144), w.take(4), nullptr, nullptr};
  const Conv reg = {3, 1, 4, 4, w.take(144), w.take(4), nullptr, nullptr};
  const Conv cls_pred = {1, 1, 4, 2, w.take(8), w.take(2), nullptr, nullptr};
  const Conv reg_pred = {1, 1, 4, 4, w.take(16), w.take(4), nullptr, nullptr};
  const Conv obj_pred = {1, 1, 4, 1, w.take(4), w.take(1), nullptr, nullptr};
  float* cls_w[] = {cls.w};
  float* cls_b[] = {cls.b};
  float* reg_w[] = {reg.w};
  float* reg_b[] = {reg.b};
  const Image in = image_of(5, 5, 6);
  const Image block = run(
      1,
      [&](CNNNetwork& net, Arena& arena) {
        net.InitYoloxDecoupledHeadLayer(0, arena, 5, 5, 6, 4, 2, 1, stem.w, stem.b, cls_w, cls_b,
                                        reg_w, reg_b, cls_pred.w, cls_pred.b, reg_pred.w,
                                        reg_pred.b, obj_pred.w, obj_pred.b);
      },
      in);
  const Image s = swish(conv(stem, in)), c = swish(conv(cls, s)), r = swish(conv(reg, s));
  const Image box = conv(reg_pred, r), object = conv(obj_pred, r), classes = conv(cls_pred, c);
  Image joined = {5, 5, 7, {}};
  for (size_t i = 0; i < 25; ++i) {
    const auto put = [&](const Image& from) {
      const float* at = from.values.data() + i * from.c;
      joined.values.insert(joined.values.end(), at, at + from.c);
    };
    put(box);
    put(object);
    put(classes);
  }
  expect_equal_bits(block, joined);
}

TEST(Blocks, ReadOnlyWeightsOfTheOthers) {
  Weights w;
  const Image in = image_of(4, 4, 2);
  const Image next = run(
      1,
      [&](CNNNetwork& net, Arena& arena) {
        net.InitConvNeXtV2BlockLayer(0, arena, 4, 4, 2, 1e-6f, w.take(98), w.take(2), w.take(2),
                                     w.take(2), w.take(16), w.take(8), w.take(8), w.take(8),
                                     w.take(16), w.take(2));
      },
      in);
  EXPECT_EQ(next.values.size(), 32u);
  Memory memory;
  CNNNetwork neck(5, memory.arena);
  neck.InitFeatureTapLayer(0, 8, 8, 2, 0);
  neck.InitPoolLayer(1, 2, 2, 2);
  neck.InitFeatureTapLayer(2, 4, 4, 2, 1);
  neck.InitPoolLayer(3, 2, 2, 2);
  const auto pair = [&] { return w.take(8); };
  const auto dw = [&] { return w.take(36); };
  const auto pw = [&] { return w.take(16); };
  const auto b = [&] { return w.take(4); };
  neck.InitYoloxPafpnLayer(4, memory.arena, 2, 2, 2, 2, 2, 4, 3, 1, pair(), b(), pair(), b(),
                           pair(), b(), dw(), b(), pw(), b(), dw(), b(), pw(), b(), dw(), b(), pw(),
                           b(), dw(), b(), pw(), b());
  ASSERT_TRUE(neck.InitActivationBuffers(memory.arena, 8, 8, 2)) << nk_last_error();
  Image big = image_of(8, 8, 2);
  EXPECT_EQ(neck.forward(big.tensor(), memory.arena).num_elements, 4u * (64 + 16 + 4));
}

}  // namespace
