// SPDX-License-Identifier: MIT
// Custom options as FlexBuffers: what they say, and bytes that say nothing.
#include "ops/common/flex/flex_options.h"

#include <gtest/gtest.h>

#include "ops/common/flex/flex_check.h"
#include "ops/common/testing/kernel_check.h"

namespace netkit {
namespace {

using check::custom_options;
using check::flex_bytes;

ForeignNode flex_node(std::vector<uint8_t> bytes) {
  ForeignNode node;
  node.name = "node";
  node.attrs.set("custom_options", custom_options(bytes));
  return node;
}

const check::FlexMap kSeveral = {
    {"a", int64_t{-7}}, {"clamping", true}, {"rate", 0.25}, {"zz", int64_t{1} << 40}};

TEST(FlexOptions, ScalarsByName) {
  const ForeignNode node = flex_node(flex_bytes(kSeveral));
  const auto options = flex_options(node);
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->all().size(), 4u);
  EXPECT_EQ(options->get_int("a"), -7);
  EXPECT_EQ(options->get_int("clamping"), 1);
  EXPECT_EQ(options->get_float("rate"), 0.25);
  EXPECT_EQ(*flex_int(*options, "a", -8, 0, node), -7);
  EXPECT_EQ(*flex_real(*options, "rate", node), 0.25f);
  EXPECT_FALSE(flex_int(*options, "a", 0, 8, node).has_value());
  EXPECT_FALSE(flex_int(*options, "rate", 0, 8, node).has_value());
  EXPECT_FALSE(flex_int(*options, "none", 0, 8, node).has_value());
  EXPECT_FALSE(flex_int(*options, "zz", 0, INT32_MAX, node).has_value());
  EXPECT_FALSE(flex_real(*options, "none", node).has_value());
  EXPECT_TRUE(flex_options(ForeignNode{})->all().empty());
  EXPECT_TRUE(flex_options(flex_node(flex_bytes({})))->all().empty());
}

// {'shift': 12} as TensorFlow writes it, with words of 8 bits.
TEST(FlexOptions, NarrowWords) {
  const ForeignNode node = flex_node({'s', 'h', 'i', 'f', 't', 0, 1, 7, 1, 1, 1, 12, 4, 2, 36, 1});
  const auto options = flex_options(node);
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->get_int("shift"), 12);
}

TEST(FlexOptions, BytesThatAreNoMapAreRefused) {
  for (const std::vector<uint8_t>& bytes :
       {std::vector<uint8_t>{1}, {0, 0, 0}, {5, 4, 1}, {255, 36, 1}, {1, 36, 9}}) {
    EXPECT_FALSE(flex_options(flex_node(bytes)).has_value());
  }
}

// Shortened, changed: refused or read, never outside the bytes.
TEST(FlexOptions, HostileBytes) {
  const std::vector<uint8_t> whole = flex_bytes(kSeveral);
  check::Rng rng(5);
  int read = 0, refused = 0;
  const auto attempt = [&](std::vector<uint8_t> bytes) {
    (flex_options(flex_node(std::move(bytes))).has_value() ? read : refused) += 1;
  };
  for (size_t n = 0; n < whole.size(); ++n) {
    attempt({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)});
    attempt({whole.begin() + static_cast<std::ptrdiff_t>(n), whole.end()});
  }
  for (int i = 0; i < 3000; ++i) {
    std::vector<uint8_t> bytes = whole;
    for (int k = rng.in(1, 4); k > 0; --k) {
      bytes[static_cast<size_t>(rng.in(0, static_cast<int32_t>(bytes.size()) - 1))] =
          static_cast<uint8_t>(rng.in(0, 255));
    }
    attempt(std::move(bytes));
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace netkit
