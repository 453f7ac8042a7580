// SPDX-License-Identifier: MIT
// The CSV reader: what it takes, and that it refuses everything else with its line.
#include "compiler/plan/io/buffer_list_csv.h"

#include <gtest/gtest.h>

namespace netkit::plan {
namespace {

TEST(BufferListCsv, ReadsRequiredColumnsInAnyOrder) {
  const auto list = read_buffer_list("size,id,upper,lower\n4,b1,3,0\r\n\n8,b2,9,3", "x.csv");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  ASSERT_EQ(list->ids, (std::vector<std::string>{"b1", "b2"}));
  EXPECT_EQ(list->problem.buffers[1].lower, 3);
  EXPECT_EQ(list->problem.buffers[1].upper, 9);
  EXPECT_EQ(list->problem.buffers[1].bytes, 8);
}

TEST(BufferListCsv, ReadsOptionalColumns) {
  const auto list = read_buffer_list(
      "buffer_id,start,end,size,alignment,hint,offset,gaps\n"
      "a,0,9,8,4,0,16,2-3 5-6@2:4\n"
      "b,0,9,8,,,,\n",
      "x.csv");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  const PlacementBuffer& a = list->problem.buffers[0];
  EXPECT_EQ(a.upper, 10);
  EXPECT_EQ(a.alignment, 4);
  EXPECT_EQ(a.fixed_offset, 16);
  ASSERT_EQ(a.gaps.size(), 2u);
  EXPECT_EQ(a.gaps[0].steps.end, 4);
  EXPECT_EQ(a.gaps[0].window.end, 0);
  EXPECT_EQ(a.gaps[1].window.begin, 2);
  EXPECT_FALSE(list->problem.buffers[1].fixed_offset.has_value());
}

TEST(BufferListCsv, RefusesWithTheLine) {
  struct Case {
    const char* text;
    const char* where;
  };
  const Case cases[] = {
      {"", "f"},
      {"id,lower,upper\na,0,1\n", "f:1"},
      {"id,id,lower,upper,size\n", "f:1"},
      {"id,lower,upper,size,colour\n", "f:1"},
      {"id,lower,upper,size\na,0,1\n", "f:2"},
      {"id,lower,upper,size\na,0,1,4,5\n", "f:2"},
      {"id,lower,upper,size\na,0,1,4\na,0,1,4\n", "f:3"},
      {"id,lower,upper,size\n,0,1,4\n", "f:2"},
      {"id,lower,upper,size\na,0,1,4x\n", "f:2"},
      {"id,lower,upper,size\na,0,1,\n", "f:2"},
      {"id,lower,upper,size\na,1,1,4\n", "f:2"},
      {"id,lower,upper,size\na,0,1,-4\n", "f:2"},
      {"id,lower,upper,size\na,0,1,9223372036854775808\n", "f:2"},
      {"id,lower,upper,size\na,0,1,9223372036854775807\n", "f:2"},
      {"id,lower,upper,size,alignment\na,0,1,4,0\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3-4@1\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3-4@1:9\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3-4@1:2@3\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,8-12\n", "f:2"},
  };
  for (const Case& c : cases) {
    const auto list = read_buffer_list(c.text, "f");
    ASSERT_FALSE(list.has_value()) << c.text;
    EXPECT_EQ(list.error().where, c.where) << c.text;
  }
}

TEST(BufferListCsv, AnyCutOrFlippedByteIsSafe) {
  const std::string good = "id,lower,upper,size,gaps\na,0,9,8,2-3 5-6@2:4\nb,1,2,3,\n";
  for (size_t cut = 0; cut <= good.size(); ++cut) {
    (void)read_buffer_list(std::string_view(good).substr(0, cut), "f");
  }
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char c : {'\0', '-', ',', '\n', '9', '@', ':', '\xff'}) {
      std::string bad = good;
      bad[i] = c;
      const auto list = read_buffer_list(bad, "f");
      if (list.has_value()) (void)place(list->problem);
    }
  }
}

}  // namespace
}  // namespace netkit::plan
