// SPDX-License-Identifier: MIT
// pad: a naive oracle over modes and axes, by hand, foreign forms.
#include <gtest/gtest.h>

#include "ops/common/testing/kernel_check.h"
#include "ops/common/testing/node_check.h"

namespace netkit {
namespace {

using check::onnx;
using check::quant_of;
using check::tflite;
using F = std::vector<float>;

// Position of padded index i in [0, n), or -1 for the value; reflections are walked step by step.
int64_t source(int64_t i, int64_t n, const std::string& mode) {
  if (i >= 0 && i < n) return i;
  if (mode == "constant") return -1;
  if (mode == "edge") return i < 0 ? 0 : n - 1;
  if (mode == "wrap") return ((i % n) + n) % n;
  if (n == 1) return 0;
  int64_t at = 0, step = i < 0 ? -1 : 1;
  for (int64_t k = 0; k < std::abs(i); ++k) {  // a walk from 0 that bounces at the ends
    if (at + step < 0 || at + step >= n) {
      step = -step;
      if (mode == "symmetric") continue;
    }
    at += step;
  }
  return at;
}

F naive(const F& x, const Dims& dims, const Dims& pads, const std::string& mode, float value) {
  const size_t rank = dims.size();
  Dims out(rank);
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    out[i] = dims[i] + pads[i] + pads[rank + i];
    count *= static_cast<size_t>(out[i]);
  }
  F y(count);
  for (size_t at = 0; at < count; ++at) {
    size_t rest = at;
    int64_t from = 0, stride = 1;
    bool inside = true;
    for (size_t i = rank; i-- > 0;) {
      const auto index = static_cast<int64_t>(rest % static_cast<size_t>(out[i]));
      rest /= static_cast<size_t>(out[i]);
      const int64_t s = source(index - pads[i], dims[i], mode);
      inside = inside && s >= 0;
      from += s * stride;
      stride *= dims[i];
    }
    y[at] = inside ? x[static_cast<size_t>(from)] : value;
  }
  return y;
}

TEST(Pad, EveryModeOverRandomAxes) {
  check::Rng rng(1);
  for (const std::string mode : {"constant", "reflect", "edge", "wrap"}) {
    for (int round = 0; round < 60; ++round) {
      const auto rank = static_cast<size_t>(rng.in(1, 5));
      Dims dims, pads;
      size_t count = 1;
      for (size_t i = 0; i < rank; ++i) {
        dims.push_back(rng.in(1, 4));
        count *= static_cast<size_t>(dims[i]);
      }
      for (size_t i = 0; i < 2 * rank; ++i) pads.push_back(rng.in(0, 2) == 0 ? rng.in(1, 5) : 0);
      const F x = rng.reals(count, -1, 1);
      auto node = onnx("Pad", 19)
                      .in<float>(dims, x)
                      .constant<int64_t>({static_cast<int64_t>(pads.size())}, pads)
                      .constant<float>({}, {0.5f})
                      .set("mode", mode);
      ASSERT_EQ(node.run<float>(), naive(x, dims, pads, mode, 0.5f)) << mode << dims_text(dims);
    }
  }
}

TEST(Pad, ForeignForms) {
  const F x{1, 2, 3, 4};
  auto old = onnx("Pad", 10)
                 .in<float>({2, 2}, x)
                 .set("pads", Dims{0, 1, 0, 0})
                 .set("value", 9.0);
  EXPECT_EQ(old.run<float>(), (F{9, 1, 2, 9, 3, 4}));
  auto crop = onnx("Pad", 13).in<float>({2, 2}, x).constant<int64_t>({4}, {-1, 0, 1, 1});
  EXPECT_EQ(crop.run<float>(), (F{3, 4, 0, 0, 0, 0}));
  auto axes = onnx("Pad", 18)
                  .in<float>({2, 2}, x)
                  .constant<int64_t>({2}, {1, 0})
                  .absent()
                  .constant<int64_t>({1}, {-1});
  EXPECT_EQ(axes.run<float>(), (F{0, 1, 2, 0, 3, 4}));
  auto symmetric = tflite("MIRROR_PAD")
                       .in<float>({3}, {1, 2, 3})
                       .constant<int32_t>({1, 2}, {2, 1})
                       .set("mode", std::string("SYMMETRIC"));
  EXPECT_EQ(symmetric.run<float>(), (F{2, 1, 1, 2, 3, 3}));
  auto empty = onnx("Pad", 13).in<float>({0, 2}, {}).constant<int64_t>({4}, {1, 0, 1, 0});
  EXPECT_EQ(empty.run<float>(), (F{0, 0, 0, 0}));
  auto nothing = onnx("Pad", 13).in<float>({2, 2}, x).constant<int64_t>({4}, {-3, 0, 0, 0});
  EXPECT_NE(check::refusal(nothing), "");
}

// Quantised padding is the zero point, or the value in the tensor's own scale.
TEST(Pad, QuantisedValues) {
  auto zero = tflite("PAD")
                  .in<int8_t>({2}, {5, 6}, quant_of(0.5f, -128))
                  .constant<int32_t>({1, 2}, {1, 1})
                  .declare(NK_INT8, {4}, quant_of(0.5f, -128));
  EXPECT_EQ(zero.run<int8_t>(), (std::vector<int8_t>{-128, 5, 6, -128}));
  auto value = tflite("PADV2")
                   .in<int8_t>({2}, {5, 6}, quant_of(0.5f, 3))
                   .constant<int32_t>({1, 2}, {0, 1})
                   .constant<int8_t>({}, {-77}, quant_of(0.5f, 3))
                   .declare(NK_INT8, {3}, quant_of(0.5f, 3));
  EXPECT_EQ(value.run<int8_t>(), (std::vector<int8_t>{5, 6, -77}));
  auto wide = tflite("PADV2")
                  .in<int64_t>({1}, {5})
                  .constant<int32_t>({1, 2}, {1, 0})
                  .constant<int64_t>({}, {-9});
  EXPECT_EQ(wide.run<int64_t>(), (std::vector<int64_t>{-9, 5}));
}

}  // namespace
}  // namespace netkit
