// SPDX-License-Identifier: MIT
// Composite blocks against the same networks of primitive layers, from weights in memory that
// nobody may write. Built with -Iinclude/compat.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "cnn.hpp"
#include "ops.hpp"
#include "ops/unary/unary.h"
#include "tensor_factory.hpp"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_gelu_tanh_f32_ref);
NK_EXTERN_C_END

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
  // A bit for each convolution that has a batch norm.
  for (const int norms : {0, 1, 2, 3, 4, 6, 7}) {
    for (const int stride : {1, 2}) {
      Weights w;
      const int in_c = 4, out_c = stride == 1 ? 4 : 6;
      int bit = 1;
      const auto made = [&](int kernel, int s, int in) {
        const bool norm = (norms & bit) != 0;
        bit *= 2;
        return Conv{kernel,
                    s,
                    in,
                    out_c,
                    w.take(static_cast<size_t>(kernel * kernel * in * out_c)),
                    w.take(6),
                    norm ? w.take(6) : nullptr,
                    norm ? w.take(6) : nullptr};
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

// The tanh form of GELU, through the kernel that both engines call.
Image gelu(Image a) {
  nk_unary_params p{};
  p.count = static_cast<int32_t>(a.values.size());
  const void* in[] = {a.values.data()};
  void* out[] = {a.values.data()};
  nk_gelu_tanh_f32_ref(&p, in, out, nullptr);
  return a;
}

// y = x * (gamma * n + 1) with n = g / (mean(g) + eps), g the L2 norm of each channel.
Image response_scale(Image a, const float* gamma, float eps) {
  std::vector<float> g(a.c);
  float mean = 0;
  for (uint32_t c = 0; c < a.c; ++c) {
    for (size_t i = c; i < a.values.size(); i += a.c) g[c] += a.values[i] * a.values[i];
    g[c] = std::sqrt(g[c]);
    mean += g[c];
  }
  mean /= static_cast<float>(a.c);
  for (size_t i = 0; i < a.values.size(); ++i) {
    const size_t c = i % a.c;
    a.values[i] *= g[c] / (mean + eps) * gamma[c] + 1.0f;
  }
  return a;
}

// A depthwise convolution and a bias.
Image depthwise(int kernel, int stride, float* w, float* b, const Image& in) {
  return run(
      1,
      [&](CNNNetwork& net, Arena&) {
        net.InitDepthwiseConvLayer(0, kernel, kernel, stride, static_cast<int>(in.c), w, b,
                                   ConvActivationType::None, 0, kernel / 2, kernel / 2);
      },
      in);
}

TEST(Blocks, ConvNextEqualsItsLayers) {
  Weights w;
  const int c = 6;
  const float eps = 1e-6f;
  float *dw = w.take(49 * c), *dw_b = w.take(c), *norm = w.take(c), *norm_b = w.take(c);
  const Conv expand = {1, 1, c, 4 * c, w.take(4 * c * c), w.take(4 * c), nullptr, nullptr};
  float *gamma = w.take(4 * c), *beta = w.take(4 * c);
  const Conv project = {1, 1, 4 * c, c, w.take(4 * c * c), w.take(c), nullptr, nullptr};
  const Image in = image_of(9, 7, c);
  const Image block = run(
      1,
      [&](CNNNetwork& net, Arena& arena) {
        net.InitConvNeXtV2BlockLayer(0, arena, 9, 7, c, eps, dw, dw_b, norm, norm_b, expand.w,
                                     expand.b, gamma, beta, project.w, project.b);
      },
      in);
  const Image wide = run(
      3,
      [&](CNNNetwork& net, Arena&) {
        net.InitDepthwiseConvLayer(0, 7, 7, 1, c, dw, dw_b, ConvActivationType::None, 0, 3, 3);
        net.InitLayerNormLayer(1, c, eps, norm, norm_b);
        net.InitConvLayer(2, 1, 1, c, 4 * c, expand.w, expand.b, ConvActivationType::None);
      },
      in);
  // The shift of the response norm as a batch norm of scale 1 in front of the projection.
  std::vector<float> ones(4 * c, 1.0f);
  const Image narrow = run(
      2,
      [&](CNNNetwork& net, Arena&) {
        net.InitBatchNormLayer(0, 4 * c, ones.data(), beta);
        net.InitConvLayer(1, 1, 1, 4 * c, c, project.w, project.b, ConvActivationType::None);
      },
      response_scale(gelu(wide), gamma, eps));
  expect_equal_bits(block, sum(in, narrow));
}

Image upsampled(const Image& a) {
  Image y = {2 * a.h, 2 * a.w, a.c, {}};
  for (uint32_t row = 0; row < y.h; ++row) {
    for (uint32_t column = 0; column < y.w; ++column) {
      const float* at = a.values.data() + (row / 2 * a.w + column / 2) * a.c;
      y.values.insert(y.values.end(), at, at + a.c);
    }
  }
  return y;
}

TEST(Blocks, PafpnEqualsItsLayers) {
  Weights w;
  const int c3 = 3, c4 = 5, c5 = 4, hidden = 4;
  const auto lateral = [&](int channels) {
    return Conv{1,
                1,
                channels,
                hidden,
                w.take(static_cast<size_t>(channels * hidden)),
                w.take(hidden),
                nullptr,
                nullptr};
  };
  const Conv lat3 = lateral(c3), lat4 = lateral(c4), lat5 = lateral(c5);
  const Conv to4 = {
      3, 2, c3, c4, w.take(9 * c3 * c4), w.take(c4), nullptr, nullptr, ConvActivationType::ReLU};
  const Conv to5 = {
      3, 2, c4, c5, w.take(9 * c4 * c5), w.take(c5), nullptr, nullptr, ConvActivationType::ReLU};
  struct Separable {
    float *dw, *dw_b;
    Conv pw;
  };
  const auto separable = [&] {
    return Separable{w.take(9 * hidden), w.take(hidden), lateral(hidden)};
  };
  const Separable p4_of = separable(), p3_of = separable(), n4_of = separable(),
                  n5_of = separable();
  const Image in = image_of(12, 8, c3);
  Memory memory;
  CNNNetwork net(5, memory.arena);
  net.InitFeatureTapLayer(0, 12, 8, c3, 0);
  net.InitConvLayer(1, 3, 2, c3, c4, to4.w, to4.b, to4.activation, 0, 1, 1);
  net.InitFeatureTapLayer(2, 6, 4, c4, 1);
  net.InitConvLayer(3, 3, 2, c4, c5, to5.w, to5.b, to5.activation, 0, 1, 1);
  net.InitYoloxPafpnLayer(4, memory.arena, 3, 2, c3, c4, c5, hidden, 3, 1, lat3.w, lat3.b, lat4.w,
                          lat4.b, lat5.w, lat5.b, p4_of.dw, p4_of.dw_b, p4_of.pw.w, p4_of.pw.b,
                          p3_of.dw, p3_of.dw_b, p3_of.pw.w, p3_of.pw.b, n4_of.dw, n4_of.dw_b,
                          n4_of.pw.w, n4_of.pw.b, n5_of.dw, n5_of.dw_b, n5_of.pw.w, n5_of.pw.b);
  ASSERT_TRUE(net.InitActivationBuffers(memory.arena, 12, 8, c3)) << nk_last_error();
  Image given = in;
  const Tensor& out = net.forward(given.tensor(), memory.arena);
  ASSERT_NE(out.data, nullptr) << nk_last_error();
  const Image block = {
      1, 1, out.num_elements, {tensor_data_f32(out), tensor_data_f32(out) + out.num_elements}};

  const auto through = [&](const Separable& s, int stride, const Image& x) {
    return swish(conv(s.pw, depthwise(3, stride, s.dw, s.dw_b, x)));
  };
  const Image x4 = conv(to4, in), x5 = conv(to5, x4), l5 = conv(lat5, x5);
  const Image p4 = through(p4_of, 1, sum(conv(lat4, x4), upsampled(l5)));
  const Image p3 = through(p3_of, 1, sum(conv(lat3, in), upsampled(p4)));
  const Image n4 = sum(through(n4_of, 2, p3), p4);
  const Image n5 = sum(through(n5_of, 2, n4), l5);
  Image joined = {1, 1, 0, {}};
  for (const Image* part : {&p3, &n4, &n5}) {
    joined.values.insert(joined.values.end(), part->values.begin(), part->values.end());
  }
  expect_equal_bits(block, joined);
}

}  // namespace
