// SPDX-License-Identifier: MIT
// conv2d's Helium row on channels of whole vectors and beside them, against the reference row, in
// every mode; its packing by hand.
#include "ops/conv2d/arm/conv2d_mve.h"

#include <gtest/gtest.h>

#include "ops/conv2d/conv2d_check.h"

namespace netkit {
namespace {

// Case `seed` of in_c channels; 1x1 without padding at stride 1 where `pointwise`.
std::pair<nk_conv2d_params, check::KernelCase> make_case(uint64_t seed, int32_t in_c,
                                                         bool pointwise) {
  check::Rng rng(seed);
  nk_conv2d_params p{};
  check::random_window(rng, p);
  if (pointwise) {
    p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
    p.pad_top = p.pad_left = 0;
    p.out_h = p.out_ring_h = p.out_y1 = p.in_h;
    p.out_w = p.in_w;
  }
  p.groups = 1;
  p.in_c = in_c;
  p.out_c = rng.in(1, 9);
  check::KernelCase c = check::plain_s8_case(
      rng, p, seed, static_cast<size_t>(p.kernel_h * p.kernel_w * p.in_c), false);
  return {p, c};
}

TEST(Conv2dMve, ChannelsOfWholeVectorsAndBesideThem) {
  const KernelRow& mve = *find_kernel("nk_conv2d_s8_mve");
  int tried = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (const int32_t in_c : {3, 15, 16, 17, 32}) {
      const auto [p, c] = make_case(seed, in_c, seed % 2 == 0);
      if (!mve.fits(&p)) continue;
      ++tried;
      std::vector<KernelMode> modes;
      mve.modes(&p, modes);
      const auto wanted = check::run_case(nk_conv2d_s8_ref, c, {}).output;
      ASSERT_EQ(check::check_modes(mve.fn, check::conv2d_packed(mve, p, c), modes, wanted, 1), "");
    }
  }
  EXPECT_GT(tried, 400);
}

TEST(Conv2dMve, PixelsOfWholeVectorsNeedNoScratch) {
  const KernelRow& mve = *find_kernel("nk_conv2d_s8_mve");
  for (const int32_t in_c : {16, 17}) {
    const nk_conv2d_params p = make_case(0, in_c, true).first;
    std::vector<KernelMode> modes;
    mve.modes(&p, modes);
    ASSERT_GT(modes.size(), 1u);
    EXPECT_EQ(modes[0].scratch_bytes, in_c == 16 ? 0 : 96);
    EXPECT_EQ(modes[1].scratch_bytes, in_c == 16 ? 48 : 96);
  }
}

// Three channels of 17: two vectors of the first pair, two of the last channel and zeros.
TEST(Conv2dMve, WeightsByHand) {
  std::vector<int8_t> values(51);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int8_t>(i + 1);
  std::vector<int8_t> wanted(128, 0);
  for (size_t k = 0; k < 17; ++k) {
    const size_t at = k / 16 * 32 + k % 16;
    wanted[at] = values[k];
    wanted[at + 16] = values[17 + k];
    wanted[64 + at] = values[34 + k];
  }
  const ChannelWeights weights{values, 3, 17, 17, 1};
  EXPECT_EQ(check::from_bytes<int8_t>(*blocks2(weights).constant), wanted);
}

}  // namespace
}  // namespace netkit
