// SPDX-License-Identifier: MIT
// Convolutions of 8-bit values whose scales the node states: ConvInteger, QLinearConv.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::Rng;

struct Shape {
  int64_t n = 1, c = 4, h = 5, w = 6, out_c = 6, groups = 1, k = 3, stride = 1, pad = 1;
  int64_t out(int64_t in) const { return (in + 2 * pad - k) / stride + 1; }
  Dims x() const { return {n, c, h, w}; }
  Dims weights() const { return {out_c, c / groups, k, k}; }
};

// Sums of the differences to the zero points in NCHW; what lies outside counts nothing.
template <typename X, typename W>
std::vector<int64_t> sums_of(const Shape& s, const std::vector<X>& x, const std::vector<W>& w,
                             int xz, int wz) {
  std::vector<int64_t> y;
  const int64_t per = s.c / s.groups;
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t oc = 0; oc < s.out_c; ++oc) {
      for (int64_t at = 0; at < s.out(s.h) * s.out(s.w); ++at) {
        int64_t sum = 0;
        for (int64_t i = 0; i < per * s.k * s.k; ++i) {
          const int64_t ic = i / (s.k * s.k), ky = i / s.k % s.k, kx = i % s.k;
          const int64_t iy = at / s.out(s.w) * s.stride + ky - s.pad;
          const int64_t ix = at % s.out(s.w) * s.stride + kx - s.pad;
          if (iy < 0 || ix < 0 || iy >= s.h || ix >= s.w) continue;
          const int64_t channel = oc / (s.out_c / s.groups) * per + ic;
          const auto from = static_cast<size_t>(((n * s.c + channel) * s.h + iy) * s.w + ix);
          sum += int64_t{x[from] - xz} * (w[static_cast<size_t>(oc * per * s.k * s.k + i)] - wz);
        }
        y.push_back(sum);
      }
    }
  }
  return y;
}

constexpr Shape kIntegerShapes[] = {{}, {2, 4, 5, 6, 6, 2, 3, 2, 1}, {1, 3, 4, 4, 3, 3, 2, 1, 0}};

template <typename T>
std::vector<T> any(Rng& rng, const Dims& dims) {
  return rng.ints<T>(static_cast<size_t>(*element_count(dims)), std::is_signed_v<T> ? -128 : 0,
                     std::is_signed_v<T> ? 127 : 255);
}

NodeCase& window(NodeCase& node, const Shape& s) {
  return node.set("group", s.groups)
      .set("strides", Dims{s.stride, s.stride})
      .set("pads", Dims{s.pad, s.pad, s.pad, s.pad});
}

template <typename X, typename W>
void check_integer() {
  Rng rng(1);
  for (const Shape& s : kIntegerShapes) {
    const auto x = any<X>(rng, s.x()), xz = any<X>(rng, {});
    const auto w = any<W>(rng, s.weights()), wz = any<W>(rng, {});
    NodeCase node = onnx("ConvInteger", 10);
    node.in<X>(s.x(), x);
    node.constant<W>(s.weights(), w);
    node.constant<X>({}, xz);
    node.constant<W>({}, wz);
    const auto y = window(node, s).run<int32_t>();
    ASSERT_EQ(std::vector<int64_t>(y.begin(), y.end()), sums_of(s, x, w, xz[0], wz[0]))
        << node.error();
  }
}

TEST(ConvInteger, EqualsAnIndependentOracleInAllTypes) {
  check_integer<int8_t, int8_t>();
  check_integer<uint8_t, int8_t>();
  check_integer<int8_t, uint8_t>();
  check_integer<uint8_t, uint8_t>();
}

// `channels` 1: a scale of the weights for each output channel.
template <typename X, typename W, typename Y>
void check_qlinear(bool channels) {
  Rng rng(2);
  for (const Shape& s : kIntegerShapes) {
    const auto x = any<X>(rng, s.x()), xz = any<X>(rng, {});
    const auto w = any<W>(rng, s.weights()), wz = any<W>(rng, {});
    const auto count = static_cast<size_t>(channels ? s.out_c : 1);
    const auto ws = rng.reals(count, 0.005f, 0.02f);
    const auto bias = rng.ints<int32_t>(static_cast<size_t>(s.out_c), -20000, 20000);
    const float xs = 0.03f, ys = 0.8f;
    const Y yz = any<Y>(rng, {})[0];
    const Dims per = channels ? Dims{s.out_c} : Dims{};
    NodeCase node = onnx("QLinearConv", 10);
    node.in<X>(s.x(), x);
    node.constant<float>({}, {xs});
    node.constant<X>({}, xz);
    node.constant<W>(s.weights(), w);
    node.constant<float>(per, ws);
    node.constant<W>(per, std::vector<W>(count, wz[0]));
    node.constant<float>({}, {ys});
    node.constant<Y>({}, {yz});
    node.constant<int32_t>({s.out_c}, bias);
    const auto y = window(node, s).run<Y>();
    const auto sums = sums_of(s, x, w, xz[0], wz[0]);
    ASSERT_EQ(y.size(), sums.size()) << node.error();
    const int64_t pixels = s.out(s.h) * s.out(s.w);
    for (size_t i = 0; i < y.size(); ++i) {
      const auto oc = static_cast<size_t>(static_cast<int64_t>(i) / pixels % s.out_c);
      const double scale = double{xs} * ws[channels ? oc : 0] / ys;
      const double want = static_cast<double>(sums[i] + bias[oc]) * scale + yz;
      const double lo = std::numeric_limits<Y>::min(), hi = std::numeric_limits<Y>::max();
      ASSERT_NEAR(y[i], std::clamp(want, lo, hi), 0.501) << i;
    }
  }
}

TEST(QLinearConv, IsWithinAStepOfTheRealConvolution) {
  for (const bool channels : {false, true}) {
    check_qlinear<uint8_t, uint8_t, uint8_t>(channels);
    check_qlinear<uint8_t, int8_t, uint8_t>(channels);
    check_qlinear<int8_t, int8_t, int8_t>(channels);
    check_qlinear<int8_t, int8_t, uint8_t>(channels);
  }
}

TEST(QLinearConv, RefusesZeroPointsOfAnotherType) {
  NodeCase node = onnx("QLinearConv", 10)
                      .in<uint8_t>({1, 1, 1, 1}, {1})
                      .constant<float>({}, {1.0f})
                      .constant<int8_t>({}, {0})
                      .constant<int8_t>({1, 1, 1, 1}, {1})
                      .constant<float>({}, {1.0f})
                      .constant<int8_t>({}, {0})
                      .constant<float>({}, {1.0f})
                      .constant<uint8_t>({}, {0});
  EXPECT_NE(check::refusal(node).find("zero point"), std::string::npos);
}

// int8 weights beside float32 activations count as the real numbers that they stand for.
TEST(HybridWeights, AreRealNumbers) {
  NodeCase conv = check::tflite("CONV_2D")
                      .in<float>({1, 1, 2, 2}, {1, 2, 3, 4})
                      .constant<int8_t>({2, 1, 1, 2}, {1, 2, 3, 4}, {{0.5f, 0.25f}, {0, 0}, 0})
                      .constant<float>({2}, {10, 20})
                      .set("stride_h", int64_t{1})
                      .set("stride_w", int64_t{1})
                      .set("padding", std::string("VALID"));
  EXPECT_EQ(conv.run<float>(), (std::vector<float>{12.5f, 22.75f, 15.5f, 26.25f})) << conv.error();
  NodeCase dense = check::tflite("FULLY_CONNECTED")
                       .in<float>({1, 2}, {1, 2})
                       .constant<int8_t>({1, 2}, {3, 4}, check::quant_of(0.5f, 0))
                       .absent();
  EXPECT_EQ(dense.run<float>(), (std::vector<float>{5.5f})) << dense.error();
}

}  // namespace
}  // namespace netkit
