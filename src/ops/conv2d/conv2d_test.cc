// SPDX-License-Identifier: MIT
// conv2d: hand-computed cases, independent oracles, overlap distances, lowering.
#include <cmath>

#include <gtest/gtest.h>

#include "ops/common/testing/fake_lower.h"
#include "ops/common/testing/int_oracle.h"
#include "ops/common/host/overlap.h"
#include "ops/conv2d/conv2d_check.h"

namespace netkit {
namespace {

using check::from_bytes;
using check::KernelCase;

const KernelRow& row(std::string_view symbol) { return *find_kernel(symbol); }

// Visits every product of an output element: f(weight index, input index).
template <typename F>
void for_products(const nk_conv2d_params& p, int n, int y, int x, int oc, F f) {
  const int group_in = p.in_c / p.groups;
  const int group = oc / (p.out_c / p.groups);
  for (int ky = 0; ky < p.kernel_h; ++ky) {
    for (int kx = 0; kx < p.kernel_w; ++kx) {
      const int iy = y * p.stride_h - p.pad_top + ky * p.dilation_h;
      const int ix = x * p.stride_w - p.pad_left + kx * p.dilation_w;
      if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
      for (int c = 0; c < group_in; ++c) {
        f(((oc * p.kernel_h + ky) * p.kernel_w + kx) * group_in + c,
          ((n * p.in_h + iy) * p.in_w + ix) * p.in_c + group * group_in + c);
      }
    }
  }
}

template <typename F>
void for_outputs(const nk_conv2d_params& p, F f) {
  size_t i = 0;
  for (int n = 0; n < p.batch; ++n) {
    for (int y = 0; y < p.out_h; ++y) {
      for (int x = 0; x < p.out_w; ++x) {
        for (int oc = 0; oc < p.out_c; ++oc) f(n, y, x, oc, i++);
      }
    }
  }
}

TEST(Conv2dRef, S8EqualsAnIndependentOracle) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const auto [p, c] = check::conv2d_case(seed, false, false);
    const auto got = check::run_case(nk_conv2d_s8_ref, c, {});
    ASSERT_EQ(got.fault, "") << c.text;
    const auto y = from_bytes<int8_t>(got.output);
    const auto x = from_bytes<int8_t>(c.inputs[0]);
    const auto w = from_bytes<int8_t>(c.inputs[1]);
    const auto bias = from_bytes<int32_t>(c.inputs[2]);
    const auto mantissa = from_bytes<int32_t>(c.inputs[3]);
    const auto shift = from_bytes<int32_t>(c.inputs[4]);
    for_outputs(p, [&, &p = p, &c = c](int n, int oy, int ox, int oc, size_t i) {
      int64_t acc = bias[static_cast<size_t>(oc)];
      for_products(p, n, oy, ox, oc, [&](int wi, int xi) {
        acc += int64_t{w[static_cast<size_t>(wi)] + p.filter_offset} *
               (x[static_cast<size_t>(xi)] + p.input_offset);
      });
      const auto q = static_cast<size_t>(p.per_channel != 0 ? oc : 0);
      ASSERT_EQ(y[i], check::oracle_requantize(acc, mantissa[q], shift[q], p.output_offset,
                                               p.act_min, p.act_max))
          << c.text << " at " << i;
    });
  }
}

TEST(Conv2dRef, F32IsNearADoubleOracle) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const auto [p, c] = check::conv2d_case(seed, true, false);
    const auto got = check::run_case(nk_conv2d_f32_ref, c, {});
    ASSERT_EQ(got.fault, "") << c.text;
    const auto y = from_bytes<float>(got.output);
    const auto x = from_bytes<float>(c.inputs[0]);
    const auto w = from_bytes<float>(c.inputs[1]);
    const auto bias = from_bytes<float>(c.inputs[2]);
    for_outputs(p, [&, &p = p, &c = c](int n, int oy, int ox, int oc, size_t i) {
      double sum = 0.0, size = 0.0;
      int count = 1;
      for_products(p, n, oy, ox, oc, [&](int wi, int xi) {
        const double product = double{w[static_cast<size_t>(wi)]} * x[static_cast<size_t>(xi)];
        sum += product;
        size += std::fabs(product);
        ++count;
      });
      if (!bias.empty()) sum += bias[static_cast<size_t>(oc)];
      size += std::fabs(sum);
      sum = std::min(std::max(sum, double{p.clamp_min}), double{p.clamp_max});
      ASSERT_NEAR(y[i], sum, size * count * 0x1p-24) << c.text << " at " << i;
    });
  }
}

// 3x3 input 1..9, kernel 2x2 {1, 2, 3, 4}, no padding: 1*1+2*2+4*3+5*4 = 37, 47, 67, 77.
TEST(Conv2dRef, ByHand) {
  nk_conv2d_params p{};
  p.batch = p.in_c = p.out_c = p.groups = 1;
  p.in_h = p.in_w = p.in_ring_h = 3;
  p.kernel_h = p.kernel_w = p.out_h = p.out_w = p.out_ring_h = p.out_y1 = 2;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.act_min = -128;
  p.act_max = 70;
  p.clamp_min = -INFINITY;
  p.clamp_max = 70.5f;
  p.output_offset = -7;
  KernelCase c;
  c.params = bytes_of(p);
  c.out_bytes = 4;
  c.inputs = {check::to_bytes(std::vector<int8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}),
              check::to_bytes(std::vector<int8_t>{1, 2, 3, 4}),
              check::to_bytes(std::vector<int32_t>{10}),
              check::to_bytes(std::vector<int32_t>{1 << 30}),
              check::to_bytes(std::vector<int32_t>{1})};
  EXPECT_EQ(from_bytes<int8_t>(check::run_case(nk_conv2d_s8_ref, c, {}).output),
            (std::vector<int8_t>{40, 50, 70, 70}));
  c.out_bytes = 16;
  c.inputs = {check::to_bytes(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}),
              check::to_bytes(std::vector<float>{1, 2, 3, 4}),
              check::to_bytes(std::vector<float>{0.5f}), {}, {}};
  EXPECT_EQ(from_bytes<float>(check::run_case(nk_conv2d_f32_ref, c, {}).output),
            (std::vector<float>{37.5f, 47.5f, 67.5f, 70.5f}));
}

TEST(Conv2dRef, EveryRowAgreesInEveryMode) {
  for (const KernelRow& r : all_kernel_rows()) {
    const bool ours = r.op == "conv2d" || r.op == "conv2d_parts";
    const bool others = r.signature.starts_with("s16") || r.signature.ends_with("_s32");
    if (!ours || others) continue;  // they have oracles of their own
    EXPECT_EQ(check::check_conv2d(r, 600), "");
  }
}

// Each stated distance is safe, and it is the least one. (A grouped convolution reads fewer
// channels at a time than its distance assumes.)
void expect_exact_distances(const char* symbol, bool f32) {
  int tried = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto [p, c] = check::conv2d_case(seed, f32, true);
    std::vector<KernelMode> modes;
    row(symbol).modes(&p, modes);
    const auto plain = check::run_case(row(symbol).fn, c, {});
    const int64_t elem_bytes = f32 ? 4 : 1;
    ASSERT_EQ(check::check_modes(row(symbol).fn, c, modes, plain.output, elem_bytes), "");
    if (p.groups > 1) continue;
    const auto make = [&](uint64_t variant) {
      return check::conv2d_case(seed, f32, true, variant).second;
    };
    ASSERT_EQ(check::check_least_distances(row(symbol).fn, make, modes, elem_bytes), "");
    tried += static_cast<int>(modes.size()) - 1;
  }
  EXPECT_GT(tried, 200);
}

TEST(Conv2dModes, DistancesAreExactS8) { expect_exact_distances("nk_conv2d_s8_ref", false); }
TEST(Conv2dModes, DistancesAreExactF32) { expect_exact_distances("nk_conv2d_f32_ref", true); }

// The output over each part in turn.
TEST(Conv2dModes, DistancesOfPartsAreExact) {
  const KernelRow& parts = row("nk_conv2d_parts_s8_ref");
  int tried = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto make = [&](uint64_t variant) {
      auto [p, c] = check::conv2d_case(seed, false, true, variant);
      if (p.groups == 1 && p.in_c > 1) check::split_case<nk_conv2d_parts_params>(seed, p, 1, c);
      return c;
    };
    const KernelCase c = make(0);
    if (c.inputs.size() == 5) continue;  // not in parts
    std::vector<KernelMode> modes;
    parts.modes(c.params.data(), modes);
    ASSERT_EQ(check::check_least_distances(parts.fn, make, modes, 1), "");
    tried += static_cast<int>(check::single_overlaps(modes).size()) - 1;
  }
  EXPECT_GT(tried, 200);
}

TEST(Conv2dModes, RowsInBandsAndRingsGiveTheWholeTensor) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    auto [p, c] = check::conv2d_case(seed, false, false);
    if (p.batch != 1 || p.out_h < 2) continue;
    const auto whole = check::run_case(nk_conv2d_s8_ref, c, {});
    // Band by band; the input keeps only the rows of one window and band.
    const int32_t ring = (p.kernel_h - 1) * p.dilation_h + 1;
    const auto x = from_bytes<int8_t>(c.inputs[0]);
    const size_t row_elems = static_cast<size_t>(p.in_w) * static_cast<size_t>(p.in_c);
    std::vector<int8_t> held(static_cast<size_t>(ring) * row_elems, 99);
    std::vector<int8_t> y(c.out_bytes, 77);
    p.in_ring_h = ring;
    for (int32_t oy = 0; oy < p.out_h; ++oy) {
      for (int32_t k = 0; k < ring; ++k) {
        const int32_t iy = oy * p.stride_h - p.pad_top + k;
        if (iy < 0 || iy >= p.in_h) continue;
        std::memcpy(held.data() + static_cast<size_t>(iy % ring) * row_elems,
                    x.data() + static_cast<size_t>(iy) * row_elems, row_elems);
      }
      p.out_y0 = oy;
      p.out_y1 = oy + 1;
      const void* in[] = {held.data(), c.inputs[1].data(), c.inputs[2].data(), c.inputs[3].data(),
                          c.inputs[4].data()};
      void* out[] = {y.data()};
      nk_conv2d_s8_ref(&p, in, out, nullptr);
    }
    EXPECT_EQ(check::to_bytes(y), whole.output) << c.text;
  }
}

TEST(Conv2dModes, KnownDistances) {
  // 3x3 on 32x32x16, same padding: two pixels and a row behind, less one byte.
  nk_conv2d_params p{};
  p.batch = p.groups = p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.in_h = p.in_w = p.in_ring_h = p.out_h = p.out_w = p.out_ring_h = p.out_y1 = 32;
  p.in_c = p.out_c = 16;
  p.kernel_h = p.kernel_w = 3;
  p.pad_top = p.pad_left = 1;
  std::vector<KernelMode> modes;
  row("nk_conv2d_s8_ref").modes(&p, modes);
  ASSERT_EQ(modes.size(), 3u);
  EXPECT_TRUE(modes[0].overlaps.empty());
  EXPECT_EQ(modes[1].overlaps[0].forward_bytes, 34 * 16 - 1);
  EXPECT_EQ(modes[2].overlaps[0].backward_bytes, 34 * 16 - 1);
  // 1x1, 8 to 16 channels: backwards the output may begin where the input does.
  p.kernel_h = p.kernel_w = 1;
  p.pad_top = p.pad_left = 0;
  p.in_c = 8;
  modes.clear();
  row("nk_conv2d_s8_ref").modes(&p, modes);
  const int64_t grown = 32 * 32 * 8;
  ASSERT_EQ(modes.size(), 5u);
  EXPECT_EQ(modes[2].overlaps[0].backward_bytes, grown + 7);
  EXPECT_EQ(modes[4].overlaps[0].backward_bytes, grown - 8);
  EXPECT_EQ(modes[4].scratch_bytes, 8);
}

TensorType quantised(nk_dtype dtype, Dims dims, float scale, int64_t zero_point) {
  return {dtype, std::move(dims), {{scale}, {zero_point}, 0}};
}

TEST(Conv2dLower, TfliteSamePaddingAndRelu6) {
  FakeLower lower(SourceFormat::kTflite);
  lower.give("x", quantised(NK_INT8, {1, 5, 8, 3}, 0.5f, -3));
  TensorType w{NK_INT8, {4, 3, 3, 3}, {{0.1f, 0.2f, 0.3f, 0.4f}, {0, 0, 0, 0}, 0}};
  lower.give("w", w, constant_of(std::vector<int8_t>(108, 1)));
  lower.give_absent();
  lower.declare(quantised(NK_INT8, {1, 3, 4, 4}, 0.1f, -100));
  ForeignNode node;
  node.op = "CONV_2D";
  node.name = "conv";
  node.attrs.set("padding", std::string("SAME"));
  node.attrs.set("stride_h", int64_t{2});
  node.attrs.set("stride_w", int64_t{2});
  node.attrs.set("fused_activation_function", std::string("RELU6"));
  const auto done = lower.lower(node);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  const Node& conv = lower.graph.nodes.at(0);
  EXPECT_EQ(lower.graph.tensor(lower.bound).type.dims, (Dims{1, 3, 4, 4}));
  const OpDef* op = find_op("conv2d");
  const auto params = op->make_params(lower.graph, conv);
  ASSERT_TRUE(params.has_value()) << params.error().message;
  EXPECT_EQ(params->signature, "s8");
  nk_conv2d_params p{};
  ASSERT_EQ(params->params.size(), sizeof p);
  std::memcpy(&p, params->params.data(), sizeof p);
  EXPECT_EQ(p.pad_top, 1);   // 5 rows, stride 2: one above, one below
  EXPECT_EQ(p.pad_left, 0);  // 8 columns, stride 2: one at the right
  EXPECT_EQ(p.input_offset, 3);
  EXPECT_EQ(p.output_offset, -100);
  EXPECT_EQ(p.act_min, -100);
  EXPECT_EQ(p.act_max, -40);
  EXPECT_EQ(p.per_channel, 1);
  const auto args = op->make_args(lower.graph, conv, row("nk_conv2d_s8_ref"));
  ASSERT_TRUE(args.has_value()) << args.error().message;
  ASSERT_EQ(args->size(), 5u);
  EXPECT_EQ(from_bytes<int32_t>(*(*args)[2].constant), (std::vector<int32_t>{0, 0, 0, 0}));
  // 0.5 * 0.2 / 0.1 is a little above 1: mantissa near 2^30, exponent 1.
  EXPECT_NEAR(from_bytes<int32_t>(*(*args)[3].constant)[1], 1 << 30, 64);
  EXPECT_EQ(from_bytes<int32_t>(*(*args)[4].constant)[1], 1);
  EXPECT_EQ(op->macs(lower.graph, conv), 3u * 4u * 4u * 27u);
}

ForeignNode onnx_conv() {
  ForeignNode node;
  node.op = "Conv";
  node.name = "conv";
  return node;
}

TEST(Conv2dLower, OnnxWeightsBecomeOhwi) {
  FakeLower lower(SourceFormat::kOnnx);
  lower.give("x", {NK_FLOAT32, {2, 2, 4, 5}, {}});
  std::vector<float> w(2 * 2 * 1 * 3);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i);
  lower.give("w", {NK_FLOAT32, {2, 2, 1, 3}, {}}, constant_of(w));
  lower.give("b", {NK_FLOAT32, {2}, {}}, constant_of(std::vector<float>{1, 2}));
  ForeignNode node = onnx_conv();
  node.attrs.set("pads", std::vector<int64_t>{1, 0, 0, 2});
  const auto done = lower.lower(node);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(lower.graph.tensor(lower.bound).type.dims, (Dims{2, 2, 5, 5}));
  const Node* conv = lower.find("conv2d");
  ASSERT_NE(conv, nullptr);
  const Tensor& packed = lower.graph.tensor(conv->inputs[1]);
  EXPECT_EQ(packed.type.dims, (Dims{2, 1, 3, 2}));
  EXPECT_EQ(from_bytes<float>(*packed.data),
            (std::vector<float>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

TEST(Conv2dLower, OnnxAutoPadLowerAndRankThree) {
  FakeLower lower(SourceFormat::kOnnx);
  lower.give("x", {NK_FLOAT32, {1, 3, 7}, {}});
  lower.give("w", {NK_FLOAT32, {4, 3, 4}, {}}, constant_of(std::vector<float>(48, 1.0f)));
  ForeignNode node = onnx_conv();
  node.attrs.set("auto_pad", std::string("SAME_LOWER"));
  node.attrs.set("strides", std::vector<int64_t>{2});
  const auto done = lower.lower(node);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(lower.graph.tensor(lower.bound).type.dims, (Dims{1, 4, 4}));
  const Node* conv = lower.find("conv2d");
  ASSERT_NE(conv, nullptr);
  EXPECT_EQ(conv->attrs.get_ints("pads"), (std::vector<int64_t>{0, 2, 0, 1}));
  EXPECT_EQ(lower.graph.tensor(conv->inputs[1]).type.dims, (Dims{4, 1, 4, 3}));
}

TEST(Conv2dLower, RefusalsNameNodeAndReason) {
  FakeLower lower(SourceFormat::kOnnx);
  lower.give("x", {NK_FLOAT32, {1, 3, 4, 4}, {}});
  lower.give("w", {NK_FLOAT32, {4, 2, 3, 3}, {}});
  const auto wrong = lower.lower(onnx_conv());
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().where, "Conv 'conv'");
  EXPECT_EQ(wrong.error().message, "weights 4x2x3x3 in 1 groups do not fit input 1x3x4x4");

  FakeLower large(SourceFormat::kOnnx);
  large.give("x", {NK_FLOAT32, {1, 1, 4, 4}, {}});
  large.give("w", {NK_FLOAT32, {1, 1, 5, 5}, {}});
  const auto window = large.lower(onnx_conv());
  ASSERT_FALSE(window.has_value());
  EXPECT_EQ(window.error().message,
            "the window of axis h spans 5 cells, the padded input has 4");

  FakeLower pads(SourceFormat::kOnnx);
  pads.give("x", {NK_FLOAT32, {1, 1, 4, 4}, {}});
  pads.give("w", {NK_FLOAT32, {1, 1, 1, 1}, {}});
  ForeignNode node = onnx_conv();
  node.attrs.set("pads", std::vector<int64_t>{INT64_MAX, INT64_MAX, INT64_MAX, -1});
  EXPECT_FALSE(pads.lower(node).has_value());
  node.attrs.set("pads", std::vector<int64_t>{0, 0, 0, 0});
  node.attrs.set("strides", std::vector<int64_t>{0, 1});
  EXPECT_FALSE(pads.lower(node).has_value());
}

}  // namespace
}  // namespace netkit
