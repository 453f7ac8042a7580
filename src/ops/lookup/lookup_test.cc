// SPDX-License-Identifier: MIT
// Reads and writes by index: by hand, naive oracles, indices out of range, in place, lowering.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::quant_of;
using check::Rng;
using check::tflite;
using F = std::vector<float>;

F iota(size_t n) {
  F out(n);
  std::iota(out.begin(), out.end(), 0.0f);
  return out;
}

TEST(Gather, AxesRanksAndBatches) {
  const F x = iota(24);
  for (int64_t axis = -3; axis < 3; ++axis) {
    const std::vector<int64_t> indices{1, 0, -1};
    auto node = onnx("Gather", 13)
                    .in<float>({2, 3, 4}, x)
                    .constant<int64_t>({3, 1}, indices)
                    .set("axis", axis);
    const auto y = node.run<float>();
    const auto at = static_cast<size_t>(axis < 0 ? axis + 3 : axis);
    const Dims d{2, 3, 4};
    const int64_t inner = at == 2 ? 1 : (at == 1 ? 4 : 12), n = d[at];
    const int64_t outer = 24 / inner / n;
    ASSERT_EQ(node.dims.size(), 4u) << node.error();
    size_t i = 0;
    for (int64_t o = 0; o < outer; ++o) {
      for (const int64_t index : indices) {
        for (int64_t k = 0; k < inner; ++k) {
          const int64_t from = index < 0 ? index + n : index;
          ASSERT_EQ(y[i++], static_cast<float>((o * n + from) * inner + k));
        }
      }
    }
  }
  auto scalar = onnx("Gather", 13).in<float>({3, 2}, iota(6)).constant<int64_t>({}, {2});
  EXPECT_EQ(scalar.run<float>(), (F{4, 5}));
  EXPECT_EQ(scalar.dims, (Dims{2}));
  auto batch = tflite("GATHER")
                   .in<float>({2, 3}, iota(6))
                   .in<int32_t>({2, 2}, {2, 0, 1, 1})
                   .set("axis", int64_t{1})
                   .set("batch_dims", int64_t{1});
  EXPECT_EQ(batch.run<float>(), (F{2, 0, 4, 4}));
  auto bytes = onnx("Gather", 13).in<int8_t>({4}, {1, 2, 3, 4}).in<int32_t>({2}, {3, 0});
  EXPECT_EQ(bytes.run<int8_t>(), (std::vector<int8_t>{4, 1}));
}

TEST(Gather, NoIndexLeavesTheTensor) {
  auto constant = onnx("Gather", 13).in<float>({3}, {1, 2, 3}).constant<int64_t>({1}, {3});
  EXPECT_NE(check::refusal(constant).find("outside"), std::string::npos);
  auto runtime = onnx("Gather", 13)
                     .in<float>({3}, {1, 2, 3})
                     .in<int64_t>({5}, {3, -4, INT64_MAX, INT64_MIN, -3});
  EXPECT_EQ(runtime.run<float>(), (F{3, 1, 3, 1, 1}));
  auto empty = onnx("Gather", 13).in<float>({0, 2}, {}).in<int64_t>({1}, {0});
  EXPECT_NE(check::refusal(empty), "");
  auto real = onnx("Gather", 13).in<float>({0, 2}, {}).in<int64_t>({0}, {});
  EXPECT_TRUE(real.run<float>().empty());
  EXPECT_EQ(real.error(), "");
}

// The examples of the ONNX operator specification.
TEST(GatherNd, SpecificationExamples) {
  const std::vector<int32_t> small{0, 1, 2, 3}, cube{0, 1, 2, 3, 4, 5, 6, 7};
  auto points = onnx("GatherND", 13).in<int32_t>({2, 2}, small).constant<int64_t>({2, 2},
                                                                               {0, 0, 1, 1});
  EXPECT_EQ(points.run<int32_t>(), (std::vector<int32_t>{0, 3}));
  auto rows = onnx("GatherND", 13).in<int32_t>({2, 2}, small).constant<int64_t>({2, 1}, {1, 0});
  EXPECT_EQ(rows.run<int32_t>(), (std::vector<int32_t>{2, 3, 0, 1}));
  auto planes = onnx("GatherND", 13)
                    .in<int32_t>({2, 2, 2}, cube)
                    .constant<int64_t>({2, 1, 2}, {0, 1, 1, 0});
  EXPECT_EQ(planes.run<int32_t>(), (std::vector<int32_t>{2, 3, 4, 5}));
  EXPECT_EQ(planes.dims, (Dims{2, 1, 2}));
  auto batch = onnx("GatherND", 13)
                   .in<int32_t>({2, 2, 2}, cube)
                   .constant<int64_t>({2, 1}, {1, 0})
                   .set("batch_dims", int64_t{1});
  EXPECT_EQ(batch.run<int32_t>(), (std::vector<int32_t>{2, 3, 4, 5}));
  auto outside = onnx("GatherND", 13).in<int32_t>({2, 2}, small).constant<int64_t>({1, 2}, {0, 2});
  EXPECT_NE(check::refusal(outside), "");
}

TEST(GatherElements, SpecificationExamples) {
  auto columns = onnx("GatherElements", 13)
                     .in<float>({2, 2}, {1, 2, 3, 4})
                     .constant<int64_t>({2, 2}, {0, 0, 1, 0})
                     .set("axis", int64_t{1});
  EXPECT_EQ(columns.run<float>(), (F{1, 1, 4, 3}));
  auto rows = onnx("GatherElements", 13)
                  .in<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})
                  .constant<int64_t>({2, 3}, {-1, -2, 0, -2, 0, 0});
  EXPECT_EQ(rows.run<float>(), (F{7, 5, 3, 4, 2, 3}));
  auto wide = onnx("GatherElements", 13).in<float>({1, 2}, {1, 2}).constant<int64_t>({1, 3},
                                                                                  {0, 0, 0});
  EXPECT_NE(check::refusal(wide), "");
}

TEST(Scatter, NdAndElements) {
  auto points = onnx("ScatterND", 16)
                    .in<float>({8}, {1, 2, 3, 4, 5, 6, 7, 8})
                    .constant<int64_t>({4, 1}, {4, 3, 1, 7})
                    .in<float>({4}, {9, 10, 11, 12});
  EXPECT_EQ(points.run<float>(), (F{1, 11, 3, 10, 9, 6, 7, 12}));
  auto sums = onnx("ScatterND", 16)
                  .in<int32_t>({2, 2}, {1, 2, 3, 4})
                  .constant<int64_t>({3, 1}, {0, 1, 0})
                  .in<int32_t>({3, 2}, {10, 20, 30, 40, 50, 60})
                  .set("reduction", std::string("add"));
  EXPECT_EQ(sums.run<int32_t>(), (std::vector<int32_t>{61, 82, 33, 44}));
  auto elements = onnx("ScatterElements", 16)
                      .in<float>({1, 5}, {1, 2, 3, 4, 5})
                      .constant<int64_t>({1, 2}, {1, -2})
                      .in<float>({1, 2}, {1.5f, 2.5f})
                      .set("axis", int64_t{1});
  EXPECT_EQ(elements.run<float>(), (F{1, 1.5f, 3, 2.5f, 5}));
  auto most = onnx("ScatterElements", 18)
                  .in<float>({1, 3}, {1, 5, 3})
                  .constant<int64_t>({1, 3}, {0, 1, 0})
                  .in<float>({1, 3}, {4, 2, 3})
                  .set("axis", int64_t{1})
                  .set("reduction", std::string("max"));
  EXPECT_EQ(most.run<float>(), (F{4, 5, 3}));
  auto lite = tflite("SCATTER_ND")
                  .constant<int32_t>({3, 1}, {2, 0, 2})
                  .in<float>({3}, {1, 2, 4})
                  .constant<int32_t>({1}, {4});
  EXPECT_EQ(lite.run<float>(), (F{2, 0, 5, 0}));
  auto bytes = onnx("ScatterND", 16)
                   .in<int8_t>({3}, {1, 2, 3})
                   .constant<int64_t>({1, 1}, {1})
                   .in<int8_t>({1}, {-9});
  EXPECT_EQ(bytes.run<int8_t>(), (std::vector<int8_t>{1, -9, 3}));
  auto wrong = onnx("ScatterND", 16)
                   .in<float>({3}, {1, 2, 3})
                   .constant<int64_t>({1, 1}, {1})
                   .in<float>({2}, {1, 2});
  EXPECT_NE(check::refusal(wrong), "");
}

TEST(Scatter, OverTheDataInPlace) {
  Rng rng(1);
  auto node = onnx("ScatterND", 16)
                  .in<float>({90}, rng.reals(90, -1, 1))
                  .constant<int64_t>({3, 1}, {7, 80, 3})
                  .in<float>({3}, {5, 6, 7});
  ASSERT_FALSE(node.run<float>().empty());
  const check::PlacedStep step = check::placed_step(node.graph(), node.values());
  ASSERT_EQ(step.modes.size(), 2u);
  const auto apart = check::run_placed(step, nullptr, 0);
  const auto over = check::run_placed(step, &step.modes[1].overlaps[0], 0);
  EXPECT_EQ(over.fault, "");
  EXPECT_EQ(over.output, apart.output);
}

TEST(OneHot, AxesAndTypes) {
  auto last = onnx("OneHot", 11)
                  .in<int64_t>({3}, {1, -1, 5})
                  .constant<int64_t>({}, {3})
                  .constant<float>({2}, {2, 5});
  EXPECT_EQ(last.run<float>(), (F{2, 5, 2, 2, 2, 5, 2, 2, 2}));
  auto first = onnx("OneHot", 11)
                   .in<int32_t>({2}, {0, 2})
                   .constant<float>({1}, {3})
                   .constant<float>({2}, {0, 1})
                   .set("axis", int64_t{0});
  EXPECT_EQ(first.run<float>(), (F{1, 0, 0, 0, 0, 1}));
  auto lite = tflite("ONE_HOT")
                  .in<int32_t>({1}, {1})
                  .constant<int32_t>({}, {2})
                  .constant<float>({}, {7})
                  .constant<float>({}, {-1});
  EXPECT_EQ(lite.run<float>(), (F{-1, 7}));
}

TEST(TopK, OrderTiesAndAxes) {
  const F x{3, 1, 3, 9, 0, 9, 2, 2};
  auto most = onnx("TopK", 11).in<float>({2, 4}, x).constant<int64_t>({1}, {3}).outputs(2);
  EXPECT_EQ(most.run<float>(0), (F{9, 3, 3, 9, 2, 2}));
  EXPECT_EQ(most.run<int64_t>(1), (std::vector<int64_t>{3, 0, 2, 1, 2, 3}));
  auto least = onnx("TopK", 11)
                   .in<float>({2, 4}, x)
                   .constant<int64_t>({1}, {1})
                   .set("largest", int64_t{0})
                   .set("axis", int64_t{0})
                   .outputs(2);
  EXPECT_EQ(least.run<float>(0), (F{0, 1, 2, 2}));
  EXPECT_EQ(least.run<int64_t>(1), (std::vector<int64_t>{1, 0, 1, 1}));
  auto nan = onnx("TopK", 11).in<float>({3}, {1, NAN, 2}).constant<int64_t>({1}, {3}).outputs(2);
  EXPECT_EQ(nan.run<int64_t>(1), (std::vector<int64_t>{1, 2, 0}));
  auto lite = tflite("TOPK_V2")
                  .in<int8_t>({4}, {-3, 7, 7, 0}, quant_of(0.1f, 0))
                  .constant<int32_t>({}, {2})
                  .outputs(2);
  EXPECT_EQ(lite.run<int8_t>(0), (std::vector<int8_t>{7, 7}));
  EXPECT_EQ(lite.run<int32_t>(1), (std::vector<int32_t>{1, 2}));
  auto many = onnx("TopK", 11).in<float>({2}, {1, 2}).constant<int64_t>({1}, {3}).outputs(2);
  EXPECT_NE(check::refusal(many), "");
}

// Against a full sort of random lines with many ties.
TEST(TopK, EqualsASort) {
  Rng rng(2);
  for (int round = 0; round < 100; ++round) {
    const int n = rng.in(1, 20), k = rng.in(1, n);
    const auto x = rng.ints<int32_t>(static_cast<size_t>(n), -4, 4);
    auto node = onnx("TopK", 11)
                    .in<int32_t>({n}, x)
                    .constant<int64_t>({1}, {k})
                    .set("largest", int64_t{round % 2})
                    .outputs(2);
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
      const int32_t p = x[static_cast<size_t>(a)], q = x[static_cast<size_t>(b)];
      return round % 2 == 1 ? p > q : p < q;
    });
    order.resize(static_cast<size_t>(k));
    ASSERT_EQ(node.run<int64_t>(1), order);
  }
}

}  // namespace
}  // namespace netkit
