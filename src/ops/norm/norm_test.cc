// SPDX-License-Identifier: MIT
// Normalisations against double oracles, in place, lowering.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::onnx;
using check::Rng;

// Normalises the elements `at` of x in double; y = (x - mean) / sqrt(var + eps) * scale + bias.
void normalise(const std::vector<float>& x, const std::vector<size_t>& at, double epsilon,
               bool centre, std::vector<double>& y) {
  double mean = 0, variance = 0;
  for (const size_t i : at) mean += x[i];
  mean = centre ? mean / static_cast<double>(at.size()) : 0.0;
  for (const size_t i : at) variance += (x[i] - mean) * (x[i] - mean);
  variance /= static_cast<double>(at.size());
  for (const size_t i : at) y[i] = (x[i] - mean) / std::sqrt(variance + epsilon);
}

TEST(LayerNorm, IsNearADoubleOracle) {
  Rng rng(1);
  for (const bool rms : {false, true}) {
    const auto x = rng.reals(2 * 5 * 12, 9.0f, 11.0f);
    const auto scale = rng.reals(12, -2, 2), bias = rng.reals(12, -1, 1);
    auto node = onnx(rms ? "RMSNormalization" : "LayerNormalization", 23)
                    .in<float>({2, 5, 12}, x)
                    .constant<float>({12}, scale)
                    .set("epsilon", 1e-3);
    if (!rms) node.constant<float>({12}, bias);
    const auto y = node.run<float>();
    ASSERT_EQ(y.size(), x.size()) << node.error();
    std::vector<double> want(x.size());
    for (size_t row = 0; row < 10; ++row) {
      std::vector<size_t> at;
      for (size_t i = 0; i < 12; ++i) at.push_back(row * 12 + i);
      normalise(x, at, 1e-3, !rms, want);
    }
    for (size_t i = 0; i < y.size(); ++i) {
      const double value = want[i] * scale[i % 12] + (rms ? 0.0 : bias[i % 12]);
      ASSERT_NEAR(y[i], value, 2e-5) << i;
    }
    int overlaps = 0;
    EXPECT_EQ(check::check_overlaps(node.graph(), node.values(), 4, overlaps), "");
    EXPECT_EQ(overlaps, 1);
  }
}

TEST(LayerNorm, OverSeveralAxes) {
  Rng rng(2);
  const auto x = rng.reals(24, -1, 1);
  auto node = onnx("LayerNormalization", 17)
                  .in<float>({2, 3, 4}, x)
                  .constant<float>({3, 4}, std::vector<float>(12, 1.0f))
                  .set("axis", int64_t{1});
  const auto y = node.run<float>();
  std::vector<double> want(24);
  for (size_t row = 0; row < 2; ++row) {
    std::vector<size_t> at;
    for (size_t i = 0; i < 12; ++i) at.push_back(row * 12 + i);
    normalise(x, at, 1e-5, true, want);
  }
  for (size_t i = 0; i < 24; ++i) ASSERT_NEAR(y[i], want[i], 1e-5);
  auto short_scale = onnx("LayerNormalization", 17).in<float>({2, 3}, rng.reals(6, 0, 1)).constant<
      float>({2}, {1, 1});
  EXPECT_NE(check::refusal(short_scale), "");
}

TEST(GroupNorm, InstancesAndGroupsOfNchw) {
  Rng rng(3);
  const size_t channels = 6, pixels = 10;
  const auto x = rng.reals(2 * channels * pixels, -1, 3);
  const auto scale = rng.reals(channels, 0.5f, 2), bias = rng.reals(channels, -1, 1);
  for (const size_t groups : {channels, size_t{2}, size_t{1}}) {
    const bool instance = groups == channels;
    auto node = onnx(instance ? "InstanceNormalization" : "GroupNormalization", 21)
                    .in<float>({2, 6, 2, 5}, x)
                    .constant<float>({6}, scale)
                    .constant<float>({6}, bias)
                    .set("num_groups", static_cast<int64_t>(groups));
    const auto y = node.run<float>();
    ASSERT_EQ(y.size(), x.size()) << node.error();
    std::vector<double> want(x.size());
    const size_t size = channels / groups * pixels;
    for (size_t g = 0; g < 2 * groups; ++g) {
      std::vector<size_t> at;
      for (size_t i = 0; i < size; ++i) at.push_back(g * size + i);
      normalise(x, at, 1e-5, true, want);
    }
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t c = i / pixels % channels;
      ASSERT_NEAR(y[i], want[i] * scale[c] + bias[c], 2e-5) << groups << " at " << i;
    }
  }
}

TEST(BatchNorm, FoldsItsFourVectors) {
  Rng rng(4);
  const auto x = rng.reals(2 * 3 * 4, -2, 2);
  const std::vector<float> gamma{1, -2, 0.5f}, beta{0, 1, -1}, mean{0.1f, -0.2f, 0.3f},
      variance{1, 0.25f, 4};
  auto node = onnx("BatchNormalization", 15)
                  .in<float>({2, 3, 4}, x)
                  .constant<float>({3}, gamma)
                  .constant<float>({3}, beta)
                  .constant<float>({3}, mean)
                  .constant<float>({3}, variance);
  const auto y = node.run<float>();
  ASSERT_EQ(y.size(), x.size()) << node.error();
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t c = i / 4 % 3;
    const double want = gamma[c] * (double{x[i]} - mean[c]) / std::sqrt(variance[c] + 1e-5) +
                        beta[c];
    ASSERT_NEAR(y[i], want, 2e-6);
  }
  auto flat = onnx("BatchNormalization", 15)
                  .in<float>({2, 1}, {1, 3})
                  .constant<float>({1}, {2})
                  .constant<float>({1}, {1})
                  .constant<float>({1}, {1})
                  .constant<float>({1}, {4})
                  .set("epsilon", 0.0);
  EXPECT_EQ(flat.run<float>(), (std::vector<float>{1, 3}));
  int overlaps = 0;
  EXPECT_EQ(check::check_overlaps(flat.graph(), flat.values(), 4, overlaps), "");
  auto open = onnx("BatchNormalization", 15).in<float>({2, 1}, {1, 3}).in<float>({1}, {1});
  EXPECT_NE(check::refusal(open), "");
}

TEST(Lrn, WindowsOfOnnxAndTflite) {
  Rng rng(5);
  const size_t channels = 5, pixels = 6;
  const auto x = rng.reals(channels * pixels, -3, 3);
  for (const int64_t size : {1, 2, 3, 4, 9}) {
    auto node = onnx("LRN", 13)
                    .in<float>({1, 5, 2, 3}, x)
                    .set("size", size)
                    .set("alpha", 0.3)
                    .set("beta", 0.6)
                    .set("bias", 1.5);
    const auto y = node.run<float>();
    ASSERT_EQ(y.size(), x.size()) << node.error();
    for (int64_t c = 0; c < 5; ++c) {
      for (size_t i = 0; i < pixels; ++i) {
        double sum = 0;
        for (int64_t k = c - (size - 1) / 2; k <= c + size / 2; ++k) {
          if (k < 0 || k >= 5) continue;
          const double v = x[static_cast<size_t>(k) * pixels + i];
          sum += v * v;
        }
        const size_t at = static_cast<size_t>(c) * pixels + i;
        const double want = x[at] / std::pow(1.5 + 0.3 / static_cast<double>(size) * sum, 0.6);
        ASSERT_NEAR(y[at], want, 2e-6);
      }
    }
  }
  auto lite = check::tflite("LOCAL_RESPONSE_NORMALIZATION")
                  .in<float>({1, 1, 1, 3}, {1, 2, 3})
                  .set("radius", int64_t{1})
                  .set("alpha", 1.0)
                  .set("beta", 1.0)
                  .set("bias", 1.0);
  const auto y = lite.run<float>();
  EXPECT_FLOAT_EQ(y.at(0), 1.0f / 6);
  EXPECT_FLOAT_EQ(y.at(1), 2.0f / 15);
  EXPECT_FLOAT_EQ(y.at(2), 3.0f / 14);
}

TEST(L2Norm, LastAxisAndZeros) {
  auto node = check::tflite("L2_NORMALIZATION").in<float>({2, 2}, {3, -4, 0, 0});
  EXPECT_EQ(node.run<float>(), (std::vector<float>{0.6f, -0.8f, 0, 0}));
  int overlaps = 0;
  EXPECT_EQ(check::check_overlaps(node.graph(), node.values(), 4, overlaps), "");
}

}  // namespace
}  // namespace netkit
