// SPDX-License-Identifier: MIT
// Reductions, arg reductions, running sums: naive oracle over all axis sets, quantised arithmetic,
// lowering forms.
#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::quant_of;
using check::Rng;
using check::tflite;

const Dims kDims{2, 3, 1, 4, 2};

// Groups of x's elements by output position, for the axes in `mask`.
std::vector<std::vector<float>> groups(const std::vector<float>& x, const Dims& dims,
                                       unsigned mask) {
  size_t kept = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if ((mask >> i & 1) == 0) kept *= static_cast<size_t>(dims[i]);
  }
  std::vector<std::vector<float>> out(kept);
  for (size_t at = 0; at < x.size(); ++at) {
    size_t rest = at, target = 0, stride = 1;
    for (size_t i = dims.size(); i-- > 0;) {
      const auto n = static_cast<size_t>(dims[i]);
      if ((mask >> i & 1) == 0) {
        target += rest % n * stride;
        stride *= n;
      }
      rest /= n;
    }
    out[target].push_back(x[at]);
  }
  return out;
}

struct Row {
  const char* op;
  std::function<double(const std::vector<float>&)> f;
};

double sum_of(const std::vector<float>& v, double (*f)(double)) {
  double sum = 0;
  for (const float x : v) sum += f(x);
  return sum;
}
double same(double x) { return x; }
double square(double x) { return x * x; }

const Row kRows[] = {
    {"ReduceSum", [](const auto& v) { return sum_of(v, same); }},
    {"ReduceMean", [](const auto& v) { return sum_of(v, same) / static_cast<double>(v.size()); }},
    {"ReduceMax", [](const auto& v) { return *std::ranges::max_element(v); }},
    {"ReduceMin", [](const auto& v) { return *std::ranges::min_element(v); }},
    {"ReduceProd",
     [](const auto& v) {
       double p = 1;
       for (const float x : v) p *= x;
       return p;
     }},
    {"ReduceL1", [](const auto& v) { return sum_of(v, std::fabs); }},
    {"ReduceL2", [](const auto& v) { return std::sqrt(sum_of(v, square)); }},
    {"ReduceSumSquare", [](const auto& v) { return sum_of(v, square); }},
    {"ReduceLogSum", [](const auto& v) { return std::log(sum_of(v, same)); }},
    {"ReduceLogSumExp", [](const auto& v) { return std::log(sum_of(v, std::exp)); }},
};

TEST(ReduceFloat, EveryFunctionOverEveryAxisSet) {
  Rng rng(1);
  const auto x = rng.reals(48, 0.5f, 2.0f);
  for (const Row& row : kRows) {
    for (unsigned mask = 0; mask < 32; ++mask) {
      Dims axes;
      for (int64_t i = 0; i < 5; ++i) {
        if (mask >> i & 1) axes.push_back(i % 2 == 0 ? i : i - 5);
      }
      if (axes.empty()) continue;  // ONNX: all axes, tested below
      auto node = onnx(row.op, 13).in<float>(kDims, x).set("axes", axes);
      if (std::string_view(row.op) == "ReduceSum") {
        node = onnx(row.op, 13).in<float>(kDims, x).constant<int64_t>(
            {static_cast<int64_t>(axes.size())}, axes);
      }
      const auto y = node.run<float>();
      const auto want = groups(x, kDims, mask);
      ASSERT_EQ(y.size(), want.size()) << row.op << " " << mask << node.error();
      for (size_t i = 0; i < y.size(); ++i) {
        const double value = row.f(want[i]);
        ASSERT_NEAR(y[i], value, 1e-5 * std::max(1.0, std::fabs(value))) << row.op << " " << mask;
      }
    }
  }
}

TEST(ReduceFloat, AxesForms) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  auto all = onnx("ReduceSum", 13).in<float>({2, 3}, x);
  EXPECT_EQ(all.run<float>(), (std::vector<float>{21}));
  EXPECT_EQ(all.dims, (Dims{1, 1}));
  auto flat = onnx("ReduceMean", 18)
                  .in<float>({2, 3}, x)
                  .constant<int64_t>({1}, {-1})
                  .set("keepdims", int64_t{0});
  EXPECT_EQ(flat.run<float>(), (std::vector<float>{2, 5}));
  EXPECT_EQ(flat.dims, (Dims{2}));
  auto noop = onnx("ReduceSum", 13)
                  .in<float>({2, 3}, x)
                  .constant<int64_t>({0}, {})
                  .set("noop_with_empty_axes", int64_t{1});
  EXPECT_EQ(noop.run<float>(), x);
  auto lite = tflite("MEAN").in<float>({2, 3}, x).constant<int32_t>({2}, {1, 0});
  EXPECT_EQ(lite.run<float>(), (std::vector<float>{3.5f}));
  EXPECT_EQ(lite.dims, Dims{});
  auto open = onnx("ReduceSum", 13).in<float>({2, 3}, x).in<int64_t>({1}, {0});
  EXPECT_NE(check::refusal(open), "");
  auto outside = onnx("ReduceMax", 13).in<float>({2, 3}, x).set("axes", Dims{2});
  EXPECT_NE(check::refusal(outside), "");
}

TEST(ReduceFloat, EmptyAndExtreme) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto run = [](const char* op, Dims dims, const std::vector<float>& x) {
    return onnx(op, 12).in<float>(dims, x).set("axes", Dims{1}).run<float>();
  };
  EXPECT_EQ(run("ReduceSum", {2, 0}, {}), (std::vector<float>{0, 0}));
  EXPECT_EQ(run("ReduceProd", {2, 0}, {}), (std::vector<float>{1, 1}));
  EXPECT_EQ(run("ReduceMax", {2, 0}, {}), (std::vector<float>{-inf, -inf}));
  EXPECT_TRUE(run("ReduceSum", {0, 3}, {}).empty());
  EXPECT_EQ(run("ReduceLogSumExp", {1, 2}, {1000, 1000}),
            (std::vector<float>{1000.0f + std::log(2.0f)}));
  EXPECT_EQ(run("ReduceLogSumExp", {1, 2}, {-inf, -inf}), (std::vector<float>{-inf}));
  EXPECT_TRUE(std::isnan(run("ReduceMax", {1, 3}, {1, NAN, 2}).at(0)));
}

// The reference: round(round(sum * m / 2^31) / 2^r) with 1 / n inside m.
TEST(ReduceQuantised, MeanAndSumEqualAnIntegerOracle) {
  Rng rng(2);
  for (int round = 0; round < 40; ++round) {
    const int h = rng.in(1, 9), w = rng.in(1, 9), c = rng.in(1, 6);
    const float si = rng.real(0.01f, 0.2f), so = rng.real(0.01f, 0.2f);
    const int zi = rng.in(-128, 127), zo = rng.in(-128, 127);
    const auto n = static_cast<size_t>(h * w * c);
    const auto x = rng.ints<int8_t>(n, -128, 127);
    for (const bool mean : {true, false}) {
      auto node = tflite(mean ? "MEAN" : "SUM")
                      .in<int8_t>({1, h, w, c}, x, quant_of(si, zi))
                      .constant<int32_t>({2}, {1, 2})
                      .declare(NK_INT8, {1, c}, quant_of(so, zo));
      const auto y = node.run<int8_t>();
      ASSERT_EQ(y.size(), static_cast<size_t>(c)) << node.error();
      int shift = 0;
      int64_t m = std::llround(std::frexp(double{si} / double{so}, &shift) * 0x1p31);
      if (mean) {
        int bits = 0;
        while (h * w >> (bits + 1) != 0) ++bits;
        bits = std::min(bits, 31 + shift);
        m = (m << bits) / (h * w);
        shift -= bits;
      }
      for (int k = 0; k < c; ++k) {
        int64_t sum = -int64_t{zi} * h * w;
        for (int i = 0; i < h * w; ++i) sum += x[static_cast<size_t>(i * c + k)];
        const int left = std::max(shift, 0), right = std::max(-shift, 0);
        const int64_t product = (sum << left) * m;
        const int64_t high = (product + (product >= 0 ? 1 << 30 : 1 - (1 << 30))) / (1LL << 31);
        const int64_t half = right == 0 ? 0 : int64_t{1} << (right - 1);
        const int64_t q = high >= 0 ? (high + half) >> right : -((-high + half) >> right);
        ASSERT_EQ(y[static_cast<size_t>(k)], std::clamp<int64_t>(q + zo, -128, 127));
      }
    }
  }
}

TEST(ReduceQuantised, MaxKeepsAndRescales) {
  auto max = tflite("REDUCE_MAX")
                 .in<int8_t>({2, 2}, {-5, 7, 30, 20}, quant_of(0.1f, 0))
                 .constant<int32_t>({1}, {1})
                 .declare(NK_INT8, {2}, quant_of(0.2f, 1));
  EXPECT_EQ(max.run<int8_t>(), (std::vector<int8_t>{5, 16}));
}

TEST(ReduceOther, IntegersAndBools) {
  auto prod = onnx("ReduceProd", 13).in<int64_t>({2, 2}, {2, 3, 4, 5}).set("axes", Dims{0});
  EXPECT_EQ(prod.run<int64_t>(), (std::vector<int64_t>{8, 15}));
  auto any = tflite("REDUCE_ANY")
                 .in<uint8_t>({2, 2}, {0, 0, 0, 1}, {}, NK_BOOL)
                 .constant<int32_t>({1}, {1});
  EXPECT_EQ(any.run<uint8_t>(), (std::vector<uint8_t>{0, 1}));
  auto all = tflite("REDUCE_ALL")
                 .in<uint8_t>({2, 2}, {1, 1, 0, 1}, {}, NK_BOOL)
                 .constant<int32_t>({1}, {1});
  EXPECT_EQ(all.run<uint8_t>(), (std::vector<uint8_t>{1, 0}));
}

TEST(ArgReduce, TiesAxesAndTypes) {
  const std::vector<float> x{3, 1, 3, 0, 5, 5};
  auto first = onnx("ArgMax", 13).in<float>({2, 3}, x).set("axis", int64_t{1});
  EXPECT_EQ(first.run<int64_t>(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(first.dims, (Dims{2, 1}));
  auto last = onnx("ArgMax", 13)
                  .in<float>({2, 3}, x)
                  .set("axis", int64_t{-1})
                  .set("select_last_index", int64_t{1})
                  .set("keepdims", int64_t{0});
  EXPECT_EQ(last.run<int64_t>(), (std::vector<int64_t>{2, 2}));
  auto rows = onnx("ArgMin", 13).in<float>({2, 3}, x);
  EXPECT_EQ(rows.run<int64_t>(), (std::vector<int64_t>{1, 0, 0}));
  auto lite = tflite("ARG_MAX")
                  .in<int8_t>({1, 4}, {-3, 9, 2, 9}, quant_of(0.1f, 0))
                  .constant<int32_t>({}, {1})
                  .declare(NK_INT32, {1});
  EXPECT_EQ(lite.run<int32_t>(), (std::vector<int32_t>{1}));
  auto nan = onnx("ArgMax", 13).in<float>({1, 3}, {1, NAN, 9}).set("axis", int64_t{1});
  EXPECT_EQ(nan.run<int64_t>(), (std::vector<int64_t>{1}));
}

TEST(Cumsum, FormsAndPlace) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const auto run = [&](int64_t axis, int64_t exclusive, int64_t reverse) {
    return onnx("CumSum", 14)
        .in<float>({2, 3}, x)
        .constant<int32_t>({}, {static_cast<int32_t>(axis)})
        .set("exclusive", exclusive)
        .set("reverse", reverse)
        .run<float>();
  };
  EXPECT_EQ(run(1, 0, 0), (std::vector<float>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(run(0, 0, 0), (std::vector<float>{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(run(-1, 1, 0), (std::vector<float>{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(run(1, 1, 1), (std::vector<float>{5, 3, 0, 11, 6, 0}));
  auto node = onnx("CumSum", 14).in<float>({2, 3}, x).constant<int32_t>({}, {1});
  node.run<float>();
  int overlaps = 0;
  EXPECT_EQ(check::check_overlaps(node.graph(), node.values(), 4, overlaps), "");
  EXPECT_EQ(overlaps, 1);
}

TEST(ReduceDouble, SumsAndLogarithms) {
  const std::vector<double> x{1, 0x1p-50, 3, 700, 701, 702};
  const auto over = [&](const char* op) {
    return onnx(op, 13).in<double>({2, 3}, x, {}, NK_FLOAT64).set("axes", Dims{1});
  };
  const auto logs = over("ReduceLogSumExp").set("keepdims", int64_t{0}).run<double>();
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_NEAR(logs[0], std::log(std::exp(1.0) + std::exp(0x1p-50) + std::exp(3.0)), 1e-14);
  EXPECT_NEAR(logs[1], 702 + std::log(1 + std::exp(-1.0) + std::exp(-2.0)), 1e-12);
  auto sum = onnx("ReduceSum", 11).in<double>({2, 3}, x, {}, NK_FLOAT64).set("axes", Dims{0});
  EXPECT_EQ(sum.run<double>(), (std::vector<double>{701, 701 + 0x1p-50, 705}));
  auto running = onnx("CumSum", 14)
                     .in<double>({3}, {1, 0x1p-50, 3}, {}, NK_FLOAT64)
                     .constant<int64_t>({}, {0});
  EXPECT_EQ(running.run<double>(), (std::vector<double>{1, 1 + 0x1p-50, 4 + 0x1p-50}));
}

}  // namespace
}  // namespace netkit
