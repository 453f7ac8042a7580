// SPDX-License-Identifier: MIT
// dwconv2d of int16 activations and int8 weights: an independent oracle, overlap distances.
#include "ops/dwconv2d/s16/dwconv2d_s16.h"

#include <gtest/gtest.h>

#include "ops/common/testing/wide_check.h"
#include "ops/dwconv2d/dwconv2d_check.h"

namespace netkit {
namespace {

auto wide_depthwise(uint64_t seed, bool sharp, uint64_t variant) {
  return check::widened(check::dwconv2d_case(seed, false, sharp, variant), seed, sharp, variant);
}

// The sum of products of one output element.
int64_t depthwise_sum_at(const nk_dwconv2d_params& p, const std::vector<int16_t>& x,
                         const std::vector<int8_t>& w, int32_t pixel, int32_t oc) {
  const int32_t ox = pixel % p.out_w, oy = pixel / p.out_w % p.out_h;
  int64_t sum = 0;
  for (int32_t ky = 0; ky < p.kernel_h; ++ky) {
    for (int32_t kx = 0; kx < p.kernel_w; ++kx) {
      const int32_t iy = oy * p.stride_h - p.pad_top + ky * p.dilation_h;
      const int32_t ix = ox * p.stride_w - p.pad_left + kx * p.dilation_w;
      if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
      const int32_t at = (pixel / p.out_w / p.out_h * p.in_h + iy) * p.in_w + ix;
      sum += int64_t{x[static_cast<size_t>(at * p.in_c + oc / p.depth_multiplier)]} *
             w[static_cast<size_t>((ky * p.kernel_w + kx) * p.out_c + oc)];
    }
  }
  return sum;
}

TEST(Dwconv2dS16, EqualsAnIndependentOracle) {
  EXPECT_EQ(check::check_wide_oracle(nk_dwconv2d_s16_ref, 300, wide_depthwise, depthwise_sum_at),
            "");
}

// Each stated distance is safe, and it is the least one.
TEST(Dwconv2dS16, DistancesAreExact) {
  const auto is_least = [](const nk_dwconv2d_params&) { return true; };
  EXPECT_EQ(check::check_wide_distances(*find_kernel("nk_dwconv2d_s16_ref"), 200, wide_depthwise,
                                        is_least, 100),
            "");
}

}  // namespace
}  // namespace netkit
