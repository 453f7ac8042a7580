// SPDX-License-Identifier: MIT
// softmax and log_softmax: double oracles, known answers, overlap in place, lowering. Bit equality
// with TensorFlow Lite is in ops/common/conformance_test.cc.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/common/testing/fake_lower.h"
#include "ops/common/fixed_exp.h"
#include "ops/softmax/softmax_check.h"

namespace netkit {
namespace {

using check::from_bytes;

// softmax or log_softmax of a row in double.
std::vector<double> oracle(const std::vector<double>& x, double beta, bool log) {
  double max = x[0], sum = 0.0;
  for (const double v : x) max = std::max(max, v);
  for (const double v : x) sum += std::exp(beta * (v - max));
  std::vector<double> y;
  for (const double v : x) {
    const double log_y = beta * (v - max) - std::log(sum);
    y.push_back(log ? log_y : std::exp(log_y));
  }
  return y;
}

template <typename F>
void for_rows(const nk_softmax_params& p, const std::vector<double>& x, F f) {
  const auto depth = static_cast<size_t>(p.depth);
  for (size_t row = 0; row < static_cast<size_t>(p.rows); ++row) {
    const auto begin = x.begin() + static_cast<ptrdiff_t>(row * depth);
    f(row * depth, std::vector<double>(begin, begin + static_cast<ptrdiff_t>(depth)));
  }
}

void expect_near_oracle(const char* op, nk_kernel_fn fn) {
  const bool log = std::string_view(op) == "log_softmax";
  for (uint64_t seed = 0; seed < 300; ++seed) {
    float scale = 0.0f;
    const auto [p, c] = check::softmax_case(op, seed, false, &scale);
    const auto y = from_bytes<int8_t>(check::run_case(fn, c, {}).output);
    std::vector<double> x;
    for (const int8_t q : from_bytes<int8_t>(c.inputs[0])) x.push_back(q * double{scale});
    for_rows(p, x, [&, &c = c](size_t at, const std::vector<double>& row) {
      const std::vector<double> expected = oracle(row, 1.0, log);
      for (size_t i = 0; i < row.size(); ++i) {
        const double steps = log ? expected[i] * 16 + 127 : expected[i] * 256 - 128;
        ASSERT_NEAR(y[at + i], std::clamp(steps, -128.0, 127.0), 1.0) << c.text << " at " << i;
      }
    });
  }
}

TEST(SoftmaxRef, S8ToS16IsNearADoubleOracle) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    float scale = 0.0f;
    auto [p, c] = check::softmax_case("softmax", seed, false, &scale);
    c.out_bytes *= 2;
    const auto y = from_bytes<int16_t>(check::run_case(nk_softmax_s8_s16_ref, c, {}).output);
    std::vector<double> x;
    for (const int8_t q : from_bytes<int8_t>(c.inputs[0])) x.push_back(q * double{scale});
    for_rows(p, x, [&, &c = c](size_t at, const std::vector<double>& row) {
      const std::vector<double> expected = oracle(row, 1.0, false);
      for (size_t i = 0; i < row.size(); ++i) {
        const double steps = std::clamp(expected[i] * 65536 - 32768, -32768.0, 32767.0);
        // The sum has 12 bits behind the point, a step here has 16.
        ASSERT_NEAR(y[at + i], steps, 1.0 + 16 * expected[i]) << c.text << " at " << i;
      }
    });
  }
}

TEST(SoftmaxRef, S8IsWithinAStepOfADoubleOracle) {
  expect_near_oracle("softmax", nk_softmax_s8_ref);
  expect_near_oracle("log_softmax", nk_log_softmax_s8_ref);
}

TEST(SoftmaxRef, F32IsNearADoubleOracle) {
  for (const bool log : {false, true}) {
    const char* op = log ? "log_softmax" : "softmax";
    for (uint64_t seed = 0; seed < 300; ++seed) {
      const auto [p, c] = check::softmax_case(op, seed, true);
      const auto got = check::run_case(log ? nk_log_softmax_f32_ref : nk_softmax_f32_ref, c, {});
      ASSERT_EQ(got.fault, "");
      const auto y = from_bytes<float>(got.output);
      const auto x = from_bytes<float>(c.inputs[0]);
      for_rows(p, {x.begin(), x.end()}, [&, &p = p, &c = c](size_t at, const auto& row) {
        const std::vector<double> expected = oracle(row, p.beta, log);
        for (size_t i = 0; i < row.size(); ++i) {
          // 16 * beta is the greatest argument of exp; its error scales with it.
          const double bound = (log ? 40.0 : expected[i] * 80.0) * 0x1p-23;
          ASSERT_NEAR(y[at + i], expected[i], bound) << c.text << " at " << i;
        }
      });
    }
  }
}

// A published case of TensorFlow Lite Micro: {0, -6, 2, 4}, {3, -2, 10, 1} quantised over
// [-10, 10], halves rounded away from zero.
TEST(SoftmaxRef, LogSoftmaxEqualsAPublishedCase) {
  Graph graph;
  const TensorId x = graph.add_tensor("x", {NK_INT8, {2, 4}, {{20.0f / 255}, {0}, 0}});
  const TensorId y = graph.add_tensor("y", {NK_INT8, {2, 4}, {{0.0625f}, {127}, 0}});
  const Node node{"log_softmax", "l", {x}, {y}, {}};
  check::KernelCase c;
  c.params = find_op("log_softmax")->make_params(graph, node).value().params;
  c.out_bytes = 8;
  c.inputs = {check::to_bytes(std::vector<int8_t>{0, -77, 26, 51, 38, -26, 127, 13})};
  EXPECT_EQ(from_bytes<int8_t>(check::run_case(nk_log_softmax_s8_ref, c, {}).output),
            (std::vector<int8_t>{61, -36, 93, 125, 15, -65, 127, -16}));
}

TEST(SoftmaxRef, LargeValuesStayFinite) {
  nk_softmax_params p{};
  p.rows = 1;
  p.depth = 2;
  p.beta = 1.0f;
  check::KernelCase c;
  c.params = bytes_of(p);
  c.out_bytes = 8;
  c.inputs = {check::to_bytes(std::vector<float>{1e30f, 3e38f})};
  EXPECT_EQ(from_bytes<float>(check::run_case(nk_softmax_f32_ref, c, {}).output),
            (std::vector<float>{0.0f, 1.0f}));
}

TEST(FixedExp, IsNearExpReciprocalAndLog) {
  for (const int bits : {4, 5}) {
    const double one = std::ldexp(1.0, 31 - bits);
    for (double a = 0.0; a > -std::ldexp(1.0, bits); a -= 0.0371) {
      const int32_t raw = static_cast<int32_t>(std::lround(a * one));
      EXPECT_NEAR(nk_exp_negative(raw, bits) * 0x1p-31, std::exp(raw / one), 3e-7) << a;
    }
  }
  for (double x = 1.0; x < 4000.0; x *= 1.37) {
    const auto raw = static_cast<int32_t>(x * 0x1p19);  // Q12
    int bits = 0;
    const int32_t reciprocal = nk_reciprocal(raw, 12, &bits);
    EXPECT_NEAR(std::ldexp(reciprocal * 0x1p-31, -bits) * x, 1.0, 1e-5) << x;
    EXPECT_NEAR(nk_log_q12_to_q5(raw) * 0x1p-26, std::log(x), 1e-5) << x;
  }
}

TEST(SoftmaxRef, EveryRowAgreesInEveryMode) {
  const std::pair<const char*, nk_kernel_fn> references[] = {
      {"softmax s8", nk_softmax_s8_ref},
      {"softmax u8", nk_softmax_s8_ref},
      {"softmax f32", nk_softmax_f32_ref},
      {"log_softmax s8", nk_log_softmax_s8_ref},
      {"log_softmax u8", nk_log_softmax_s8_ref},
      {"log_softmax f32", nk_log_softmax_f32_ref}};
  for (const KernelRow& row : all_kernel_rows()) {
    for (const auto& [name, reference] : references) {
      if (fmt::format("{} {}", row.op, row.signature) != name) continue;
      EXPECT_EQ(check::check_softmax(row, reference, 200), "");
    }
  }
}

// In place is the least distance: one element nearer loses input.
TEST(SoftmaxModes, BeyondInPlaceIsCaught) {
  const auto [p, c] = check::softmax_case("softmax", 3, true);
  std::vector<KernelMode> modes;
  find_kernel("nk_softmax_f32_ref")->modes(&p, modes);
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_EQ(modes[1].overlaps[0].forward_bytes, 0);
  EXPECT_NE(check::run_case(nk_softmax_f32_ref, c, modes[1], 4).output,
            check::run_case(nk_softmax_f32_ref, c, {}).output);
}

Dims reshaped(int version, std::optional<int64_t> axis, std::vector<std::string>* ops) {
  FakeLower lower(SourceFormat::kOnnx);
  lower.give("x", {NK_FLOAT32, {2, 3, 4}, {}});
  ForeignNode node;
  node.op = "Softmax";
  node.version = version;
  if (axis) node.attrs.set("axis", *axis);
  const auto done = lower.lower(node);
  EXPECT_TRUE(done.has_value());
  for (const Node& made : lower.graph.nodes) ops->push_back(made.op);
  return lower.graph.tensor(lower.graph.tensor(lower.bound).type.dims == Dims{2, 3, 4}
                                ? lower.find("softmax")->inputs[0]
                                : lower.bound)
      .type.dims;
}

TEST(SoftmaxLower, AxisBeforeAndSinceOpset13) {
  using Ops = std::vector<std::string>;
  Ops ops;
  EXPECT_EQ(reshaped(11, {}, &ops), (Dims{2, 12}));
  EXPECT_EQ(ops, (Ops{"reshape", "softmax", "reshape"}));
  ops.clear();
  EXPECT_EQ(reshaped(11, 2, &ops), (Dims{2, 3, 4}));
  EXPECT_EQ(ops, (Ops{"softmax"}));
  ops.clear();
  EXPECT_EQ(reshaped(13, {}, &ops), (Dims{2, 3, 4}));
  EXPECT_EQ(ops, (Ops{"softmax"}));
  ops.clear();
  EXPECT_EQ(reshaped(13, 0, &ops), (Dims{3, 4, 2}));
  EXPECT_EQ(ops, (Ops{"transpose", "softmax", "transpose"}));
}

TEST(SoftmaxOp, OutputQuantisationIsFixed) {
  Graph graph;
  const TensorId x = graph.add_tensor("x", {NK_INT8, {1, 4}, {{0.1f}, {0}, 0}});
  const TensorId y = graph.add_tensor("y", {NK_INT8, {1, 4}, {{0.1f}, {0}, 0}});
  const auto params = find_op("softmax")->make_params(graph, {"softmax", "s", {x}, {y}, {}});
  ASSERT_FALSE(params.has_value());
  EXPECT_EQ(params.error().where, "softmax 's'");
}

}  // namespace
}  // namespace netkit
