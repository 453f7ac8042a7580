// SPDX-License-Identifier: MIT
#include "compiler/ir/const_data.h"

#include <gtest/gtest.h>

namespace netkit {
namespace {

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
