// SPDX-License-Identifier: MIT
// add's DSP and Helium rows against the reference row: random scales and zero points, ends of the
// range, in place.
#include "ops/binary/arm/binary_dsp.h"

#include <gtest/gtest.h>

#include "compiler/ir/op_def.h"
#include "ops/common/testing/kernel_check.h"

namespace netkit {
namespace {

nk_binary_params random_params(check::Rng& rng) {
  nk_binary_params p{};
  p.rank = 1;
  p.dims[0] = rng.in(1, 300);
  p.a_strides[0] = p.b_strides[0] = 1;
  p.left_shift = 20;
  p.a_zero_point = rng.in(-128, 127);
  p.b_zero_point = rng.in(-128, 127);
  p.zero_point = rng.in(-128, 127);
  p.a_multiplier = rng.in(1 << 30, INT32_MAX);
  p.b_multiplier = rng.in(0, 3) == 0 ? 1 << 30 : rng.in(1 << 30, INT32_MAX);
  p.multiplier = rng.in(1 << 30, INT32_MAX);
  p.a_shift = rng.in(-6, 0);
  p.b_shift = rng.in(-6, 0);
  p.shift = rng.in(0, 4) == 0 ? rng.in(-22, -1) : rng.in(-20, -15);
  p.act_min = rng.in(0, 1) == 0 ? -128 : rng.in(-128, 0);
  p.act_max = rng.in(0, 1) == 0 ? 127 : rng.in(1, 127);
  return p;
}

class BinaryDsp : public testing::TestWithParam<const char*> {};

TEST_P(BinaryDsp, AddEqualsTheReference) {
  const KernelRow& dsp = *find_kernel(GetParam());
  const KernelRow& reference = *find_kernel("nk_add_s8_ref");
  check::Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    const nk_binary_params p = random_params(rng);
    ASSERT_TRUE(dsp.fits(&p));
    const auto count = static_cast<size_t>(p.dims[0]);
    std::vector<int8_t> a = rng.ints<int8_t>(count, -128, 127);
    const std::vector<int8_t> b = rng.ints<int8_t>(count, -128, 127);
    std::vector<int8_t> wanted(count), got(count + 1, 77);
    const void* in[] = {a.data(), b.data()};
    void* out[] = {wanted.data()};
    reference.fn(&p, in, out, nullptr);
    out[0] = got.data();
    dsp.fn(&p, in, out, nullptr);
    ASSERT_EQ(got.back(), 77);
    got.pop_back();
    ASSERT_EQ(got, wanted) << i;
    out[0] = a.data();
    dsp.fn(&p, in, out, nullptr);
    ASSERT_EQ(a, wanted) << i << " in place";
  }
}

TEST_P(BinaryDsp, OtherShapesAndScalesAreTheReferences) {
  const KernelRow& dsp = *find_kernel(GetParam());
  check::Rng rng(8);
  nk_binary_params p = random_params(rng);
  p.b_strides[0] = 0;
  EXPECT_FALSE(dsp.fits(&p));
  p = random_params(rng);
  p.a_shift = 1;
  EXPECT_FALSE(dsp.fits(&p));
  p = random_params(rng);
  p.shift = 0;
  EXPECT_FALSE(dsp.fits(&p));
}

INSTANTIATE_TEST_SUITE_P(Add, BinaryDsp, testing::Values("nk_add_s8_dsp", "nk_add_s8_mve"));

}  // namespace
}  // namespace netkit
