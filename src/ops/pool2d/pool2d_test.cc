// SPDX-License-Identifier: MIT
// max_pool2d and avg_pool2d: hand-computed cases, independent oracles, overlap, lowering.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "ops/common/testing/fake_lower.h"
#include "ops/common/testing/node_check.h"
#include "ops/pool2d/pool2d_check.h"

namespace netkit {
namespace {

using check::from_bytes;
using check::KernelCase;

struct Cells {
  std::vector<double> values;  // inside the input
  int counted = 0;             // cells of the mean
};

// f(output index, cells of its window).
template <typename T, typename F>
void for_outputs(const nk_pool2d_params& p, const std::vector<T>& x, F f) {
  for (size_t i = 0; i < check::out_elems(p); ++i) {
    const int c = static_cast<int>(i) % p.out_c;
    const int ox = static_cast<int>(i) / p.out_c % p.out_w;
    const int oy = static_cast<int>(i) / p.out_c / p.out_w % p.out_h;
    const int n = static_cast<int>(i) / p.out_c / p.out_w / p.out_h;
    Cells cells;
    for (int k = 0; k < p.kernel_h * p.kernel_w; ++k) {
      const int y = oy * p.stride_h - p.pad_top + k / p.kernel_w * p.dilation_h;
      const int x_at = ox * p.stride_w - p.pad_left + k % p.kernel_w * p.dilation_w;
      const bool inside = y >= 0 && y < p.in_h && x_at >= 0 && x_at < p.in_w;
      if (inside) {
        const int at = ((n * p.in_h + y) * p.in_w + x_at) * p.in_c + c;
        cells.values.push_back(x[static_cast<size_t>(at)]);
      }
      const bool padded = y < p.in_h + p.pad_bottom && x_at < p.in_w + p.pad_right;
      if (inside || (p.count_include_pad != 0 && padded)) ++cells.counted;
    }
    f(i, cells);
  }
}

double sum_of(const Cells& cells) {
  double sum = 0.0;
  for (const double v : cells.values) sum += v;
  return sum;
}

double greatest_of(const Cells& cells) {
  double best = -1e30;
  for (const double v : cells.values) best = std::max(best, v);
  return best;
}

template <typename T>
void expect_oracle(nk_kernel_fn max_fn, nk_kernel_fn avg_fn) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    auto [p, c] = check::pool2d_case(seed, false);
    if constexpr (std::is_same_v<T, uint8_t>) check::raise_pool(p, c);
    const auto max = check::run_case(max_fn, c, {});
    const auto avg = check::run_case(avg_fn, c, {});
    ASSERT_EQ(max.fault + avg.fault, "") << c.text;
    const auto greatest = from_bytes<T>(max.output);
    const auto mean = from_bytes<T>(avg.output);
    for_outputs(p, from_bytes<T>(c.inputs[0]), [&, &p = p, &c = c](size_t i, const Cells& w) {
      const auto clamp = [&](double v) {
        return std::clamp(v, double(p.act_min), double(p.act_max));
      };
      ASSERT_EQ(greatest[i], clamp(greatest_of(w))) << c.text << " at " << i;
      const double padding = p.pad_value * (w.counted - static_cast<double>(w.values.size()));
      // Half away from zero; the sums are exact in double.
      ASSERT_EQ(mean[i], clamp(std::round((sum_of(w) + padding) / w.counted)))
          << c.text << " at " << i;
    });
  }
}

TEST(Pool2dRef, S8EqualsAnIndependentOracle) {
  expect_oracle<int8_t>(nk_max_pool2d_s8_ref, nk_avg_pool2d_s8_ref);
}
TEST(Pool2dRef, U8EqualsAnIndependentOracle) {
  expect_oracle<uint8_t>(nk_max_pool2d_u8_ref, nk_avg_pool2d_u8_ref);
}

TEST(Pool2dRef, F32IsNearADoubleOracle) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const auto [p, c] = check::pool2d_case(seed, true);
    const auto greatest = from_bytes<float>(check::run_case(nk_max_pool2d_f32_ref, c, {}).output);
    const auto mean = from_bytes<float>(check::run_case(nk_avg_pool2d_f32_ref, c, {}).output);
    for_outputs(p, from_bytes<float>(c.inputs[0]), [&, &p = p, &c = c](size_t i, const Cells& w) {
      const auto clamp = [&](double v) {
        return std::clamp(v, double{p.clamp_min}, double{p.clamp_max});
      };
      ASSERT_EQ(greatest[i], static_cast<float>(clamp(greatest_of(w)))) << c.text << " at " << i;
      ASSERT_NEAR(mean[i], clamp(sum_of(w) / w.counted), 17 * 0x1p-23) << c.text << " at " << i;
    });
  }
}

TEST(Pool2dRef, EveryRowAgreesInEveryMode) {
  const std::pair<const char*, nk_kernel_fn> references[] = {
      {"max_pool2d s8", nk_max_pool2d_s8_ref},   {"max_pool2d u8", nk_max_pool2d_u8_ref},
      {"max_pool2d f32", nk_max_pool2d_f32_ref}, {"avg_pool2d s8", nk_avg_pool2d_s8_ref},
      {"avg_pool2d u8", nk_avg_pool2d_u8_ref},   {"avg_pool2d f32", nk_avg_pool2d_f32_ref}};
  for (const KernelRow& row : all_kernel_rows()) {
    for (const auto& [name, reference] : references) {
      if (fmt::format("{} {}", row.op, row.signature) != name) continue;
      EXPECT_EQ(check::check_pool2d(row, reference, 300), "");
    }
  }
}

// Means see every element; greatest values would hide most of them.
TEST(Pool2dModes, DistancesAreExact) {
  const KernelRow& row = *find_kernel("nk_avg_pool2d_f32_ref");
  int tried = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    auto [p, c] = check::pool2d_case(seed, true);
    std::vector<KernelMode> modes;
    row.modes(&p, modes);
    const auto make = [&](uint64_t variant) {
      auto [params, made] = check::pool2d_case(seed, true, variant);
      params.clamp_min = -INFINITY;
      params.clamp_max = INFINITY;
      made.params = bytes_of(params);
      return made;
    };
    ASSERT_EQ(check::check_least_distances(row.fn, make, modes, sizeof(float)), "");
    tried += static_cast<int>(modes.size()) - 1;
  }
  EXPECT_GT(tried, 200);
}

struct LoweredPool {
  Result<void> done;
  Dims dims;
  nk_pool2d_params params{};
};

LoweredPool lower_onnx(Dims x, const ForeignNode& node) {
  FakeLower lower(SourceFormat::kOnnx);
  lower.give("x", {NK_FLOAT32, std::move(x), {}});
  LoweredPool out{lower.lower(node), {}, {}};
  if (!out.done) return out;
  out.dims = lower.graph.tensor(lower.bound).type.dims;
  for (const Node& made : lower.graph.nodes) {
    if (made.op != "max_pool2d" && made.op != "avg_pool2d") continue;
    const auto params = find_op(made.op)->make_params(lower.graph, made);
    EXPECT_TRUE(params.has_value());
    std::memcpy(&out.params, params->params.data(), sizeof out.params);
  }
  return out;
}

ForeignNode pool(const char* op, std::vector<int64_t> kernel, std::vector<int64_t> strides) {
  ForeignNode node;
  node.op = op;
  node.name = "pool";
  node.attrs.set("kernel_shape", std::move(kernel));
  node.attrs.set("strides", std::move(strides));
  return node;
}

TEST(Pool2dLower, CeilModeRoundsUpButStartsNoWindowBehindTheInput) {
  ForeignNode node = pool("MaxPool", {3, 3}, {2, 2});
  EXPECT_EQ(lower_onnx({1, 1, 4, 4}, node).dims, (Dims{1, 1, 1, 1}));
  node.attrs.set("ceil_mode", int64_t{1});
  EXPECT_EQ(lower_onnx({1, 1, 4, 4}, node).dims, (Dims{1, 1, 2, 2}));
  // 1x1 windows at stride 2 on 2 rows and 1 row of trailing padding: the one at row 2 is padding.
  node = pool("MaxPool", {1, 1}, {2, 2});
  node.attrs.set("ceil_mode", int64_t{1});
  EXPECT_EQ(lower_onnx({1, 1, 2, 2}, node).dims, (Dims{1, 1, 1, 1}));
}

// 4 columns, kernel 3, stride 2, one padded column at each end, ceil_mode: the windows cover
// columns -1..1, 1..3 and 3..5, of which 5 is behind the padding and never counts.
TEST(Pool2dLower, CountIncludePadStopsAtThePadding) {
  ForeignNode node = pool("AveragePool", {3}, {2});
  node.attrs.set("pads", std::vector<int64_t>{1, 1});
  node.attrs.set("ceil_mode", int64_t{1});
  node.attrs.set("count_include_pad", int64_t{1});
  const LoweredPool lowered = lower_onnx({1, 1, 4}, node);
  ASSERT_TRUE(lowered.done.has_value()) << lowered.done.error().message;
  EXPECT_EQ(lowered.dims, (Dims{1, 1, 3}));
  KernelCase c;
  c.params = bytes_of(lowered.params);
  c.inputs = {check::to_bytes(std::vector<float>{3, 6, 9, 12})};
  c.out_bytes = 12;
  EXPECT_EQ(from_bytes<float>(check::run_case(nk_avg_pool2d_f32_ref, c, {}).output),
            (std::vector<float>{3, 9, 6}));
}

TEST(Pool2dLower, GlobalPoolsCoverTheInput) {
  ForeignNode node;
  node.op = "GlobalAveragePool";
  const LoweredPool lowered = lower_onnx({2, 3, 4, 5}, node);
  ASSERT_TRUE(lowered.done.has_value()) << lowered.done.error().message;
  EXPECT_EQ(lowered.dims, (Dims{2, 3, 1, 1}));
  EXPECT_EQ(lowered.params.kernel_h, 4);
  EXPECT_EQ(lowered.params.kernel_w, 5);
}

TEST(Pool2dLower, RefusesIndicesAndEmptyWindows) {
  ForeignNode node = pool("MaxPool", {2, 2, 2}, {1, 1, 1});
  node.outputs = {0, 1};
  const LoweredPool indices = lower_onnx({1, 1, 4, 4, 4}, node);
  ASSERT_FALSE(indices.done.has_value());
  EXPECT_EQ(indices.done.error().where, "MaxPool 'pool'");
  for (const char* op : {"AveragePool", "MaxPool"}) {
    node = pool(op, {2, 2}, {1, 1});
    for (size_t side = 0; side < 4; ++side) {
      std::vector<int64_t> pads(4, 0);
      pads[side] = 2;
      node.attrs.set("pads", pads);
      EXPECT_FALSE(lower_onnx({1, 1, 4, 4}, node).done.has_value()) << op << " " << side;
      pads[side] = 1;
      node.attrs.set("pads", pads);
      EXPECT_TRUE(lower_onnx({1, 1, 4, 4}, node).done.has_value()) << op << " " << side;
    }
  }
}

TEST(Pool2dLower, TfliteQuantisationMustAgree) {
  for (const float out_scale : {0.5f, 0.25f}) {
    FakeLower lower(SourceFormat::kTflite);
    lower.give("x", {NK_INT8, {1, 4, 4, 2}, {{0.5f}, {3}, 0}});
    lower.declare({NK_INT8, {1, 2, 2, 2}, {{out_scale}, {3}, 0}});
    ForeignNode node;
    node.op = "AVERAGE_POOL_2D";
    node.attrs.set("padding", std::string("VALID"));
    node.attrs.set("filter_height", int64_t{2});
    node.attrs.set("filter_width", int64_t{2});
    node.attrs.set("stride_h", int64_t{2});
    node.attrs.set("stride_w", int64_t{2});
    node.attrs.set("fused_activation_function", std::string("RELU_N1_TO_1"));
    ASSERT_TRUE(lower.lower(node).has_value());
    const auto params = find_op("avg_pool2d")->make_params(lower.graph, lower.graph.nodes[0]);
    ASSERT_EQ(params.has_value(), out_scale == 0.5f);
    if (!params) continue;
    nk_pool2d_params p{};
    std::memcpy(&p, params->params.data(), sizeof p);
    EXPECT_EQ(p.act_min, 1);
    EXPECT_EQ(p.act_max, 5);
    EXPECT_EQ(p.pad_value, 3);
  }
}

// Three spatial axes of a global pool count as two.
TEST(GlobalPool, OfThreeAxes) {
  std::vector<float> x(2 * 3 * 2 * 3 * 2);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7) % 11);
  for (const bool mean : {true, false}) {
    auto node =
        check::onnx(mean ? "GlobalAveragePool" : "GlobalMaxPool", 13).in<float>({2, 3, 2, 3, 2}, x);
    const auto y = node.run<float>();
    ASSERT_EQ(node.dims, (Dims{2, 3, 1, 1, 1})) << node.error();
    for (size_t c = 0; c < 6; ++c) {
      const auto begin = x.begin() + static_cast<ptrdiff_t>(c * 12);
      double sum = 0;
      for (auto at = begin; at != begin + 12; ++at) sum += *at;
      if (mean) {
        ASSERT_NEAR(y[c], sum / 12, 1e-6);
      } else {
        ASSERT_EQ(y[c], *std::max_element(begin, begin + 12));
      }
    }
  }
}

// Two axes, then the third: against the definition.
TEST(Pool, OfThreeAxes) {
  std::vector<float> x(2 * 4 * 3 * 5);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7) % 23) - 9;
  const auto at = [&](int64_t c, int64_t z, int64_t y, int64_t w) {
    return x[static_cast<size_t>(((c * 4 + z) * 3 + y) * 5 + w)];
  };
  const std::vector<int64_t> kernel{3, 2, 3}, strides{2, 1, 2}, pads{1, 0, 1, 1, 1, 0};
  for (const bool mean : {true, false}) {
    auto node = check::onnx(mean ? "AveragePool" : "MaxPool", 12)
                    .in<float>({1, 2, 4, 3, 5}, x)
                    .set("kernel_shape", kernel)
                    .set("strides", strides)
                    .set("pads", pads);
    const auto got = node.run<float>();
    ASSERT_EQ(node.dims, (Dims{1, 2, 2, 3, 2})) << node.error();
    for (int64_t i = 0; i < 24; ++i) {
      const int64_t c = i / 12, oz = i / 6 % 2, oy = i / 2 % 3, ox = i % 2;
      double sum = 0, most = -INFINITY;
      int taps = 0;
      for (int64_t k = 0; k < 18; ++k) {
        const int64_t z = oz * 2 - 1 + k / 6, y = oy + k / 3 % 2, w = ox * 2 - 1 + k % 3;
        if (z < 0 || z >= 4 || y >= 3 || w < 0 || w >= 5) continue;
        sum += at(c, z, y, w);
        most = std::max(most, double{at(c, z, y, w)});
        ++taps;
      }
      ASSERT_NEAR(got[static_cast<size_t>(i)], mean ? sum / taps : most, 1e-5) << mean << i;
    }
  }
}

TEST(MaxPool, PlacesOfTheGreatest) {
  const auto pool = [](int64_t order) {
    return check::onnx("MaxPool", 12)
        .in<float>({1, 2, 2, 3}, {1, 5, 2, 5, 4, 0, -1, -2, -3, -4, -5, -6})
        .set("kernel_shape", std::vector<int64_t>{2, 2})
        .set("pads", std::vector<int64_t>{1, 0, 0, 0})
        .set("storage_order", order)
        .outputs(2);
  };
  auto rows = pool(0);
  EXPECT_EQ(rows.run<int64_t>(1), (std::vector<int64_t>{1, 1, 1, 1, 6, 7, 6, 7}));
  EXPECT_EQ(rows.dims, (Dims{1, 2, 2, 2}));
  EXPECT_EQ(rows.run<float>(0), (std::vector<float>{5, 5, 5, 5, -1, -2, -1, -2}));
  EXPECT_EQ(pool(1).run<int64_t>(1), (std::vector<int64_t>{2, 2, 2, 2, 6, 8, 6, 8}));
}

}  // namespace
}  // namespace netkit
