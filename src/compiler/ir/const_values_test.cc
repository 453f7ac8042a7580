// SPDX-License-Identifier: MIT
#include "compiler/ir/const_values.h"

#include <gtest/gtest.h>

#include <cmath>

namespace netkit {
namespace {

TEST(ConstValues, IntegersRoundTrip) {
  const std::vector<int64_t> values = {-128, 0, 127};
  for (const nk_dtype dtype : {NK_INT8, NK_INT16, NK_INT32, NK_INT64}) {
    const Tensor t{"t", {dtype, {3}, {}}, constant_ints(dtype, values)};
    EXPECT_EQ(ints_of(t), values);
    EXPECT_EQ(floats_of(t), std::nullopt);
  }
  EXPECT_EQ(constant_ints(NK_INT8, std::vector<int64_t>{128}), nullptr);
  EXPECT_EQ(constant_ints(NK_UINT8, std::vector<int64_t>{-1}), nullptr);
  EXPECT_EQ(ints_of({"activation", {NK_INT8, {3}, {}}, nullptr}), std::nullopt);
  EXPECT_EQ(ints_of({"short", {NK_INT32, {3}, {}}, std::make_shared<Bytes>(8)}), std::nullopt);
}

TEST(ConstValues, FloatsRoundTrip) {
  const std::vector<double> values = {-1.5, 0.0, 0x1p-149};
  for (const nk_dtype dtype : {NK_FLOAT32, NK_FLOAT64}) {
    EXPECT_EQ(floats_of({"t", {dtype, {3}, {}}, constant_floats(dtype, values)}), values);
  }
}

TEST(ConstValues, Halves) {
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc100), -2.5f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x8400), -0x1p-14f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
  EXPECT_TRUE(std::isinf(half_to_float(0xfc00)));
  EXPECT_TRUE(std::isnan(half_to_float(0x7e00)));
}

TEST(ConstData, NullAndGivenBytes) {
  const ConstData none;
  EXPECT_TRUE(none == nullptr);
  EXPECT_FALSE(static_cast<bool>(none));
  const ConstData data = std::make_shared<Bytes>(3, std::byte{7});
  const ConstData copy = data;
  EXPECT_TRUE(data != nullptr && data == copy);
  EXPECT_EQ(data.size(), 3u);
  EXPECT_EQ(data.element(), nullptr);
  EXPECT_EQ(copy->at(2), std::byte{7});
}

TEST(ConstData, ARepeatedElementIsWrittenOnceForAllCopies) {
  const ConstData data = ConstData::repeated({std::byte{1}, std::byte{2}}, 6);
  const ConstData copy = data;
  EXPECT_EQ(data.size(), 6u);
  ASSERT_NE(data.element(), nullptr);
  EXPECT_EQ(data.element()->size(), 2u);
  const Bytes expected = {std::byte{1}, std::byte{2}, std::byte{1},
                          std::byte{2}, std::byte{1}, std::byte{2}};
  EXPECT_EQ(*data, expected);
  EXPECT_EQ(copy->data(), data->data());
  EXPECT_EQ(ConstData::repeated({std::byte{1}}, 0)->size(), 0u);
  // Far more than there is memory for, as long as nobody asks for it.
  EXPECT_EQ(ConstData::repeated({std::byte{0}}, size_t{1} << 50).size(), size_t{1} << 50);
}

}  // namespace
}  // namespace netkit
