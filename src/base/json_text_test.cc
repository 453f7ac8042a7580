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
  EXPECT_EQ(parse_json("{\"a\":1,,}").error().message,
            "not valid JSON at byte 8, line 1, column 8");
  EXPECT_EQ(parse_json("{\n \"a\":x}").error().message,
            "not valid JSON at byte 8, line 2, column 6");
  EXPECT_EQ(parse_json("").error().message,
            "not valid JSON at byte 1, line 1, column 1: the text ends too early");
  EXPECT_FALSE(parse_json("{\"a\":1e999}"));
}

TEST(ParseJson, RefusesWhatFollowsTheValue) {
  const std::string good = "{\"a\":1}";
  EXPECT_TRUE(parse_json(good + " \r\n\t"));
  for (const std::string& more : {std::string("x"), std::string("{}"), std::string(1, '\0'),
                                  std::string("\n\0\0", 3), std::string(" \0{", 3)}) {
    EXPECT_FALSE(parse_json(good + more)) << more;
  }
  EXPECT_FALSE(parse_json(std::string("{\"a\0b\":1}", 9)));
  for (const char* more : {"x", "{}", "}", " 1", ", \"b\":2}", "\n\"}\""}) {
    EXPECT_EQ(parse_json(good + more).error().message,
              "not valid JSON: the document ended at byte 7 and more follows");
  }
  EXPECT_EQ(parse_json("{\"a\":[1}]} x").error().message,
            "not valid JSON at byte 8, line 1, column 8");
}

TEST(ParseJson, RefusesAFieldThatStandsTwice) {
  EXPECT_TRUE(parse_json(R"([{"a":{"a":1}},{"a":2,"b":{}}])"));
  const auto twice = parse_json(R"({"b":{"a":[]},"c":[0,[],{"a":{},"d":1,"a":1,"a":1}],"c":1})");
  EXPECT_EQ(twice.error().message, "the field 'a' stands twice in one object");
  EXPECT_EQ(twice.error().where, "c[2].a");
}

TEST(ParseJson, RefusesDeepNesting) {
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth)));
  EXPECT_EQ(parse_json(nested(kMaxJsonDepth + 1)).error().message, "JSON nested more than 64 deep");
  EXPECT_FALSE(parse_json("{\"x\":" + std::string(1 << 20, '[')));
}

TEST(JsonShape, NamesThePlace) {
  const auto shapes = nlohmann::json::parse(
      R"({"all":{"kind":"=a|b","items":["item"],"more?":"a"},"item":{"n":"n","d?":"d"}})");
  const auto fault = [&](const char* text) {
    const auto fits = check_shape(nlohmann::json::parse(text), shapes, "all", "");
    return fits ? "" : fits.error().where + " " + fits.error().message;
  };
  EXPECT_EQ(fault(R"({"kind":"b","items":[{"n":3,"d":null}],"more":[]})"), "");
  EXPECT_EQ(fault("[]"), " is no object");
  EXPECT_EQ(fault(R"({"kind":"a|b","items":[]})"), "kind is not a|b");
  EXPECT_EQ(fault(R"({"kind":"a"})"), "items is missing");
  EXPECT_EQ(fault(R"({"kind":"a","items":3})"), "items is no list");
  EXPECT_EQ(fault(R"({"kind":"a","items":[{"n":1},{"n":-1}]})"),
            "items[1].n is no whole number from 0 to 2^53");
  EXPECT_EQ(fault(R"({"kind":"a","items":[{"n":1,"d?":1}]})"), "items[0].d? is no known field");
}

}  // namespace
}  // namespace netkit
