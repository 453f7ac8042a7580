// SPDX-License-Identifier: MIT
// dwconv2d's Helium row on the kernels that networks have, against the reference row, in every mode
// and at every distance; its packing by hand.
#include "ops/dwconv2d/arm/dwconv2d_mve.h"

#include <gtest/gtest.h>

#include "ops/dwconv2d/dwconv2d_check.h"

namespace netkit {
namespace {

struct DepthwiseShape {
  int32_t in_h, in_w, in_c, kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
};

constexpr DepthwiseShape kDepthwiseShapes[] = {
    {12, 13, 5, 3, 3, 1, 1, 1, 1}, {13, 12, 4, 3, 3, 2, 2, 0, 0}, {13, 9, 3, 3, 3, 2, 2, 1, 1},
    {11, 10, 7, 5, 5, 1, 1, 2, 2}, {14, 14, 3, 5, 5, 2, 2, 2, 2}, {19, 17, 2, 7, 7, 4, 4, 3, 3},
    {40, 1, 6, 9, 1, 1, 1, 4, 0},  {40, 1, 6, 20, 1, 2, 1, 0, 0}, {1, 33, 5, 1, 30, 1, 1, 0, 9},
    {6, 33, 5, 1, 3, 1, 1, 0, 1},  {9, 7, 8, 2, 2, 2, 2, 0, 0},   {1, 1, 9, 3, 3, 1, 1, 1, 1},
    {5, 25, 16, 3, 3, 1, 1, 1, 1}, {25, 5, 16, 3, 3, 1, 1, 1, 1}, {8, 3, 5, 8, 3, 4, 1, 0, 1},
    {25, 5, 1, 3, 2, 1, 1, 1, 0}};

std::pair<nk_dwconv2d_params, check::KernelCase> make_case(const DepthwiseShape& s, uint64_t seed) {
  check::Rng rng(seed);
  nk_dwconv2d_params p{};
  p.batch = seed % 3 == 0 ? 2 : 1;
  p.in_h = p.in_ring_h = s.in_h;
  p.in_w = s.in_w;
  p.in_c = p.out_c = s.in_c;
  p.depth_multiplier = p.dilation_h = p.dilation_w = 1;
  p.kernel_h = s.kernel_h;
  p.kernel_w = s.kernel_w;
  p.stride_h = s.stride_h;
  p.stride_w = s.stride_w;
  p.pad_top = s.pad_h;
  p.pad_left = s.pad_w;
  p.out_h = p.out_ring_h = p.out_y1 = (s.in_h + 2 * s.pad_h - s.kernel_h) / s.stride_h + 1;
  p.out_w = (s.in_w + 2 * s.pad_w - s.kernel_w) / s.stride_w + 1;
  check::KernelCase c =
      check::plain_s8_case(rng, p, seed, static_cast<size_t>(p.kernel_h * p.kernel_w), true);
  return {p, c};
}

TEST(Dwconv2dMve, NetworksKernelsInEveryModeAtEveryDistance) {
  const KernelRow& mve = *find_kernel("nk_dwconv2d_s8_mve");
  int in_place = 0;
  for (const DepthwiseShape& shape : kDepthwiseShapes) {
    int tried = 0;
    for (uint64_t seed = 0; seed < 9; ++seed) {
      const auto [p, c] = make_case(shape, seed);
      if (!mve.fits(&p)) continue;
      ++tried;
      const auto wanted = check::run_case(nk_dwconv2d_s8_ref, c, {}).output;
      std::vector<KernelMode> modes;
      mve.modes(&p, modes);
      const check::KernelCase packed = check::dwconv2d_packed(mve, p, c);
      ASSERT_EQ(check::check_modes(mve.fn, packed, modes, wanted, 1), "");
      if (modes.back().overlaps.empty()) continue;
      for (int64_t farther = 0; farther < 2 * p.in_c + 2; ++farther) {
        const auto got = check::run_case(mve.fn, packed, modes.back(), -farther);
        ASSERT_EQ(got.fault, "") << c.text << ", " << farther;
        ASSERT_EQ(got.output, wanted) << c.text << ", " << farther;
        ++in_place;
      }
    }
    EXPECT_GT(tried, 2) << make_case(shape, 0).second.text;
  }
  EXPECT_GT(in_place, 200);
}

TEST(Dwconv2dMve, KernelsBeyondABlockAreAnotherRows) {
  const KernelRow& mve = *find_kernel("nk_dwconv2d_s8_mve");
  nk_dwconv2d_params p = make_case(kDepthwiseShapes[0], 1).first;
  p.narrow_weights = 1;
  EXPECT_TRUE(mve.fits(&p));
  p.kernel_h = 9;
  EXPECT_FALSE(mve.fits(&p));
  p.kernel_h = 4;  // of one line a block, which leaves too few rows when it runs in place
  EXPECT_FALSE(mve.fits(&p));
  p.kernel_h = 3;
  p.in_c = p.out_c = 40000;  // farther apart than a gather reaches
  EXPECT_FALSE(mve.fits(&p));
}

// A channel of 3x2: column by column, a row of zeros below each; upright row by row.
TEST(Dwconv2dMve, TapsByHand) {
  const std::vector<int8_t> values = {1, 2, 3, 4, 5, 6};
  const ChannelWeights weights{values, 1, 6, 6, 1};
  const auto packed = [&](bool upright) {
    return check::from_bytes<int8_t>(*tap_columns(weights, {3, 4, upright}).constant);
  };
  EXPECT_EQ(packed(false), (std::vector<int8_t>{1, 3, 5, 0, 2, 4, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(packed(true), (std::vector<int8_t>{1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace netkit
