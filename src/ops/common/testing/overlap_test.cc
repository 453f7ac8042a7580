// SPDX-License-Identifier: MIT
// The distances of host/overlap.h against a walk over every pixel, and on sizes too large to walk.
#include "ops/common/host/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ops/common/testing/spatial_check.h"
#include "ops/common/transposed.h"

namespace netkit {
namespace {

constexpr int64_t kNothing = int64_t{1} << 60;

// Where the input of a pixel's window begins in the direction of the walk, in elements.
int64_t begin_of(const nk_spatial& s, int32_t i) {
  const nk_pixel pixel = nk_pixel_at(&s, i);
  if (pixel.ky0 == pixel.ky1 || pixel.kx0 == pixel.kx1) return kNothing;
  const auto first = static_cast<int64_t>(nk_tap_index(&s, &pixel, pixel.ky0, pixel.kx0));
  const auto last = static_cast<int64_t>(nk_tap_index(&s, &pixel, pixel.ky1 - 1, pixel.kx1 - 1));
  if (!nk_walks_backward(s.mode)) return first * s.in_c;
  return (int64_t{s.batch} * s.in_h * s.in_w - last - 1) * s.in_c;
}

int64_t gathered_begin_of(const nk_spatial& s, int32_t i) {
  const nk_gather_pixel pixel = nk_gather_pixel_at(&s, i);
  if (pixel.y.count == 0 || pixel.x.count == 0) return kNothing;
  const auto last =
      static_cast<int64_t>(nk_gathered_index(&s, &pixel, pixel.y.count - 1, pixel.x.count - 1));
  if (nk_walks_backward(s.mode)) {
    return (int64_t{s.batch} * s.in_h * s.in_w - last - 1) * s.in_c;
  }
  return static_cast<int64_t>(nk_gathered_index(&s, &pixel, 0, 0)) * s.in_c;
}

using BeginOf = int64_t (*)(const nk_spatial& s, int32_t i);

// Greatest number of elements that the writes are ahead of what is still to be read.
int64_t walked(nk_spatial s, BeginOf begins, Reads reads, bool backward) {
  s.mode = backward ? NK_MODE_BACKWARD : NK_MODE_FORWARD;
  const int64_t multiplier = std::max(1, s.out_c / std::max(1, s.in_c));
  int64_t worst = 0, later = kNothing;
  for (int64_t i = nk_pixel_count(&s) - 1; i >= 0; --i) {
    const int64_t own = begins(s, static_cast<int32_t>(i));
    for (int64_t k = 1; k <= s.out_c; ++k) {  // channels written
      int64_t need = later;
      if (k < s.out_c && reads == Reads::kAllChannels) need = std::min(need, own);
      if (k < s.out_c && reads == Reads::kOwnChannel) need = std::min(need, own + k / multiplier);
      worst = std::max(worst, i * s.out_c + k - need);
    }
    later = std::min(later, own);
  }
  return worst;
}

bool ring_walked(const nk_spatial& s) {
  const int64_t extent = (int64_t{s.kernel_h} - 1) * s.dilation_h + 1;
  for (int64_t y = 0; y + 1 < s.out_h; ++y) {
    const int64_t loaded = y * s.stride_h - s.pad_top + extent;
    const int64_t next = std::max({loaded, (y + 1) * s.stride_h - s.pad_top, int64_t{0}});
    if (next < s.in_h && (y + 1) * s.out_w > next * s.in_w) return false;
  }
  return true;
}

void widen(check::Rng& rng, nk_spatial& s) {
  if (rng.in(0, 2) != 0) return;
  const int32_t more = rng.in(1, 12), wider = rng.in(0, 5);  // windows wholly in the padding
  s.pad_top += more;
  s.pad_left += wider;
  s.dilation_h = rng.in(0, 1) == 0 ? s.dilation_h : rng.in(2, 12);
  const int32_t extent = (s.kernel_h - 1) * s.dilation_h + 1;
  s.out_h = std::max(0, s.in_h + s.pad_top + rng.in(0, 12) - extent) / s.stride_h + 1;
  s.out_w += wider / s.stride_w;
  s.out_ring_h = s.out_y1 = s.out_h;
}

TEST(Overlap, DistancesAreThoseOfAWalk) {
  check::Rng rng(1);
  int rings = 0;
  for (int round = 0; round < 4000; ++round) {
    nk_spatial s{};
    check::random_window(rng, s);
    widen(rng, s);
    s.in_c = rng.in(1, 4);
    s.out_c = rng.in(0, 1) == 0 ? s.in_c * rng.in(1, 3) : rng.in(1, 6);
    for (const Reads reads : {Reads::kAllChannels, Reads::kOwnChannel, Reads::kPixelFirst}) {
      const Distances d = window_distances(s, reads, 1);
      ASSERT_EQ(d.forward_bytes, walked(s, begin_of, reads, false)) << "round " << round;
      ASSERT_EQ(d.backward_bytes, walked(s, begin_of, reads, true)) << "round " << round;
    }
    s.out_c = s.in_c;
    std::vector<KernelMode> modes;
    add_channel_ring_mode(s, 1, modes);
    const bool small = s.out_h * s.out_w <= s.in_h * s.in_w;
    ASSERT_EQ(modes.size(), small && ring_walked(s) ? 1u : 0u) << "round " << round;
    rings += static_cast<int>(modes.size());
  }
  EXPECT_GT(rings, 100);
}

TEST(Overlap, DistancesOfTransposedConvolutionsAreThoseOfAWalk) {
  check::Rng rng(2);
  for (int round = 0; round < 4000; ++round) {
    nk_spatial s{};
    check::random_window(rng, s);
    s.in_c = rng.in(1, 4);
    s.out_c = rng.in(1, 5);
    s.pad_top = rng.in(0, 5);
    s.pad_left = rng.in(0, 5);
    s.out_h = s.out_y1 = s.out_ring_h = rng.in(1, s.in_h * s.stride_h + 6);
    s.out_w = rng.in(1, s.in_w * s.stride_w + 6);
    const Distances d = gather_distances(s, 1);
    ASSERT_EQ(d.forward_bytes, walked(s, gathered_begin_of, Reads::kAllChannels, false)) << round;
    ASSERT_EQ(d.backward_bytes, walked(s, gathered_begin_of, Reads::kAllChannels, true)) << round;
  }
}

// Two billion pixels: nobody walks over them.
TEST(Overlap, SizesDoNotCount) {
  nk_spatial s{};
  s.batch = s.in_h = s.out_h = s.in_c = s.out_c = s.kernel_h = s.stride_h = s.dilation_h = 1;
  s.in_w = s.out_w = s.pad_left = 1 << 29;
  s.kernel_w = 3;
  s.stride_w = 1;
  for (const int32_t dilation : {1, 7, 1 << 20, 1 << 28}) {
    s.dilation_w = dilation;
    for (int i = 0; i < 100; ++i) {
      const Distances d = window_distances(s, Reads::kAllChannels, 1);
      EXPECT_GE(d.forward_bytes, 0);
      EXPECT_LT(d.forward_bytes, int64_t{1} << 31);
    }
    std::vector<KernelMode> modes;
    add_channel_ring_mode(s, 1, modes);
  }
}

}  // namespace
}  // namespace netkit
