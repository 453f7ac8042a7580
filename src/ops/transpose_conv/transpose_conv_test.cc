// SPDX-License-Identifier: MIT
// transpose_conv: an oracle that scatters, overlap distances, lowering of each foreign form.
#include "ops/transpose_conv/transpose_conv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/host/op_helpers.h"
#include "ops/common/testing/node_check.h"
#include "ops/common/testing/wide_check.h"

namespace netkit {
namespace {

using check::from_bytes;
using check::KernelCase;
using check::Rng;
using check::to_bytes;

enum class Kind { kS8, kS16, kF32 };

struct GatherCase {
  nk_transpose_conv_params p{};
  KernelCase c;
};

// Sizes of an axis so that most output cells gather something, and some nothing.
void random_axis(Rng& rng, int32_t in, int32_t kernel, int32_t stride, int32_t dilation,
                 int32_t& out, int32_t& pad) {
  const int32_t full = (in - 1) * stride + (kernel - 1) * dilation + 1;
  pad = rng.in(-1, std::min(3, full - 1));
  out = std::max(1, full - pad - rng.in(-2, 3));
}

nk_transpose_conv_params random_params(Rng& rng, bool sharp) {
  nk_transpose_conv_params p{};
  p.batch = rng.in(0, 3) == 0 ? 2 : 1;
  p.in_h = p.in_ring_h = rng.in(1, 5);
  p.in_w = rng.in(1, 5);
  p.groups = rng.in(0, 3) == 0 ? rng.in(2, 3) : 1;
  p.in_c = p.groups * rng.in(1, sharp ? 3 : 6);
  p.out_c = p.groups * rng.in(1, 4);
  p.kernel_h = rng.in(1, 4);
  p.kernel_w = rng.in(1, 4);
  p.stride_h = rng.in(1, 3);
  p.stride_w = rng.in(1, 3);
  p.dilation_h = rng.in(0, 2) == 0 ? rng.in(2, 3) : 1;
  p.dilation_w = rng.in(0, 2) == 0 ? rng.in(2, 3) : 1;
  random_axis(rng, p.in_h, p.kernel_h, p.stride_h, p.dilation_h, p.out_h, p.pad_top);
  random_axis(rng, p.in_w, p.kernel_w, p.stride_w, p.dilation_w, p.out_w, p.pad_left);
  p.out_y1 = p.out_ring_h = p.out_h;
  check::random_weighted(rng, p, sharp);
  return p;
}

GatherCase gather_case(uint64_t seed, Kind kind, bool sharp, uint64_t variant = 0) {
  Rng rng(seed);
  GatherCase g;
  g.p = random_params(rng, sharp);
  if (kind == Kind::kS16) check::widen_params(rng, sharp, g.p);
  rng = Rng(seed + (variant << 32));
  const auto window = static_cast<size_t>(g.p.kernel_h * g.p.kernel_w * (g.p.in_c / g.p.groups));
  const size_t weights = window * static_cast<size_t>(g.p.out_c);
  const size_t elem = kind == Kind::kF32 ? 4 : (kind == Kind::kS16 ? 2 : 1);
  g.c.params = bytes_of(g.p);
  g.c.mode_offset = offsetof(nk_transpose_conv_params, mode);
  g.c.text = fmt::format("seed {}: {}, groups {}", seed, check::window_text(g.p), g.p.groups);
  g.c.out_bytes = check::out_elems(g.p) * elem;
  if (kind == Kind::kF32) {
    g.c.inputs.push_back(to_bytes(rng.reals(check::in_elems(g.p), -1.0f, 1.0f)));
    check::add_f32_constants(rng, g.p, weights, sharp, g.c);
    return g;
  }
  const int32_t span = sharp ? 2 : 128;
  g.c.inputs.push_back(to_bytes(rng.ints<int8_t>(check::in_elems(g.p), -span, span - 1)));
  check::add_s8_constants(rng, g.p, weights, window, sharp, g.c);
  const bool narrow = g.p.narrow_weights != 0;
  if (kind == Kind::kS16) check::widen_inputs(rng, check::in_elems(g.p), sharp, narrow, g.c);
  return g;
}

// Every product of the operator, as the definition scatters it: f(out, in, weight) are indices.
template <typename F>
void scatter(const nk_transpose_conv_params& p, F f) {
  const int gi = p.in_c / p.groups, go = p.out_c / p.groups;
  for (int n = 0; n < p.batch; ++n)
    for (int iy = 0; iy < p.in_h; ++iy)
      for (int ix = 0; ix < p.in_w; ++ix)
        for (int ic = 0; ic < p.in_c; ++ic)
          for (int ky = 0; ky < p.kernel_h; ++ky)
            for (int kx = 0; kx < p.kernel_w; ++kx) {
              const int oy = iy * p.stride_h + ky * p.dilation_h - p.pad_top;
              const int ox = ix * p.stride_w + kx * p.dilation_w - p.pad_left;
              if (oy < 0 || oy >= p.out_h || ox < 0 || ox >= p.out_w) continue;
              for (int k = 0; k < go; ++k) {
                const int oc = ic / gi * go + k;
                f(static_cast<size_t>(((n * p.out_h + oy) * p.out_w + ox) * p.out_c + oc),
                  static_cast<size_t>(((n * p.in_h + iy) * p.in_w + ix) * p.in_c + ic),
                  static_cast<size_t>(((oc * p.kernel_h + ky) * p.kernel_w + kx) * gi + ic % gi));
              }
            }
}

template <typename T, typename Bias>
std::vector<int64_t> sums(const GatherCase& g) {
  const auto x = from_bytes<T>(g.c.inputs[0]);
  const auto w = from_bytes<int8_t>(g.c.inputs[1]);
  const auto bias = from_bytes<Bias>(g.c.inputs[2]);
  std::vector<int64_t> acc(check::out_elems(g.p));
  for (size_t i = 0; i < acc.size(); ++i) acc[i] = bias[i % bias.size()];
  scatter(g.p, [&](size_t o, size_t i, size_t k) {
    acc[o] += int64_t{x[i] + g.p.input_offset} * (w[k] + g.p.filter_offset);
  });
  return acc;
}

TEST(TransposeConvRef, S8EqualsAScatteringOracle) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const GatherCase g = gather_case(seed, Kind::kS8, false);
    const auto got = check::run_case(nk_transpose_conv_s8_ref, g.c, {});
    ASSERT_EQ(got.fault, "") << g.c.text;
    const auto y = from_bytes<int8_t>(got.output);
    const auto acc = sums<int8_t, int32_t>(g);
    const auto mantissa = from_bytes<int32_t>(g.c.inputs[3]);
    const auto shift = from_bytes<int32_t>(g.c.inputs[4]);
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t q = g.p.per_channel != 0 ? i % static_cast<size_t>(g.p.out_c) : 0;
      ASSERT_EQ(y[i], check::oracle_requantize(acc[i], mantissa[q], shift[q], g.p.output_offset,
                                               g.p.act_min, g.p.act_max))
          << g.c.text << " at " << i;
    }
  }
}

TEST(TransposeConvRef, S16EqualsAScatteringOracle) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const GatherCase g = gather_case(seed, Kind::kS16, false);
    const auto got = check::run_case(nk_transpose_conv_s16_ref, g.c, {});
    ASSERT_EQ(got.fault, "") << g.c.text;
    const auto y = from_bytes<int16_t>(got.output);
    const std::vector<int64_t> acc = sums<int16_t, int64_t>(g);
    const auto bias = from_bytes<int64_t>(g.c.inputs[2]);
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t oc = i % bias.size();
      ASSERT_EQ(y[i], check::wide_value(g.p, g.c, acc[i] - bias[oc], oc))
          << g.c.text << " at " << i;
    }
  }
}

TEST(TransposeConvRef, F32AddsInTheOrderOfAScatter) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const GatherCase g = gather_case(seed, Kind::kF32, false);
    const auto got = check::run_case(nk_transpose_conv_f32_ref, g.c, {});
    ASSERT_EQ(got.fault, "") << g.c.text;
    const auto x = from_bytes<float>(g.c.inputs[0]);
    const auto w = from_bytes<float>(g.c.inputs[1]);
    const auto bias = from_bytes<float>(g.c.inputs[2]);
    std::vector<float> acc(check::out_elems(g.p), 0.0f);
    scatter(g.p, [&](size_t o, size_t i, size_t k) { acc[o] += x[i] * w[k]; });
    for (size_t i = 0; i < acc.size(); ++i) {
      if (!bias.empty()) acc[i] += bias[i % bias.size()];
      acc[i] = acc[i] < g.p.clamp_min ? g.p.clamp_min
                                      : (acc[i] > g.p.clamp_max ? g.p.clamp_max : acc[i]);
    }
    ASSERT_EQ(from_bytes<float>(got.output), acc) << g.c.text;
  }
}

// Each stated distance is safe, and for one group it is the least one.
void expect_distances(const char* symbol, Kind kind, int64_t elem_bytes) {
  const KernelRow& row = *find_kernel(symbol);
  int tried = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const GatherCase g = gather_case(seed, kind, true);
    std::vector<KernelMode> modes;
    row.modes(&g.p, modes);
    const auto plain = check::run_case(row.fn, g.c, {});
    ASSERT_EQ(check::check_modes(row.fn, g.c, modes, plain.output, elem_bytes), "");
    if (g.p.groups > 1) continue;
    const auto make = [&](uint64_t variant) { return gather_case(seed, kind, true, variant).c; };
    ASSERT_EQ(check::check_least_distances(row.fn, make, modes, elem_bytes), "");
    tried += static_cast<int>(modes.size()) - 1;
  }
  EXPECT_GT(tried, 100);
}

TEST(TransposeConvModes, S8) {
  expect_distances("nk_transpose_conv_s8_ref", Kind::kS8, 1);
}
TEST(TransposeConvModes, S16) {
  expect_distances("nk_transpose_conv_s16_ref", Kind::kS16, 2);
}
TEST(TransposeConvModes, F32) {
  expect_distances("nk_transpose_conv_f32_ref", Kind::kF32, 4);
}

std::vector<float> ones(size_t n) {
  return std::vector<float>(n, 1.0f);
}

TEST(TransposeConvLower, OnnxSizes) {
  // 28x28, k3 s2 p1, output_padding 1: twice the size.
  auto twice = check::onnx("ConvTranspose", 11);
  twice.in<float>({1, 1, 28, 28}, ones(784)).constant<float>({1, 1, 3, 3}, ones(9));
  twice.set("strides", std::vector<int64_t>{2, 2}).set("pads", std::vector<int64_t>{1, 1, 1, 1});
  twice.set("output_padding", std::vector<int64_t>{1, 1});
  const auto y = twice.run<float>();
  ASSERT_EQ(twice.error(), "");
  EXPECT_EQ(twice.dims, (Dims{1, 1, 56, 56}));
  EXPECT_EQ(y[0], 1.0f);
  EXPECT_EQ(y[57], 4.0f);
  EXPECT_EQ(y.back(), 1.0f);
}

// Rank 3, two groups: x0 = [1, 2], x1 = [3, 4], one tap pair each; [1 2] * [1, 10], [3 4] * [2, 5].
TEST(TransposeConvLower, OnnxGroupsOfRankThree) {
  auto node = check::onnx("ConvTranspose", 11);
  node.in<float>({1, 2, 2}, {1, 2, 3, 4}).constant<float>({2, 1, 2}, {1, 10, 2, 5});
  node.constant<float>({2}, {0, 100}).set("group", int64_t{2});
  EXPECT_EQ(node.run<float>(), (std::vector<float>{1, 12, 20, 106, 123, 120}));
  EXPECT_EQ(node.error(), "");
  EXPECT_EQ(node.dims, (Dims{1, 2, 3}));
}

TEST(TransposeConvLower, OnnxPaddingOfSameAndOutputShape) {
  const auto padded = [](const char* auto_pad, std::vector<int64_t> shape) {
    auto node = check::onnx("ConvTranspose", 11);
    node.in<float>({1, 1, 2}, {1, 10}).constant<float>({1, 1, 3}, {1, 2, 3});
    node.set("strides", std::vector<int64_t>{2}).set("auto_pad", std::string(auto_pad));
    if (!shape.empty()) node.set("output_shape", std::move(shape));
    return node.run<float>();
  };
  // In full: 1 2 13 20 30.
  EXPECT_EQ(padded("SAME_UPPER", {}), (std::vector<float>{1, 2, 13, 20}));
  EXPECT_EQ(padded("SAME_LOWER", {}), (std::vector<float>{2, 13, 20, 30}));
  EXPECT_EQ(padded("NOTSET", {4}), (std::vector<float>{2, 13, 20, 30}));
  EXPECT_EQ(padded("SAME_UPPER", {4}), (std::vector<float>{1, 2, 13, 20}));
  EXPECT_EQ(padded("NOTSET", {1, 1, 6}), (std::vector<float>{1, 2, 13, 20, 30, 0}));
  EXPECT_EQ(padded("VALID", {}), (std::vector<float>{1, 2, 13, 20, 30}));
}

TEST(TransposeConvLower, Refusals) {
  const auto refused = [](const char* name, std::vector<int64_t> values) {
    auto node = check::onnx("ConvTranspose", 11);
    node.in<float>({1, 1, 2, 2}, ones(4)).constant<float>({1, 1, 2, 2}, ones(4));
    node.set(name, std::move(values));
    return check::refusal(node);
  };
  EXPECT_NE(refused("strides", {0, 1}), "");
  EXPECT_NE(refused("strides", {1}), "");
  EXPECT_NE(refused("dilations", {1, INT64_MAX}), "");
  EXPECT_NE(refused("pads", {-1, 0, 0, 0}), "");
  EXPECT_NE(refused("pads", {2, 2, 2, 2}), "");
  EXPECT_NE(refused("output_shape", {0, 4}), "");
  EXPECT_NE(refused("output_padding", {-1, 0}), "");
  EXPECT_NE(refused("kernel_shape", {3, 3}), "");
  auto groups = check::onnx("ConvTranspose", 11);
  groups.in<float>({1, 2, 2, 2}, ones(8)).constant<float>({2, 1, 2, 2}, ones(8));
  groups.set("group", INT64_MAX);
  EXPECT_NE(check::refusal(groups), "");
}

// x 1x2x2x1 = 1 2 3 4, weights 2x2 = 1 2 3 4, stride 2, SAME: every block of its own.
TEST(TransposeConvLower, TfliteInt8AndItsCustomTwin) {
  auto node = check::tflite("TRANSPOSE_CONV");
  node.constant<int32_t>({4}, {1, 4, 4, 1});
  node.constant<int8_t>({1, 2, 2, 1}, {1, 2, 3, 4}, check::quant_of(0.5f, 0));
  node.in<int8_t>({1, 2, 2, 1}, {2, 3, 4, 5}, check::quant_of(0.5f, 1));
  node.set("padding", std::string("SAME")).set("stride_h", int64_t{2}).set("stride_w", int64_t{2});
  node.declare(NK_INT8, {1, 4, 4, 1}, check::quant_of(0.25f, -1));
  EXPECT_EQ(node.run<int8_t>(),
            (std::vector<int8_t>{0, 1, 1, 3, 2, 3, 5, 7, 2, 5, 3, 7, 8, 11, 11, 15}));
  EXPECT_EQ(node.error(), "");

  auto twin = check::tflite("CUSTOM:Convolution2DTransposeBias");
  twin.in<float>({1, 2, 2, 1}, {1, 2, 3, 4}).constant<float>({1, 2, 2, 1}, {1, 2, 3, 4});
  twin.constant<float>({1}, {0.5f});
  const std::vector<int32_t> options = {1, 2, 2};
  twin.set("custom_options", AttrTensor{{NK_UINT8, {12}, {}}, constant_of(options)});
  EXPECT_EQ(twin.run<float>(),
            (std::vector<float>{1.5f, 2.5f, 2.5f, 4.5f, 3.5f, 4.5f, 6.5f, 8.5f, 3.5f, 6.5f, 4.5f,
                                8.5f, 9.5f, 12.5f, 12.5f, 16.5f}));
  EXPECT_EQ(twin.error(), "");
}

}  // namespace
}  // namespace netkit
