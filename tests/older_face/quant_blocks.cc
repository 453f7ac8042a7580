// SPDX-License-Identifier: MIT
// ResNet and YOLOX blocks in int8, set by hand, against the same blocks in float32 on the numbers
// that their int8 weights stand for. Built with -Iinclude/compat.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "cnn.hpp"
#include "tensor_factory.hpp"

namespace {

constexpr uint32_t kSize = 6;

// A convolution of a block: int8 weights, and the real numbers that they stand for.
struct Conv {
  std::vector<int8_t> q;
  std::vector<int32_t> bias_q;
  std::vector<float> real, bias, scales;
};

// The range of what a convolution and its swish put out, from a float run.
struct Range {
  float scale;
  int32_t zero;
};
Range range_of(const std::vector<float>& values, bool positive) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const float least = positive ? 0.0f : std::min(0.0f, *low);
  const float scale = std::max(*high - least, 1e-3f) / 255.0f;
  return {scale, static_cast<int32_t>(std::lround(-128.0f - least / scale))};
}

Conv conv_of(size_t out, size_t taps, float in_scale, int seed) {
  Conv c;
  for (size_t o = 0; o < out; ++o) {
    c.scales.push_back(0.002f + 0.0005f * static_cast<float>(o % 3));
    c.bias_q.push_back(static_cast<int32_t>(o * 41 % 400) - 150);
    c.bias.push_back(static_cast<float>(c.bias_q[o]) * in_scale * c.scales[o]);
    for (size_t t = 0; t < taps; ++t) {
      const auto at = static_cast<unsigned>(o * taps + t + static_cast<size_t>(seed) * 1000);
      c.q.push_back(static_cast<int8_t>(static_cast<int>(at * 2654435761u >> 20) % 255 - 127));
      c.real.push_back(static_cast<float>(c.q.back()) * c.scales[o]);
    }
  }
  return c;
}

QuantLayer entry_of(const Conv& c, Range in, Range out, Range act = {0, 0}) {
  return {c.q.data(), c.bias_q.data(), in.scale,        in.zero,
          out.scale,  out.zero,        c.scales.data(), static_cast<uint32_t>(c.scales.size()),
          act.scale,  act.zero};
}

template <typename T, typename Set>
std::vector<T> run(std::vector<T> in, uint32_t size, uint32_t channels, const Set& set,
                   uint32_t layers = 1) {
  std::vector<unsigned char> memory(1 << 18, 0xA5);
  Arena arena(memory.data(), memory.size());
  CNNNetwork net(layers, arena);
  set(net, arena);
  if (!net.InitActivationBuffers(arena, size, size, channels)) {
    ADD_FAILURE() << nk_last_error();
    return {};
  }
  EXPECT_EQ(net.IsQuantized(), sizeof(T) == 1);
  const uint32_t shape[] = {size, size, channels};
  Tensor x = TensorFactory::ViewND(nullptr, 3, shape);
  x.data = in.data();
  if (sizeof(T) == 1) {
    x = TensorFactory::View3DInt8(reinterpret_cast<int8_t*>(in.data()), size, size, channels);
  }
  const Tensor& y = net.forward(x, arena);
  if (y.data == nullptr) {
    ADD_FAILURE() << nk_last_error();
    return {};
  }
  const T* at = static_cast<const T*>(y.data);
  return {at, at + y.num_elements};
}

std::vector<float> convolve(const std::vector<float>& in, uint32_t size, int in_c, int out_c,
                            int kernel, int stride, Conv& c, bool relu) {
  return run<float>(in, size, static_cast<uint32_t>(in_c), [&](CNNNetwork& net, Arena&) {
    net.InitConvLayer(0, kernel, stride, in_c, out_c, c.real.data(), c.bias.data(),
                      relu ? ConvActivationType::ReLU : ConvActivationType::None, 0, kernel / 2,
                      kernel / 2);
  });
}
std::vector<float> swish(std::vector<float> x) {
  for (float& v : x) v = v / (1.0f + std::exp(-v));
  return x;
}

struct Input {
  Range range = {2.0f / 255, -1};
  std::vector<int8_t> q;
  std::vector<float> real;
  explicit Input(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      q.push_back(static_cast<int8_t>(static_cast<int>(i * 37 % 255) - 127));
      real.push_back(range.scale * static_cast<float>(q.back() - range.zero));
    }
  }
};

// Every value within `steps` steps of the output; the mean distance within one.
void expect_close(const std::vector<int8_t>& got, const std::vector<float>& real, Range out,
                  float steps) {
  ASSERT_EQ(got.size(), real.size());
  double total = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const float value = out.scale * static_cast<float>(got[i] - out.zero);
    const float clamped = std::clamp(real[i], out.scale * static_cast<float>(-128 - out.zero),
                                     out.scale * static_cast<float>(127 - out.zero));
    EXPECT_NEAR(value, clamped, steps * out.scale) << i;
    total += std::fabs(static_cast<double>(value - clamped));
  }
  EXPECT_LT(total / static_cast<double>(got.size()), static_cast<double>(out.scale));
}

TEST(QuantBlocks, ResNet) {
  for (const int stride : {1, 2}) {
    const int in_c = 4, out_c = stride == 1 ? 4 : 6;
    const Input in(kSize * kSize * 4);
    const auto wide = static_cast<size_t>(out_c);
    Conv a = conv_of(wide, 36, in.range.scale, 1);
    const std::vector<float> mid = convolve(in.real, kSize, in_c, out_c, 3, stride, a, true);
    const Range mid_range = range_of(mid, true);
    Conv b = conv_of(wide, 9 * wide, mid_range.scale, 2);
    const uint32_t small = (kSize - 1) / static_cast<uint32_t>(stride) + 1;
    const Range b_range = range_of(convolve(mid, small, out_c, out_c, 3, 1, b, false), false);
    Conv s = conv_of(wide, 4, in.range.scale, 3);
    const Range s_range =
        range_of(convolve(in.real, kSize, in_c, out_c, 1, stride, s, false), false);
    // The sum has the scale of the second convolution.
    const Range sum = {b_range.scale * 1.5f, b_range.zero};
    const std::vector<float> real =
        run<float>(in.real, kSize, 4, [&](CNNNetwork& net, Arena& arena) {
          net.InitResNetBasicBlockLayer(0, arena, kSize, kSize, in_c, out_c, stride, a.real.data(),
                                        a.bias.data(), nullptr, nullptr, b.real.data(),
                                        b.bias.data(), nullptr, nullptr, s.real.data(),
                                        s.bias.data(), nullptr, nullptr);
        });
    const std::vector<QuantLayer> entries = {entry_of(a, in.range, mid_range),
                                             entry_of(b, mid_range, sum),
                                             entry_of(s, in.range, s_range)};
    const std::vector<int8_t> got = run<int8_t>(in.q, kSize, 4, [&](CNNNetwork& net, Arena& arena) {
      net.SetQuantRuntime({entries.data(), stride == 1 ? 2u : 3u, false});
      net.InitResNetBasicBlockLayer(0, arena, kSize, kSize, in_c, out_c, stride, nullptr, nullptr,
                                    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                    nullptr, nullptr, nullptr);
    });
    expect_close(got, real, sum, 4);
  }
}

TEST(QuantBlocks, YoloxHead) {
  const int in_c = 6, hidden = 4, classes = 3;
  const Input in(kSize * kSize * 6);
  Conv stem = conv_of(4, 6, in.range.scale, 4);
  const auto stem_out = convolve(in.real, kSize, in_c, hidden, 1, 1, stem, false);
  const Range stem_range = range_of(stem_out, false), stem_act = range_of(swish(stem_out), false);
  Conv cls = conv_of(4, 36, stem_act.scale, 5), reg = conv_of(4, 36, stem_act.scale, 6);
  const auto cls_out = convolve(swish(stem_out), kSize, hidden, hidden, 3, 1, cls, false);
  const auto reg_out = convolve(swish(stem_out), kSize, hidden, hidden, 3, 1, reg, false);
  const Range cls_act = range_of(swish(cls_out), false), reg_act = range_of(swish(reg_out), false);
  Conv cls_pred = conv_of(3, 4, cls_act.scale, 7), reg_pred = conv_of(4, 4, reg_act.scale, 8);
  Conv obj_pred = conv_of(1, 4, reg_act.scale, 9);
  float* cls_w[] = {cls.real.data()};
  float* cls_b[] = {cls.bias.data()};
  float* reg_w[] = {reg.real.data()};
  float* reg_b[] = {reg.bias.data()};
  const std::vector<float> real = run<float>(in.real, kSize, 6, [&](CNNNetwork& net, Arena& arena) {
    net.InitYoloxDecoupledHeadLayer(
        0, arena, kSize, kSize, in_c, hidden, classes, 1, stem.real.data(), stem.bias.data(), cls_w,
        cls_b, reg_w, reg_b, cls_pred.real.data(), cls_pred.bias.data(), reg_pred.real.data(),
        reg_pred.bias.data(), obj_pred.real.data(), obj_pred.bias.data());
  });
  const Range out = range_of(real, false);
  std::vector<QuantLayer> entries = {entry_of(stem, in.range, stem_range, stem_act),
                                     entry_of(cls, stem_act, range_of(cls_out, false), cls_act),
                                     entry_of(reg, stem_act, range_of(reg_out, false), reg_act),
                                     entry_of(cls_pred, cls_act, out),
                                     entry_of(reg_pred, reg_act, out),
                                     entry_of(obj_pred, reg_act, out)};
  float* none[] = {nullptr};
  const auto set = [&](CNNNetwork& net, Arena& arena) {
    net.SetQuantRuntime({entries.data(), 6, false});
    net.InitYoloxDecoupledHeadLayer(0, arena, kSize, kSize, in_c, hidden, classes, 1, nullptr,
                                    nullptr, none, none, none, none, nullptr, nullptr, nullptr,
                                    nullptr, nullptr, nullptr);
  };
  expect_close(run<int8_t>(in.q, kSize, 6, set), real, out, 4);
  // Without the scale behind a swish there is no such network.
  entries[1].act_scale = 0;
  std::vector<unsigned char> memory(1 << 16);
  Arena arena(memory.data(), memory.size());
  CNNNetwork net(1, arena);
  set(net, arena);
  EXPECT_FALSE(net.InitActivationBuffers(arena, kSize, kSize, 6));
  EXPECT_STREQ(nk_last_error(),
               "layer 0 (YOLOX head): a convolution before a swish states no scale behind it");
}

constexpr int kNeck = 4;  // channels of all scales

std::vector<float> depthwise(const std::vector<float>& in, uint32_t size, int stride, Conv& c) {
  return run<float>(in, size, kNeck, [&](CNNNetwork& net, Arena&) {
    net.InitDepthwiseConvLayer(0, 3, 3, stride, kNeck, c.real.data(), c.bias.data(),
                               ConvActivationType::None, 0, 1, 1);
  });
}
std::vector<float> sum(std::vector<float> a, const std::vector<float>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
std::vector<float> halved(const std::vector<float>& in, uint32_t size) {
  return run<float>(in, size, kNeck,
                    [](CNNNetwork& net, Arena&) { net.InitPoolLayer(0, 2, 2, 2); });
}
std::vector<float> doubled(const std::vector<float>& in, uint32_t size) {
  std::vector<float> out;
  for (size_t i = 0; i < size_t{4} * size * size * kNeck; ++i) {
    const size_t pixel = i / kNeck, row = pixel / (2 * size) / 2, column = pixel % (2 * size) / 2;
    out.push_back(in[(row * size + column) * kNeck + i % kNeck]);
  }
  return out;
}

// A neck over taps of an input and of its halves, in both types of element.
template <typename T>
std::vector<T> neck(const std::vector<T>& in, std::deque<Conv>& convs,
                    const std::vector<QuantLayer>& entries) {
  const auto set = [&](CNNNetwork& net, Arena& arena) {
    const bool quantised = sizeof(T) == 1;
    if (quantised) net.SetQuantRuntime({entries.data(), 11, false});
    net.InitFeatureTapLayer(0, 8, 8, kNeck, 0);
    net.InitPoolLayer(1, 2, 2, 2);
    net.InitFeatureTapLayer(2, 4, 4, kNeck, 1);
    net.InitPoolLayer(3, 2, 2, 2);
    const auto w = [&](size_t i) { return quantised ? nullptr : convs[i].real.data(); };
    const auto b = [&](size_t i) { return quantised ? nullptr : convs[i].bias.data(); };
    net.InitYoloxPafpnLayer(4, arena, 2, 2, kNeck, kNeck, kNeck, kNeck, 3, 1, w(0), b(0), w(1),
                            b(1), w(2), b(2), w(3), b(3), w(4), b(4), w(5), b(5), w(6), b(6), w(7),
                            b(7), w(8), b(8), w(9), b(9), w(10), b(10));
  };
  return run<T>(in, 8, kNeck, set, 5);
}

TEST(QuantBlocks, Pafpn) {
  const Input in(8 * 8 * kNeck);
  std::deque<Conv> convs;
  std::vector<QuantLayer> entries;
  const auto lateral = [&](const std::vector<float>& x, uint32_t size, Range to) {
    convs.push_back(conv_of(kNeck, kNeck, in.range.scale, static_cast<int>(convs.size()) + 20));
    entries.push_back(entry_of(convs.back(), in.range, to));
    return convolve(x, size, kNeck, kNeck, 1, 1, convs.back(), false);
  };
  // One range for all sums and results, which are joined; the parts have their own.
  const Range wide = {4.0f / 255, 0}, inner = {6.0f / 255, 0};
  const auto separable = [&](const std::vector<float>& x, uint32_t size, int stride) {
    convs.push_back(conv_of(kNeck, 9, wide.scale, static_cast<int>(convs.size()) + 20));
    entries.push_back(entry_of(convs.back(), wide, inner));
    const std::vector<float> y = depthwise(x, size, stride, convs.back());
    convs.push_back(conv_of(kNeck, kNeck, inner.scale, static_cast<int>(convs.size()) + 20));
    entries.push_back(entry_of(convs.back(), inner, inner, wide));
    return swish(
        convolve(y, size / static_cast<uint32_t>(stride), kNeck, kNeck, 1, 1, convs.back(), false));
  };
  const std::vector<float> c4 = halved(in.real, 8), c5 = halved(c4, 4);
  const auto l3 = lateral(in.real, 8, wide), l4 = lateral(c4, 4, wide), l5 = lateral(c5, 2, wide);
  const auto p4 = separable(sum(l4, doubled(l5, 2)), 4, 1);
  const auto p3 = separable(sum(l3, doubled(p4, 4)), 8, 1);
  const auto n4 = sum(separable(p3, 8, 2), p4);
  const auto n5 = sum(separable(n4, 4, 2), l5);
  std::vector<float> real = p3;
  real.insert(real.end(), n4.begin(), n4.end());
  real.insert(real.end(), n5.begin(), n5.end());
  const std::vector<float> whole = neck(in.real, convs, entries);
  ASSERT_EQ(whole.size(), real.size());
  for (size_t i = 0; i < real.size(); ++i) EXPECT_NEAR(whole[i], real[i], 1e-5f);
  expect_close(neck(in.q, convs, entries), real, wide, 6);
}

}  // namespace
