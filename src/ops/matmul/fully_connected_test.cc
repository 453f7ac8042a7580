// SPDX-License-Identifier: MIT
// fully_connected: hand-computed cases, independent oracles, lowering of FULLY_CONNECTED and Gemm.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/common/testing/fake_lower.h"
#include "ops/common/testing/int_oracle.h"
#include "ops/matmul/fully_connected_check.h"

namespace netkit {
namespace {

using check::from_bytes;

TEST(FullyConnectedRef, S8EqualsAnIndependentOracle) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto [p, c] = check::fully_connected_case(seed, false);
    const auto got = check::run_case(nk_fully_connected_s8_ref, c, {});
    ASSERT_EQ(got.fault, "") << c.text;
    const auto y = from_bytes<int8_t>(got.output);
    const auto x = from_bytes<int8_t>(c.inputs[0]);
    const auto w = from_bytes<int8_t>(c.inputs[1]);
    const auto bias = from_bytes<int32_t>(c.inputs[2]);
    const auto mantissa = from_bytes<int32_t>(c.inputs[3]);
    const auto shift = from_bytes<int32_t>(c.inputs[4]);
    const auto in = static_cast<size_t>(p.in_features);
    const auto out = static_cast<size_t>(p.out_features);
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t row = i / out, o = i % out;
      int64_t acc = bias[o];
      for (size_t k = 0; k < in; ++k) {
        acc += int64_t{w[o * in + k] + p.filter_offset} * (x[row * in + k] + p.input_offset);
      }
      const size_t q = p.per_channel != 0 ? o : 0;
      ASSERT_EQ(y[i], check::oracle_requantize(acc, mantissa[q], shift[q], p.output_offset,
                                               p.act_min, p.act_max))
          << c.text << " at " << i;
    }
  }
}

TEST(FullyConnectedRef, F32IsNearADoubleOracle) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto [p, c] = check::fully_connected_case(seed, true);
    const auto got = check::run_case(nk_fully_connected_f32_ref, c, {});
    ASSERT_EQ(got.fault, "") << c.text;
    const auto y = from_bytes<float>(got.output);
    const auto x = from_bytes<float>(c.inputs[0]);
    const auto w = from_bytes<float>(c.inputs[1]);
    const auto bias = from_bytes<float>(c.inputs[2]);
    const auto in = static_cast<size_t>(p.in_features);
    const auto out = static_cast<size_t>(p.out_features);
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t row = i / out, o = i % out;
      double sum = bias.empty() ? 0.0 : double{bias[o]};
      double size = std::fabs(sum);
      for (size_t k = 0; k < in; ++k) {
        sum += double{w[o * in + k]} * x[row * in + k];
        size += std::fabs(double{w[o * in + k]} * x[row * in + k]);
      }
      sum = std::min(std::max(sum, double{p.clamp_min}), double{p.clamp_max});
      ASSERT_NEAR(y[i], sum, size * static_cast<double>(in + 1) * 0x1p-24) << c.text << " at " << i;
    }
  }
}

// [2, 3] * {[1, 10], [-1, 1]} + {1, 2}, zero points 1 (input), 0, -5 (output), multiplier 1/2.
TEST(FullyConnectedRef, ByHand) {
  nk_fully_connected_params p{};
  p.rows = 1;
  p.in_features = p.out_features = 2;
  p.input_offset = -1;
  p.output_offset = -5;
  p.act_min = -128;
  p.act_max = 127;
  check::KernelCase c;
  c.params = bytes_of(p);
  c.out_bytes = 2;
  c.inputs = {check::to_bytes(std::vector<int8_t>{2, 3}),
              check::to_bytes(std::vector<int8_t>{1, 10, -1, 1}),
              check::to_bytes(std::vector<int32_t>{1, 2}),
              check::to_bytes(std::vector<int32_t>{1 << 30}),
              check::to_bytes(std::vector<int32_t>{0})};
  // (1 + 20 + 1) / 2 - 5 = 6; (-1 + 2 + 2) / 2 = 1.5, rounded to 2, - 5 = -3.
  EXPECT_EQ(from_bytes<int8_t>(check::run_case(nk_fully_connected_s8_ref, c, {}).output),
            (std::vector<int8_t>{6, -3}));
}

TEST(FullyConnectedRef, EveryRowAgreesInEveryMode) {
  for (const KernelRow& r : all_kernel_rows()) {
    if (r.op != "fully_connected" || r.signature.starts_with("s16")) continue;
    EXPECT_EQ(check::check_fully_connected(r, 200), "");
  }
}

// The scale product of a single weight scale is a float product: 0.1f * 0.3f / 0.7f differs from
// the double product in the last bits of the mantissa.
TEST(FullyConnectedOp, SingleScaleIsMultipliedInFloat) {
  Graph graph;
  const TensorId x = graph.add_tensor("x", {NK_INT8, {1, 2}, {{0.1f}, {0}, 0}});
  const TensorId w = graph.add_tensor("w", {NK_INT8, {1, 2}, {{0.3f}, {0}, 0}},
                                      constant_of(std::vector<int8_t>{1, 2}));
  const TensorId y = graph.add_tensor("y", {NK_INT8, {1, 1}, {{0.7f}, {0}, 0}});
  const Node node{"fully_connected", "fc", {x, w, kNoTensor}, {y}, {}};
  const OpDef* op = find_op("fully_connected");
  const auto args = op->make_args(graph, node, *find_kernel("nk_fully_connected_s8_ref"));
  ASSERT_TRUE(args.has_value()) << args.error().message;
  const double real = double{0.1f * 0.3f} / double{0.7f};  // 0.0428: mantissa * 2^-4
  EXPECT_EQ(from_bytes<int32_t>(*(*args)[3].constant),
            (std::vector<int32_t>{static_cast<int32_t>(std::lround(real * 16 * 0x1p31))}));
  EXPECT_EQ(from_bytes<int32_t>(*(*args)[4].constant), (std::vector<int32_t>{-4}));
}

TEST(FullyConnectedLower, TfliteFlattensOrKeepsDims) {
  for (const int64_t keep : {0, 1}) {
    FakeLower lower(SourceFormat::kTflite);
    lower.give("x", {NK_FLOAT32, {2, 3, 4}, {}});
    lower.give("w", {NK_FLOAT32, {5, 4}, {}}, constant_of(std::vector<float>(20, 1.0f)));
    lower.give_absent();
    ForeignNode node;
    node.op = "FULLY_CONNECTED";
    node.attrs.set("keep_num_dims", keep);
    const auto done = lower.lower(node);
    ASSERT_TRUE(done.has_value()) << done.error().message;
    const Dims expected = keep != 0 ? Dims{2, 3, 5} : Dims{6, 5};
    EXPECT_EQ(lower.graph.tensor(lower.bound).type.dims, expected);
  }
}

struct GemmCase {
  FakeLower lower{SourceFormat::kOnnx};
  ForeignNode node;
  GemmCase() {
    node.op = "Gemm";
    node.name = "gemm";
    lower.give("a", {NK_FLOAT32, {2, 3}, {}});
  }
};

TEST(FullyConnectedLower, GemmFoldsAlphaBetaAndBroadcastsC) {
  GemmCase g;
  g.lower.give("b", {NK_FLOAT32, {3, 2}, {}}, constant_of(std::vector<float>{1, 2, 3, 4, 5, 6}));
  g.lower.give("c", {NK_FLOAT32, {}, {}}, constant_of(std::vector<float>{3}));
  g.node.attrs.set("alpha", 2.0);
  g.node.attrs.set("beta", 0.5);
  const auto done = g.lower.lower(g.node);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  ASSERT_EQ(g.lower.graph.nodes.size(), 1u);
  const Node& fc = g.lower.graph.nodes[0];
  EXPECT_EQ(from_bytes<float>(*g.lower.graph.tensor(fc.inputs[1]).data),
            (std::vector<float>{2, 6, 10, 4, 8, 12}));
  EXPECT_EQ(from_bytes<float>(*g.lower.graph.tensor(fc.inputs[2]).data),
            (std::vector<float>{1.5f, 1.5f}));
}

TEST(FullyConnectedLower, GemmRefusesWhatIsNotAMatrix) {
  GemmCase g;
  g.lower.give("b", {NK_FLOAT32, {3}, {}});
  const auto done = g.lower.lower(g.node);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().where, "Gemm 'gemm'");
}

}  // namespace
}  // namespace netkit
