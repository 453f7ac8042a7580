// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace netkit {
namespace {

std::string nested(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, KeepsTheOrderOfKeys) {
  const auto value = parse_json(R"({"b":[1,"]]["],"a":"\"[{"})");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->dump(), R"({"b":[1,"]]["],"a":"\"[{"})");
}

TEST(ParseJson, SaysWhereItEndsToBeJson) {
  EXPECT_EQ(parse_json("{\"a\":1,,}").error().message, "not valid JSON at byte 8");
  EXPECT_EQ(parse_json("").error().message, "not valid JSON at byte 1");
  EXPECT_FALSE(parse_json("{\"a\":1e999}"));
}

TEST(ParseJson, RefusesDeepNesting) {
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth)));
  EXPECT_EQ(parse_json(nested(kMaxJsonDepth + 1)).error().message, "JSON nested more than 64 deep");
  EXPECT_FALSE(parse_json("{\"x\":" + std::string(1 << 20, '[')));
}

}  // namespace
}  // namespace netkit
