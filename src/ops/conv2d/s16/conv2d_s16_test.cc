// SPDX-License-Identifier: MIT
// conv2d of int16 activations and int8 weights: an independent oracle, overlap distances.
#include "ops/conv2d/s16/conv2d_s16.h"

#include <gtest/gtest.h>

#include "ops/common/testing/wide_check.h"
#include "ops/conv2d/conv2d_check.h"

namespace netkit {
namespace {

using check::from_bytes;
using check::KernelCase;

std::pair<nk_conv2d_params, KernelCase> wide_case(uint64_t seed, bool sharp, uint64_t variant = 0) {
  auto [p, c] = check::conv2d_case(seed, false, sharp, variant);
  check::Rng rng(seed + 7);
  check::widen_params(rng, sharp, p);
  rng = check::Rng(seed + 7 + (variant << 32));
  check::widen_inputs(rng, check::in_elems(p), sharp, c);
  c.params = bytes_of(p);
  c.out_bytes *= sizeof(int16_t);
  return {p, c};
}

// The sum of products of one output element.
int64_t sum_at(const nk_conv2d_params& p, const std::vector<int16_t>& x,
               const std::vector<int8_t>& w, int32_t pixel, int32_t oc) {
  const int32_t ox = pixel % p.out_w, oy = pixel / p.out_w % p.out_h;
  int64_t sum = 0;
  for (int32_t ky = 0; ky < p.kernel_h; ++ky) {
    for (int32_t kx = 0; kx < p.kernel_w; ++kx) {
      const int32_t iy = oy * p.stride_h - p.pad_top + ky * p.dilation_h;
      const int32_t ix = ox * p.stride_w - p.pad_left + kx * p.dilation_w;
      if (iy < 0 || iy >= p.in_h || ix < 0 || ix >= p.in_w) continue;
      const int32_t at = (pixel / p.out_w / p.out_h * p.in_h + iy) * p.in_w + ix;
      const int32_t group_in = p.in_c / p.groups, group = oc / (p.out_c / p.groups);
      for (int32_t c = 0; c < group_in; ++c) {
        sum += int64_t{x[static_cast<size_t>(at * p.in_c + group * group_in + c)]} *
               w[static_cast<size_t>(((oc * p.kernel_h + ky) * p.kernel_w + kx) * group_in + c)];
      }
    }
  }
  return sum;
}

TEST(Conv2dS16, EqualsAnIndependentOracle) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto [p, c] = wide_case(seed, false);
    const auto got = check::run_case(nk_conv2d_s16_ref, c, {});
    ASSERT_EQ(got.fault, "") << c.text;
    const auto x = from_bytes<int16_t>(c.inputs[0]);
    const auto w = from_bytes<int8_t>(c.inputs[1]);
    const auto y = from_bytes<int16_t>(got.output);
    for (size_t i = 0; i < y.size(); ++i) {
      const auto at = static_cast<int32_t>(i);
      const int32_t oc = at % p.out_c;
      const int64_t sum = sum_at(p, x, w, at / p.out_c, oc);
      ASSERT_EQ(y[i], check::wide_value(p, c, sum, static_cast<size_t>(oc))) << c.text << " " << i;
    }
  }
}

// Each stated distance is safe, and it is the least one.
TEST(Conv2dS16, DistancesAreExact) {
  const KernelRow& row = *find_kernel("nk_conv2d_s16_ref");
  int tried = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto [p, c] = wide_case(seed, true);
    std::vector<KernelMode> modes;
    row.modes(&p, modes);
    const auto plain = check::run_case(row.fn, c, {});
    ASSERT_EQ(check::check_modes(row.fn, c, modes, plain.output, 2), "");
    if (p.groups > 1) continue;
    const auto make = [&](uint64_t variant) { return wide_case(seed, true, variant).second; };
    ASSERT_EQ(check::check_least_distances(row.fn, make, modes, 2), "");
    tried += static_cast<int>(modes.size()) - 1;
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace netkit
