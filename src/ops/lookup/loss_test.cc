// SPDX-License-Identifier: MIT
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss against the sums that define them.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::Rng;

constexpr int64_t kBatch = 3, kClasses = 4, kRest = 5;

struct Scores {
  std::vector<float> x, weight;
  std::vector<int64_t> labels;
  double log_softmax(size_t n, size_t c, size_t d) const {
    double sum = 0;
    for (size_t k = 0; k < kClasses; ++k) sum += std::exp(double{at(n, k, d)});
    return at(n, c, d) - std::log(sum);
  }
  float at(size_t n, size_t c, size_t d) const { return x[(n * kClasses + c) * kRest + d]; }
};

Scores scores_of(uint64_t seed) {
  Rng rng(seed);
  return {rng.reals(kBatch * kClasses * kRest, -2, 2), rng.reals(kClasses, 0.5f, 2),
          rng.ints<int64_t>(kBatch * kRest, 0, kClasses - 1)};
}

// `ignored` < 0: none.
std::vector<double> losses(const Scores& s, bool entropy, bool weighted, int64_t ignored,
                           double& total_weight) {
  std::vector<double> out;
  total_weight = 0;
  for (size_t n = 0; n < kBatch; ++n) {
    for (size_t d = 0; d < kRest; ++d) {
      const int64_t label = s.labels[n * kRest + d];
      const auto c = static_cast<size_t>(label);
      const double weight = label == ignored ? 0.0 : weighted ? double{s.weight[c]} : 1.0;
      total_weight += weight;
      out.push_back(-weight * (entropy ? s.log_softmax(n, c, d) : double{s.at(n, c, d)}));
    }
  }
  return out;
}

TEST(Losses, EveryForm) {
  for (uint64_t form = 0; form < 24; ++form) {
    const bool entropy = form % 2 != 0, weighted = form / 2 % 2 != 0;
    const int64_t ignored = form / 4 % 2 != 0 ? 2 : -1;
    const char* reductions[] = {"none", "sum", "mean"};
    const std::string reduction = reductions[form / 8];
    const Scores s = scores_of(form + 1);
    NodeCase node = onnx(entropy ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss", 13)
                        .in<float>({kBatch, kClasses, 1, kRest}, s.x)
                        .in<int64_t>({kBatch, 1, kRest}, s.labels)
                        .set("reduction", reduction);
    if (weighted) node.constant<float>({kClasses}, s.weight);
    if (ignored >= 0) node.set("ignore_index", ignored);
    const auto y = node.run<float>();
    double total = 0, sum = 0;
    const auto want = losses(s, entropy, weighted, ignored, total);
    for (const double loss : want) sum += loss;
    if (reduction == "none") {
      ASSERT_EQ(node.dims, (Dims{kBatch, 1, kRest})) << node.error();
      for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(y[i], want[i], 1e-5) << form;
    } else {
      ASSERT_EQ(y.size(), 1u) << node.error();
      ASSERT_NEAR(y[0], reduction == "sum" ? sum : sum / total, 1e-4) << form;
    }
  }
}

TEST(Losses, LogarithmsOfTheSoftmaxAreTheSecondOutput) {
  const Scores s = scores_of(9);
  NodeCase node = onnx("SoftmaxCrossEntropyLoss", 13)
                      .in<float>({kBatch, kClasses, kRest}, s.x)
                      .in<int64_t>({kBatch, kRest}, s.labels)
                      .outputs(2);
  const auto y = node.run<float>(1);
  ASSERT_EQ(node.dims, (Dims{kBatch, kClasses, kRest})) << node.error();
  ASSERT_NEAR(y[(1 * kClasses + 2) * kRest + 3], s.log_softmax(1, 2, 3), 1e-5);
}

TEST(Losses, RefuseLabelsOfAnotherShape) {
  NodeCase node = onnx("NegativeLogLikelihoodLoss", 13)
                      .in<float>({2, 3}, std::vector<float>(6))
                      .in<int64_t>({3}, {0, 1, 2});
  EXPECT_NE(check::refusal(node).find("labels"), std::string::npos);
}

}  // namespace
}  // namespace netkit
