// SPDX-License-Identifier: MIT
// resize: conventions by hand (ONNX operator specification, TFLite reference), naive oracles,
// refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/kernel_check.h"
#include "ops/common/testing/node_check.h"
#include "ops/resize/resize_tables.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::quant_of;
using check::Rng;
using check::tflite;
using F = std::vector<float>;

void expect_near(const F& got, const F& want, double bound = 1e-6) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], bound) << i;
}

NodeCase by_sizes(const F& x, Dims dims, Dims sizes) {
  const auto n = static_cast<int64_t>(sizes.size());
  return onnx("Resize", 19).in<float>(dims, x).absent().absent().constant<int64_t>({n}, sizes);
}

NodeCase by_scales(const F& x, Dims dims, const F& scales) {
  const auto n = static_cast<int64_t>(scales.size());
  return onnx("Resize", 19).in<float>(dims, x).absent().constant<float>({n}, scales);
}

// Values of the ONNX specification's own examples (backend test resize_*).
TEST(ResizeOnnx, SpecificationExamples) {
  const F grid{1, 2, 3, 4};
  auto nearest = by_scales(grid, {1, 1, 2, 2}, {1, 1, 2, 3}).set("mode", std::string("nearest"));
  EXPECT_EQ(nearest.run<float>(),
            (F{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}));
  auto linear = by_scales(grid, {1, 1, 2, 2}, {1, 1, 2, 2}).set("mode", std::string("linear"));
  expect_near(linear.run<float>(), {1, 1.25f, 1.75f, 2, 1.5f, 1.75f, 2.25f, 2.5f, 2.5f, 2.75f,
                                    3.25f, 3.5f, 3, 3.25f, 3.75f, 4});
  auto corners = by_scales(grid, {1, 1, 2, 2}, {1, 1, 2, 2})
                     .set("mode", std::string("linear"))
                     .set("coordinate_transformation_mode", std::string("align_corners"));
  expect_near(corners.run<float>(),
              {1, 1.33333333f, 1.66666667f, 2, 1.66666667f, 2, 2.33333333f, 2.66666667f,
               2.33333333f, 2.66666667f, 3, 3.33333333f, 3, 3.33333333f, 3.66666667f, 4});
  F image(16);
  for (size_t i = 0; i < 16; ++i) image[i] = static_cast<float>(i + 1);
  auto cubic = by_scales(image, {1, 1, 4, 4}, {1, 1, 0.8f, 0.8f}).set("mode", std::string("cubic"));
  expect_near(cubic.run<float>(),
              {1.47119141f, 2.78125f, 4.08251953f, 6.71142578f, 8.02148438f, 9.32275391f,
               11.91650391f, 13.2265625f, 14.52783203f},
              1e-5);
  auto excluded = by_scales(image, {1, 1, 4, 4}, {1, 1, 2, 2})
                      .set("mode", std::string("cubic"))
                      .set("cubic_coeff_a", -0.5)
                      .set("exclude_outside", int64_t{1});
  EXPECT_NEAR(excluded.run<float>().at(0), 0.55882353, 1e-5);
  auto thinned = by_scales(image, {1, 1, 4, 4}, {1, 1, 0.6f, 0.6f})
                     .set("mode", std::string("linear"))
                     .set("antialias", int64_t{1});
  expect_near(thinned.run<float>(), {2.875f, 4.5f, 9.375f, 11.0f}, 1e-5);
}

TEST(ResizeOnnx, NearestModes) {
  const F x{0, 1, 2};
  const auto run = [&](const char* mode, const char* coordinates) {
    return by_sizes(x, {3}, {7})
        .set("mode", std::string("nearest"))
        .set("nearest_mode", std::string(mode))
        .set("coordinate_transformation_mode", std::string(coordinates))
        .run<float>();
  };
  // asymmetric: 0, .43, .86, 1.29, 1.71, 2.14, 2.57
  EXPECT_EQ(run("floor", "asymmetric"), (F{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(run("ceil", "asymmetric"), (F{0, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(run("round_prefer_floor", "asymmetric"), (F{0, 0, 1, 1, 2, 2, 2}));
  // align_corners: 0, 1/3 … ties at .5 decide between the two roundings
  const auto tie = [](const char* mode) {
    return by_sizes({0, 1, 2, 3}, {4}, {7})
        .set("mode", std::string("nearest"))
        .set("nearest_mode", std::string(mode))
        .set("coordinate_transformation_mode", std::string("align_corners"))
        .run<float>();
  };
  EXPECT_EQ(tie("round_prefer_floor"), (F{0, 0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(tie("round_prefer_ceil"), (F{0, 1, 1, 2, 2, 3, 3}));
}

TEST(ResizeOnnx, OtherRanksOldOpsetsAndPolicies) {
  auto line = by_sizes({2, 7, 4}, {1, 1, 3}, {1, 1, 6}).set("mode", std::string("linear"));
  expect_near(line.run<float>(), {2, 3.25f, 5.75f, 6.25f, 4.75f, 4});
  auto volume =
      by_scales({1, 2}, {1, 1, 2, 1, 1}, {1, 1, 2, 2, 1}).set("mode", std::string("nearest"));
  EXPECT_EQ(volume.run<float>(), (F{1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(volume.dims, (Dims{1, 1, 4, 2, 1}));
  auto upsample = onnx("Upsample", 9)
                      .in<float>({1, 1, 1, 2}, {1, 3})
                      .constant<float>({4}, {1, 1, 1, 2})
                      .set("mode", std::string("linear"));
  expect_near(upsample.run<float>(), {1, 2, 3, 3});
  auto seven = onnx("Upsample", 7)
                   .in<float>({1, 1, 1, 2}, {1, 3})
                   .set("scales", std::vector<double>{1, 1, 2, 1})
                   .set("mode", std::string("nearest"));
  EXPECT_EQ(seven.run<float>(), (F{1, 3, 1, 3}));
  auto kept = onnx("Resize", 19)
                  .in<float>({1, 1, 2, 4}, F(8, 1.0f))
                  .absent()
                  .absent()
                  .constant<int64_t>({2}, {7, 8})
                  .set("axes", Dims{2, 3})
                  .set("keep_aspect_ratio_policy", std::string("not_larger"))
                  .set("mode", std::string("nearest"));
  kept.run<float>();
  EXPECT_EQ(kept.dims, (Dims{1, 1, 4, 8}));
}

TEST(ResizeOnnx, CropsHaveAValueBeyondTheImage) {
  auto crop = onnx("Resize", 13)
                  .in<float>({1, 1, 2, 2}, {1, 2, 3, 4})
                  .constant<float>({8}, {0, 0, 0, -1, 1, 1, 1, 1})
                  .absent()
                  .constant<int64_t>({4}, {1, 1, 2, 3})
                  .set("mode", std::string("linear"))
                  .set("coordinate_transformation_mode", std::string("tf_crop_and_resize"))
                  .set("extrapolation_value", 10.0);
  EXPECT_EQ(crop.run<float>(), (std::vector<float>{10, 1, 2, 10, 3, 4})) << crop.error();
}

TEST(ResizeOnnx, Refusals) {
  auto both = onnx("Resize", 13)
                  .in<float>({1, 1, 2, 2}, {1, 2, 3, 4})
                  .absent()
                  .constant<float>({4}, {1, 1, 2, 2})
                  .constant<int64_t>({4}, {1, 1, 4, 4});
  EXPECT_NE(check::refusal(both), "");
  auto unknown = by_scales({1, 2}, {1, 1, 1, 2}, {1, 1, 1, 2}).set("mode", std::string("lanczos"));
  EXPECT_NE(check::refusal(unknown).find("lanczos"), std::string::npos);
  auto zero = by_scales({1, 2}, {1, 1, 1, 2}, {1, 1, 1, 0}).set("mode", std::string("linear"));
  EXPECT_NE(check::refusal(zero), "");
}

TEST(ResizeTflite, FloatFollowsTheReference) {
  const auto run = [](std::string op, bool corners, bool half) {
    return tflite(op)
        .in<float>({1, 1, 2, 1}, {0, 10})
        .constant<int32_t>({2}, {1, 4})
        .set("align_corners", int64_t{corners})
        .set("half_pixel_centers", int64_t{half})
        .run<float>();
  };
  expect_near(run("RESIZE_BILINEAR", false, false), {0, 5, 10, 10});
  expect_near(run("RESIZE_BILINEAR", false, true), {0, 2.5f, 7.5f, 10});
  expect_near(run("RESIZE_BILINEAR", true, false), {0, 3.3333333f, 6.6666667f, 10});
  EXPECT_EQ(run("RESIZE_NEAREST_NEIGHBOR", false, false), (F{0, 0, 10, 10}));
  EXPECT_EQ(run("RESIZE_NEAREST_NEIGHBOR", true, false), (F{0, 0, 10, 10}));
}

// The reference's 10-bit fixed point, element by element.
TEST(ResizeTflite, Int8EqualsAnIntegerOracle) {
  Rng rng(1);
  for (int round = 0; round < 60; ++round) {
    const int h = rng.in(1, 6), w = rng.in(1, 6), c = rng.in(1, 3);
    const int oh = rng.in(1, 13), ow = rng.in(1, 13);
    const bool corners = rng.in(0, 1) == 1, half = !corners && rng.in(0, 1) == 1;
    const auto x = rng.ints<int8_t>(static_cast<size_t>(h * w * c), -128, 127);
    auto node = tflite("RESIZE_BILINEAR")
                    .in<int8_t>({1, h, w, c}, x, quant_of(0.1f, 3))
                    .constant<int32_t>({2}, {oh, ow})
                    .set("align_corners", int64_t{corners})
                    .set("half_pixel_centers", int64_t{half})
                    .declare(NK_INT8, {1, oh, ow, c}, quant_of(0.1f, 3));
    const auto y = node.run<int8_t>();
    ASSERT_EQ(y.size(), static_cast<size_t>(oh * ow * c)) << node.error();
    const auto place = [&](int at, int in, int out) {
      const bool tight = corners && out > 1;
      const int from = tight ? in - 1 : in, to = tight ? out - 1 : out;
      const int scale = (1024 * from + to / 2) / to;
      return half ? at * scale + scale / 2 - 512 : at * scale;
    };
    for (int oy = 0; oy < oh; ++oy) {
      for (int ox = 0; ox < ow; ++ox) {
        const int py = place(oy, h, oh), px = place(ox, w, ow);
        const int y0 = std::min(std::max(py / 1024, 0), h - 1);
        const int x0 = std::min(std::max(px / 1024, 0), w - 1);
        const int y1 = std::min((py + 1023) / 1024, h - 1);
        const int x1 = std::min((px + 1023) / 1024, w - 1);
        for (int k = 0; k < c; ++k) {
          const auto v = [&](int a, int b) {
            return int64_t{x[static_cast<size_t>((a * w + b) * c + k)]};
          };
          const int64_t fy = py - 1024 * y0, fx = px - 1024 * x0;
          const int64_t sum = v(y0, x0) * (1024 - fy) * (1024 - fx) + v(y1, x0) * fy * (1024 - fx) +
                              v(y0, x1) * (1024 - fy) * fx + v(y1, x1) * fy * fx;
          const int64_t want = (sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20);
          ASSERT_EQ(y[static_cast<size_t>((oy * ow + ox) * c + k)], static_cast<int8_t>(want))
              << h << "x" << w << " to " << oh << "x" << ow << (corners ? " corners" : "")
              << (half ? " half" : "");
        }
      }
    }
  }
}

// A table from outside may not lead a kernel out of its input.
TEST(ResizeOp, RefusesTablesThatLeaveTheInput) {
  Graph graph;
  const TensorId x = graph.add_tensor("x", {NK_FLOAT32, {1, 2, 2, 1}, {}});
  const TensorId rows =
      graph.add_tensor("rows", {NK_INT32, {1, 1}, {}}, constant_of(std::vector<int32_t>{2}));
  const TensorId y = graph.add_tensor("y", {NK_FLOAT32, {1, 1, 1, 1}, {}});
  graph.nodes.push_back({"resize", "r", {x, rows, kNoTensor, rows, kNoTensor}, {y}, {}});
  const auto inferred = find_op("resize")->infer(graph, graph.nodes[0]);
  ASSERT_FALSE(inferred.has_value());
  EXPECT_NE(inferred.error().message.find("outside"), std::string::npos);
}

}  // namespace
}  // namespace netkit
