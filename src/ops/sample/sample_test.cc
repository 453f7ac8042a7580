// SPDX-License-Identifier: MIT
// grid_sample against its definition pixel by pixel, roi_align against means of planes.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::Rng;

constexpr int kGridH = 3, kColumns = 4;

// One step at a time until the position lies inside.
double mirrored(double x, double lo, double hi) {
  while (x < lo || x > hi) x = x < lo ? 2 * lo - x : 2 * hi - x;
  return x;
}

struct Grid {
  std::string mode, padding;
  bool corners;

  double pixel(const float* image, double row, double column) const {
    const auto one = [&](double at, int n) {
      if (padding == "border") return std::clamp(at, 0.0, n - 1.0);
      if (padding != "reflection") return at;
      return corners ? mirrored(at, 0, n - 1) : mirrored(at, -0.5, n - 0.5);
    };
    const double r = std::round(one(row, kGridH)), c = std::round(one(column, kColumns));
    if (r < 0 || r >= kGridH || c < 0 || c >= kColumns) return 0;
    return image[static_cast<int>(r) * kColumns + static_cast<int>(c)];
  }
  static double weight(double d, bool cubic) {
    d = std::abs(d);
    if (!cubic) return std::max(0.0, 1 - d);
    const double a = -0.75;
    if (d < 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
  }
  double value(const float* image, double x, double y) const {
    const auto place = [&](double v, int n) {
      return corners ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
    };
    double row = place(y, kGridH), column = place(x, kColumns);
    if (mode != "cubic" && padding == "border") {
      row = std::clamp(row, 0.0, kGridH - 1.0);
      column = std::clamp(column, 0.0, kColumns - 1.0);
    }
    if (mode == "nearest") return pixel(image, std::rint(row), std::rint(column));
    double sum = 0;
    for (double r = std::floor(row) - 1; r < row + 2; ++r) {
      for (double c = std::floor(column) - 1; c < column + 2; ++c) {
        sum += weight(r - row, mode == "cubic") * weight(c - column, mode == "cubic") *
               pixel(image, r, c);
      }
    }
    return sum;
  }
};

TEST(GridSample, EveryModeAndPadding) {
  Rng rng(3);
  const auto x = rng.reals(2 * 2 * kGridH * kColumns, -1, 1);
  const auto grid = rng.reals(2 * 5 * 3 * 2, -1.9f, 1.9f);
  for (const std::string mode : {"linear", "nearest", "cubic"}) {
    for (const std::string padding : {"zeros", "border", "reflection"}) {
      for (const bool corners : {false, true}) {
        NodeCase node = onnx("GridSample", 20)
                            .in<float>({2, 2, kGridH, kColumns}, x)
                            .in<float>({2, 5, 3, 2}, grid)
                            .set("mode", mode)
                            .set("padding_mode", padding)
                            .set("align_corners", int64_t{corners});
        const auto y = node.run<float>();
        ASSERT_EQ(node.dims, (Dims{2, 2, 5, 3})) << node.error();
        const Grid want{mode, padding, corners};
        for (size_t i = 0; i < y.size(); ++i) {
          const size_t plane = i / 15, at = (plane / 2 * 15 + i % 15) * 2;
          ASSERT_NEAR(y[i], want.value(&x[plane * kGridH * kColumns], grid[at], grid[at + 1]), 2e-5)
              << mode << " " << padding << " " << corners << " at " << i;
        }
      }
    }
  }
}

// No place leads out of the image.
TEST(GridSample, PlacesFarAwayAndNone) {
  const std::vector<float> far{NAN, 0, INFINITY, -INFINITY, 1e30f, -1e30f};
  for (const std::string padding : {"zeros", "border", "reflection"}) {
    for (const std::string mode : {"linear", "nearest", "cubic"}) {
      NodeCase node = onnx("GridSample", 20)
                          .in<float>({1, 1, 1, 2}, {5, 5})
                          .in<float>({1, 3, 1, 2}, far)
                          .set("mode", mode)
                          .set("padding_mode", padding);
      const auto y = node.run<float>();
      ASSERT_EQ(y.size(), 3u) << node.error();
      for (const float v : y) EXPECT_NEAR(v, padding == "zeros" ? 0 : 5, 1e-5) << mode << padding;
    }
  }
}

// Samples of a plane have the mean of their places.
TEST(RoiAlign, MeansOfAPlane) {
  std::vector<float> x(2 * 6 * 8);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i / 48 * 100 + i / 8 % 6 * 10 + i % 8);
  }
  for (const bool half : {true, false}) {
    NodeCase node = onnx("RoiAlign", 16)
                        .in<float>({2, 1, 6, 8}, x)
                        .in<float>({2, 4}, {2, 2, 10, 8, 4, 2, 8, 6})
                        .in<int64_t>({2}, {1, 7})
                        .set("output_height", int64_t{2})
                        .set("output_width", int64_t{2})
                        .set("sampling_ratio", int64_t{2})
                        .set("spatial_scale", 0.5)
                        .set("coordinate_transformation_mode",
                             std::string(half ? "half_pixel" : "output_half_pixel"));
    const auto y = node.run<float>();
    ASSERT_EQ(node.dims, (Dims{2, 1, 2, 2})) << node.error();
    const double o = half ? 0.5 : 0.0;
    for (int i = 0; i < 8; ++i) {
      const int r = i / 4, row = i / 2 % 2, column = i % 2;
      const double h = r == 0 ? 1.5 : 1, w = r == 0 ? 2 : 1;  // of a cell
      const double top = 1 - o + (row + 0.5) * h, left = (r == 0 ? 1 : 2) - o + (column + 0.5) * w;
      EXPECT_NEAR(y[static_cast<size_t>(i)], 100 + 10 * top + left, 1e-3) << half << i;
    }
  }
  NodeCase open = onnx("RoiAlign", 16)
                      .in<float>({1, 1, 2, 2}, {1, 2, 3, 4})
                      .in<float>({1, 4}, {0, 0, 1, 1})
                      .in<int64_t>({1}, {0});
  EXPECT_NE(check::refusal(open).find("samples as many"), std::string::npos);
}

}  // namespace
}  // namespace netkit
