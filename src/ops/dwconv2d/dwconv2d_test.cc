// SPDX-License-Identifier: MIT
// dwconv2d: hand-computed cases, independent oracles, overlap distances, lowering.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/fake_lower.h"
#include "ops/common/testing/int_oracle.h"
#include "ops/dwconv2d/dwconv2d_check.h"

namespace netkit {
namespace {

using check::from_bytes;
using check::KernelCase;

const KernelRow& depthwise_row(std::string_view symbol) {
  return *find_kernel(symbol);
}

// f(output index, output channel, [(weight index, input index)]) for every output element.
template <typename F>
void for_outputs(const nk_dwconv2d_params& p, F f) {
  size_t i = 0;
  for (int n = 0; n < p.batch; ++n) {
    for (int y = 0; y < p.out_h; ++y) {
      for (int x = 0; x < p.out_w; ++x) {
        for (int oc = 0; oc < p.out_c; ++oc) {
          std::vector<std::pair<size_t, size_t>> taps;
          for (int k = 0; k < p.kernel_h * p.kernel_w; ++k) {
            const int iy = y * p.stride_h - p.pad_top + k / p.kernel_w * p.dilation_h;
            const int ix = x * p.stride_w - p.pad_left + k % p.kernel_w * p.dilation_w;
            if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
            taps.emplace_back(k * p.out_c + oc,
                              ((n * p.in_h + iy) * p.in_w + ix) * p.in_c + oc / p.depth_multiplier);
          }
          f(i++, static_cast<size_t>(oc), taps);
        }
      }
    }
  }
}

TEST(Dwconv2dRef, S8EqualsAnIndependentOracle) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const auto [p, c] = check::dwconv2d_case(seed, false, false);
    const auto got = check::run_case(nk_dwconv2d_s8_ref, c, {});
    ASSERT_EQ(got.fault, "") << c.text;
    const auto y = from_bytes<int8_t>(got.output);
    const auto x = from_bytes<int8_t>(c.inputs[0]);
    const auto w = from_bytes<int8_t>(c.inputs[1]);
    const auto bias = from_bytes<int32_t>(c.inputs[2]);
    const auto mantissa = from_bytes<int32_t>(c.inputs[3]);
    const auto shift = from_bytes<int32_t>(c.inputs[4]);
    for_outputs(p, [&, &p = p, &c = c](size_t i, size_t oc, const auto& taps) {
      int64_t acc = bias[oc];
      for (const auto& [wi, xi] : taps) {
        acc += int64_t{w[wi] + p.filter_offset} * (x[xi] + p.input_offset);
      }
      const size_t q = p.per_channel != 0 ? oc : 0;
      ASSERT_EQ(y[i], check::oracle_requantize(acc, mantissa[q], shift[q], p.output_offset,
                                               p.act_min, p.act_max))
          << c.text << " at " << i;
    });
  }
}

TEST(Dwconv2dRef, F32IsNearADoubleOracle) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const auto [p, c] = check::dwconv2d_case(seed, true, false);
    const auto got = check::run_case(nk_dwconv2d_f32_ref, c, {});
    ASSERT_EQ(got.fault, "") << c.text;
    const auto y = from_bytes<float>(got.output);
    const auto x = from_bytes<float>(c.inputs[0]);
    const auto w = from_bytes<float>(c.inputs[1]);
    const auto bias = from_bytes<float>(c.inputs[2]);
    for_outputs(p, [&, &p = p, &c = c](size_t i, size_t oc, const auto& taps) {
      double sum = bias.empty() ? 0.0 : double{bias[oc]};
      double size = std::fabs(sum);
      for (const auto& [wi, xi] : taps) {
        sum += double{w[wi]} * x[xi];
        size += std::fabs(double{w[wi]} * x[xi]);
      }
      sum = std::min(std::max(sum, double{p.clamp_min}), double{p.clamp_max});
      ASSERT_NEAR(y[i], sum, size * static_cast<double>(taps.size() + 2) * 0x1p-24)
          << c.text << " at " << i;
    });
  }
}

// One pixel high, two channels, multiplier 2: channels 0, 1 read input 0 and 2, 3 read input 1.
TEST(Dwconv2dRef, ByHandWithMultiplier) {
  nk_dwconv2d_params p{};
  p.batch = p.in_h = p.in_ring_h = p.out_h = p.out_ring_h = p.out_y1 = p.kernel_h = 1;
  p.in_w = p.kernel_w = 2;
  p.out_w = 1;
  p.in_c = p.depth_multiplier = 2;
  p.out_c = 4;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.act_min = -128;
  p.act_max = 127;
  KernelCase c;
  c.params = bytes_of(p);
  c.out_bytes = 4;
  c.inputs = {check::to_bytes(std::vector<int8_t>{2, 3, 5, 7}),
              check::to_bytes(std::vector<int8_t>{1, 2, 3, 4, -1, 0, 1, 2}),
              check::to_bytes(std::vector<int32_t>{0, 0, 0, 100}),
              check::to_bytes(std::vector<int32_t>{1 << 30}),
              check::to_bytes(std::vector<int32_t>{1})};
  // 2*1-5, 2*2, 3*3+7, 3*4+7*2+100
  EXPECT_EQ(from_bytes<int8_t>(check::run_case(nk_dwconv2d_s8_ref, c, {}).output),
            (std::vector<int8_t>{-3, 4, 16, 126}));
}

TEST(Dwconv2dRef, EveryRowAgreesInEveryMode) {
  for (const KernelRow& r : all_kernel_rows()) {
    const bool ours = r.op == "dwconv2d" || r.op == "dwconv2d_parts";
    if (!ours || r.signature.starts_with("s16")) continue;
    EXPECT_EQ(check::check_dwconv2d(r, 600), "");
  }
}

void expect_exact_depthwise(const char* symbol, bool f32) {
  int tried = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto [p, c] = check::dwconv2d_case(seed, f32, true);
    std::vector<KernelMode> modes;
    depthwise_row(symbol).modes(&p, modes);
    const auto plain = check::run_case(depthwise_row(symbol).fn, c, {});
    const int64_t elem_bytes = f32 ? 4 : 1;
    ASSERT_EQ(check::check_modes(depthwise_row(symbol).fn, c, modes, plain.output, elem_bytes), "");
    const auto make = [&](uint64_t variant) {
      return check::dwconv2d_case(seed, f32, true, variant).second;
    };
    ASSERT_EQ(check::check_least_distances(depthwise_row(symbol).fn, make, modes, elem_bytes), "");
    tried += static_cast<int>(modes.size()) - 1;
  }
  EXPECT_GT(tried, 200);
}

TEST(Dwconv2dModes, DistancesAreExactS8) {
  expect_exact_depthwise("nk_dwconv2d_s8_ref", false);
}
TEST(Dwconv2dModes, DistancesAreExactF32) {
  expect_exact_depthwise("nk_dwconv2d_f32_ref", true);
}

// The channel ring takes every distance, of whatever remainder by the pixel's size.
TEST(Dwconv2dModes, ChannelRingAtEveryDistance) {
  int tried = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const auto [p, c] = check::dwconv2d_case(seed, false, false);
    std::vector<KernelMode> modes;
    depthwise_row("nk_dwconv2d_s8_ref").modes(&p, modes);
    if (modes.back().id != NK_MODE_CHANNEL_RING) continue;
    const auto plain = check::run_case(nk_dwconv2d_s8_ref, c, {});
    for (int64_t farther = 0; farther < 3 * p.in_c + 2; ++farther) {
      const auto got = check::run_case(nk_dwconv2d_s8_ref, c, modes.back(), -farther);
      ASSERT_EQ(got.fault, "") << c.text << ", " << farther;
      ASSERT_EQ(got.output, plain.output) << c.text << ", " << farther;
    }
    ++tried;
  }
  EXPECT_GT(tried, 50);
}

TEST(Dwconv2dModes, KnownDistances) {
  // 3x3 on 25x5x64, same padding: a pixel and a row behind.
  nk_dwconv2d_params p{};
  p.batch = p.depth_multiplier = p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.in_h = p.in_ring_h = p.out_h = p.out_ring_h = p.out_y1 = 25;
  p.in_w = p.out_w = 5;
  p.in_c = p.out_c = 64;
  p.kernel_h = p.kernel_w = 3;
  p.pad_top = p.pad_left = 1;
  std::vector<KernelMode> modes;
  depthwise_row("nk_dwconv2d_s8_ref").modes(&p, modes);
  ASSERT_GE(modes.size(), 3u);
  EXPECT_EQ(modes[1].overlaps[0].forward_bytes, 6 * 64);
  EXPECT_EQ(modes[2].overlaps[0].backward_bytes, 6 * 64);
  // In place at the price of three rows of one channel.
  ASSERT_EQ(modes.size(), 4u);
  EXPECT_EQ(modes[3].id, NK_MODE_CHANNEL_RING);
  EXPECT_EQ(modes[3].overlaps[0].forward_bytes, 0);
  EXPECT_EQ(modes[3].scratch_bytes, 3 * 5);
}

TEST(Dwconv2dLower, Tflite) {
  FakeLower lower(SourceFormat::kTflite);
  lower.give("x", {NK_INT8, {1, 4, 4, 2}, {{0.5f}, {1}, 0}});
  TensorType w{NK_INT8, {1, 3, 3, 4}, {{0.1f, 0.2f, 0.3f, 0.4f}, {0, 0, 0, 0}, 3}};
  lower.give("w", w, constant_of(std::vector<int8_t>(36, 1)));
  lower.declare({NK_INT8, {1, 2, 2, 4}, {{0.25f}, {5}, 0}});
  ForeignNode node;
  node.op = "DEPTHWISE_CONV_2D";
  node.name = "dw";
  node.attrs.set("padding", std::string("VALID"));
  const auto done = lower.lower(node);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  const Node& dw = lower.graph.nodes.at(0);
  EXPECT_EQ(lower.graph.tensor(lower.bound).type.dims, (Dims{1, 2, 2, 4}));
  const OpDef* op = find_op("dwconv2d");
  const auto params = op->make_params(lower.graph, dw);
  ASSERT_TRUE(params.has_value()) << params.error().message;
  nk_dwconv2d_params p{};
  std::memcpy(&p, params->params.data(), sizeof p);
  EXPECT_EQ(p.depth_multiplier, 2);
  EXPECT_EQ(p.per_channel, 1);
  EXPECT_EQ(op->macs(lower.graph, dw), 2u * 2u * 4u * 9u);
  const auto args = op->make_args(lower.graph, dw, depthwise_row("nk_dwconv2d_s8_ref"));
  ASSERT_TRUE(args.has_value()) << args.error().message;
  EXPECT_EQ(from_bytes<int32_t>(*(*args)[3].constant).size(), 4u);
}

// One input channel: weights [1, kernel_h, kernel_w, out_c] become [out_c, kernel_h, kernel_w, 1].
TEST(Dwconv2dLower, TfliteOfOneChannelIsAConv2d) {
  FakeLower lower(SourceFormat::kTflite);
  lower.give("x", {NK_INT8, {1, 4, 4, 1}, {{0.5f}, {1}, 0}});
  TensorType w{NK_INT8, {1, 1, 3, 2}, {{0.1f, 0.2f}, {0, 0}, 3}};
  lower.give("w", w, constant_of(std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  lower.declare({NK_INT8, {1, 4, 2, 2}, {{0.25f}, {5}, 0}});
  ForeignNode node;
  node.op = "DEPTHWISE_CONV_2D";
  node.name = "dw";
  node.attrs.set("padding", std::string("VALID"));
  const auto done = lower.lower(node);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(lower.find("dwconv2d"), nullptr);
  const Node* conv = lower.find("conv2d");
  ASSERT_NE(conv, nullptr);
  const Tensor& packed = lower.graph.tensor(conv->inputs[1]);
  EXPECT_EQ(packed.type.dims, (Dims{2, 1, 3, 1}));
  EXPECT_EQ(packed.type.quant.axis, 0);
  EXPECT_EQ(from_bytes<int8_t>(*packed.data), (std::vector<int8_t>{1, 3, 5, 2, 4, 6}));
}

TEST(Dwconv2dLower, OnnxGroupsOfOneChannel) {
  FakeLower lower(SourceFormat::kOnnx);
  lower.give("x", {NK_FLOAT32, {1, 2, 3, 3}, {}});
  std::vector<float> w(2 * 2 * 2);  // 4 outputs, 1 input channel each, 1x2
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i);
  lower.give("w", {NK_FLOAT32, {4, 1, 1, 2}, {}}, constant_of(w));
  ForeignNode node;
  node.op = "Conv";
  node.name = "dw";
  node.attrs.set("group", int64_t{2});
  const auto done = lower.lower(node);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  const Node* dw = lower.find("dwconv2d");
  ASSERT_NE(dw, nullptr);
  const Tensor& packed = lower.graph.tensor(dw->inputs[1]);
  EXPECT_EQ(packed.type.dims, (Dims{1, 1, 2, 4}));
  EXPECT_EQ(from_bytes<float>(*packed.data), (std::vector<float>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(lower.graph.tensor(lower.bound).type.dims, (Dims{1, 4, 3, 2}));
}

}  // namespace
}  // namespace netkit
