// SPDX-License-Identifier: MIT
#include "compiler/import/tflite/vectors.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace netkit::tflite {
namespace {

TEST(CopiedVector, ElementsThatStandAtAnyMultipleOfFour) {
  const std::array<int64_t, 2> values = {-5, int64_t{1} << 40};
  for (const size_t shift : {4u, 8u}) {
    alignas(8) std::array<uint8_t, 32> file = {};
    const uint32_t count = values.size();
    std::memcpy(file.data() + shift - 4, &count, sizeof count);
    std::memcpy(file.data() + shift, values.data(), sizeof values);
    const auto* v = reinterpret_cast<const flatbuffers::Vector<int64_t>*>(file.data() + shift - 4);
    EXPECT_EQ(copied(v), std::vector<int64_t>(values.begin(), values.end()));
  }
}

TEST(CopiedVector, NoneAndEmpty) {
  alignas(8) const std::array<uint8_t, 8> empty = {};
  EXPECT_TRUE(copied<int64_t>(nullptr).empty());
  EXPECT_TRUE(copied(reinterpret_cast<const flatbuffers::Vector<int64_t>*>(empty.data())).empty());
}

}  // namespace
}  // namespace netkit::tflite
