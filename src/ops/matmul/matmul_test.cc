// SPDX-License-Identifier: MIT
// matmul: independent oracles over stacks and broadcasts, lowering of MatMul and BATCH_MATMUL.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/common/testing/fake_lower.h"
#include "ops/common/testing/int_oracle.h"
#include "ops/matmul/matmul_check.h"

namespace netkit {
namespace {

using check::from_bytes;

// Flat index into a tensor of shape `dims` of the element whose leading indices are those of the
// output (broadcast where the size is 1) and whose last two are given.
size_t flat(const Dims& dims, const std::vector<int64_t>& out, int64_t before, int64_t last) {
  int64_t at = 0;
  const size_t lead = dims.size() - 2;
  const size_t skip = out.size() - 2 - lead;
  for (size_t i = 0; i < lead; ++i) at = at * dims[i] + (dims[i] == 1 ? 0 : out[skip + i]);
  return static_cast<size_t>((at * dims[lead] + before) * dims[lead + 1] + last);
}

// f(output index, [(index into a, index into b)]).
template <typename F>
void for_outputs(const check::MatmulCase& c, F f) {
  const Dims& a = c.graph.tensor(c.node.inputs[0]).type.dims;
  const Dims& b = c.graph.tensor(c.node.inputs[1]).type.dims;
  const Dims& y = c.graph.tensor(c.node.outputs[0]).type.dims;
  const bool ta = c.node.attrs.get_int("transpose_a") != 0;
  const bool tb = c.node.attrs.get_int("transpose_b") != 0;
  const int64_t depth = ta ? a[a.size() - 2] : a.back();
  std::vector<int64_t> at(y.size(), 0);
  for (size_t i = 0; i < static_cast<size_t>(*element_count(y)); ++i) {
    const int64_t row = at[y.size() - 2], col = at.back();
    std::vector<std::pair<size_t, size_t>> pairs;
    for (int64_t k = 0; k < depth; ++k) {
      pairs.emplace_back(ta ? flat(a, at, k, row) : flat(a, at, row, k),
                         tb ? flat(b, at, col, k) : flat(b, at, k, col));
    }
    f(i, pairs);
    for (size_t axis = y.size(); axis-- > 0;) {
      if (++at[axis] < y[axis]) break;
      at[axis] = 0;
    }
  }
}

TEST(MatmulRef, S8EqualsAnIndependentOracle) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const check::MatmulCase c = check::matmul_case(seed, false);
    const auto got = check::run_case(nk_matmul_s8_ref, c.kernel, {});
    ASSERT_EQ(got.fault, "") << c.kernel.text;
    const auto y = from_bytes<int8_t>(got.output);
    const auto a = from_bytes<int8_t>(c.kernel.inputs[0]);
    const auto b = from_bytes<int8_t>(c.kernel.inputs[1]);
    for_outputs(c, [&](size_t i, const auto& pairs) {
      int64_t acc = 0;
      for (const auto& [ai, bi] : pairs) {
        acc += int64_t{a[ai] + c.params.a_offset} * (b[bi] + c.params.b_offset);
      }
      ASSERT_EQ(y[i], check::oracle_requantize(acc, c.params.multiplier, c.params.shift,
                                               c.params.output_offset, -128, 127))
          << c.kernel.text << " at " << i;
    });
  }
}

TEST(MatmulRef, F32IsNearADoubleOracle) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const check::MatmulCase c = check::matmul_case(seed, true);
    const auto y = from_bytes<float>(check::run_case(nk_matmul_f32_ref, c.kernel, {}).output);
    const auto a = from_bytes<float>(c.kernel.inputs[0]);
    const auto b = from_bytes<float>(c.kernel.inputs[1]);
    for_outputs(c, [&](size_t i, const auto& pairs) {
      double sum = 0.0;
      for (const auto& [ai, bi] : pairs) sum += double{a[ai]} * b[bi];
      ASSERT_NEAR(y[i], sum, static_cast<double>(pairs.size() * pairs.size()) * 0x1p-24)
          << c.kernel.text << " at " << i;
    });
  }
}

TEST(MatmulRef, EveryRowAgrees) {
  for (const KernelRow& row : all_kernel_rows()) {
    const bool compared = row.signature == "s8" || row.signature == "f32";
    if (row.op != "matmul" || !compared) continue;  // others have oracles of their own
    EXPECT_EQ(check::check_matmul(row, 150), "");
  }
}

struct Lowered {
  Result<void> done;
  Dims dims;
  std::vector<std::string> ops;
};

Lowered lower_onnx(Dims a, Dims b, bool constant_b) {
  FakeLower lower(SourceFormat::kOnnx);
  lower.give("a", {NK_FLOAT32, std::move(a), {}});
  const auto count = static_cast<size_t>(*element_count(b));
  lower.give("b", {NK_FLOAT32, std::move(b), {}},
             constant_b ? constant_of(std::vector<float>(count, 1.0f)) : nullptr);
  ForeignNode node;
  node.op = "MatMul";
  node.name = "product";
  Lowered out{lower.lower(node), {}, {}};
  if (out.done) out.dims = lower.graph.tensor(lower.bound).type.dims;
  for (const Node& made : lower.graph.nodes) out.ops.push_back(made.op);
  return out;
}

TEST(MatmulLower, ConstantMatrixBecomesFullyConnected) {
  const Lowered lowered = lower_onnx({2, 3, 4}, {4, 5}, true);
  ASSERT_TRUE(lowered.done.has_value()) << lowered.done.error().message;
  EXPECT_EQ(lowered.dims, (Dims{2, 3, 5}));
  EXPECT_EQ(lowered.ops, (std::vector<std::string>{"fully_connected"}));
}

TEST(MatmulLower, VectorsLoseTheirAxis) {
  EXPECT_EQ(lower_onnx({2, 3, 4}, {2, 4, 5}, false).dims, (Dims{2, 3, 5}));
  EXPECT_EQ(lower_onnx({4}, {2, 4, 5}, false).dims, (Dims{2, 5}));
  EXPECT_EQ(lower_onnx({2, 3, 4}, {4}, false).dims, (Dims{2, 3}));
  EXPECT_EQ(lower_onnx({4}, {4}, false).dims, (Dims{}));
}

TEST(MatmulLower, RefusesWhatDoesNotFit) {
  const Lowered lowered = lower_onnx({2, 3, 4}, {3, 4, 5}, false);
  ASSERT_FALSE(lowered.done.has_value());
  EXPECT_EQ(lowered.done.error().message,
            "float32[2x3x4] and float32[3x4x5] cannot be multiplied");
}

TEST(MatmulLower, TfliteAdjoints) {
  FakeLower lower(SourceFormat::kTflite);
  lower.give("a", {NK_FLOAT32, {2, 4, 3}, {}});
  lower.give("b", {NK_FLOAT32, {5, 4}, {}});
  ForeignNode node;
  node.op = "BATCH_MATMUL";
  node.attrs.set("adj_x", int64_t{1});
  node.attrs.set("adj_y", int64_t{1});
  ASSERT_TRUE(lower.lower(node).has_value());
  EXPECT_EQ(lower.graph.tensor(lower.bound).type.dims, (Dims{2, 3, 5}));
}

}  // namespace
}  // namespace netkit
