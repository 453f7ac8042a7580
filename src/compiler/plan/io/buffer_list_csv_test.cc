// SPDX-License-Identifier: MIT
// The CSV reader: what it takes, and that it refuses everything else with its line.
#include "compiler/plan/io/buffer_list_csv.h"

#include <gtest/gtest.h>

#include "compiler/plan/check/certificate.h"
#include "compiler/plan/check/checker.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/stepped.h"

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
  struct BadLine {
    const char* text;
    const char* where;
  };
  const BadLine cases[] = {
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
      {"id,lower,upper,size,alignment\na,0,1,4,1099511627777\n", "f:2"},
      {"id,lower,upper,size\na,-1,1,4\n", "f:2"},
      {"id,lower,upper,size\na,0,2147483648,4\n", "f:2"},
      {"id,lower,upper,size\na,0,1,9007199254740993\n", "f:2"},
      {"id,lower,upper,size\na,0,1,9007199254740992\nb,0,1,1\n", "f:3"},
      {"id,lower,upper,size,offset\na,0,1,4,-1\n", "f:2"},
      {"id,lower,upper,size,offset\na,0,1,4,9007199254740992\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3-4@1\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3-4@1:9\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,3-4@1:2@3\n", "f:2"},
      {"id,lower,upper,size,gaps\na,0,9,4,8-12\n", "f:2"},
  };
  for (const BadLine& c : cases) {
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

// Trailing overlaps, in place, a view, scratch, and names that the format cannot hold.
constexpr const char* kGraph = R"({"format":"netkit-graph/1","alignment":16,
"tensors":[{"name":"I","bytes":1600},{"name":"a,b","bytes":1568},{"name":"a b","bytes":1568},
           {"name":"V","bytes":784},{"name":"F","bytes":3200},{"name":"Z","bytes":0}],
"ops":[{"name":"p","inputs":["I"],"outputs":["a,b"],"scratch_bytes":32,
        "overlap":[{"input":0,"output":0,"forward_bytes":32,"scratch_bytes":32}]},
       {"name":"q","inputs":["a,b"],"outputs":["a b"],
        "overlap":[{"input":0,"output":0,"forward_bytes":0}]},
       {"name":"v","inputs":["a b"],"outputs":["V"],
        "views":[{"input":0,"output":0,"offset_bytes":784}]},
       {"name":"f","inputs":["V"],"outputs":["F","Z"],
        "overlap":[{"input":0,"output":0,"backward_bytes":16}]}],
"inputs":["I"],"outputs":["F"]})";

TEST(BufferListCsv, APlanReadsBackAsTheSameArena) {
  const auto problem = parse_graph(kGraph);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  const auto layouts = plan_classes(*problem);
  ASSERT_TRUE(layouts.has_value());
  ASSERT_LT(layouts->back().arena_bytes, layouts->front().arena_bytes);
  for (const Layout& layout : *layouts) {
    const BufferList list = buffer_list_of(layout);
    std::vector<int64_t> offsets;
    for (const PlacementBuffer& b : list.problem.buffers) offsets.push_back(*b.fixed_offset);
    const std::string text = buffer_list_csv(list, offsets);
    auto read = read_buffer_list(text, "x.csv");
    ASSERT_TRUE(read.has_value()) << read.error().message << "\n" << text;
    EXPECT_EQ(read->ids, list.ids);
    const auto height = check_placement(read->problem, offsets);
    ASSERT_TRUE(height.has_value()) << height.error().message << "\n" << text;
    EXPECT_EQ(*height, layout.arena_bytes);
    const auto fixed = place(read->problem);
    ASSERT_TRUE(fixed.has_value()) << fixed.error().message << "\n" << text;
    EXPECT_EQ(fixed->height_bytes, layout.arena_bytes) << text;
    // The lives alone ask for no more.
    for (PlacementBuffer& b : read->problem.buffers) b.fixed_offset.reset();
    const auto free = place(read->problem);
    ASSERT_TRUE(free.has_value());
    EXPECT_LE(free->height_bytes, layout.arena_bytes) << text;
    EXPECT_TRUE(free->proven);
  }
}

TEST(BufferListCsv, FaultsOfSeveralLinesNameTheLines) {
  const auto list = read_buffer_list("id,lower,upper,size,offset\nx,0,2,5,0\n\ny,1,3,7,2\n", "f");
  ASSERT_TRUE(list.has_value()) << list.error().message;
  const auto placed = place(list->problem);
  ASSERT_FALSE(placed.has_value());
  EXPECT_EQ(placed.error().where, "line 2: buffer 'x' and line 4: buffer 'y'");
}

// Figures are whole up to 2^53 in all that is written, and nothing larger is read.
TEST(Sizes, WhatIsWrittenIsReadBack) {
  const auto graph = [](const std::string& bytes) {
    return parse_graph(R"({"format":"netkit-graph/1","tensors":[{"name":"a","bytes":)" + bytes +
                       R"(},{"name":"b","bytes":4503599627370480}],
      "ops":[{"name":"o","inputs":["a"],"outputs":["b"],"scratch_bytes":1}],
      "inputs":["a"],"outputs":["b"]})");
  };
  const auto problem = graph("4503599627370495");
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  const auto layouts = plan_classes(*problem);
  ASSERT_TRUE(layouts.has_value());
  const auto saved = parse_plan(plan_json(*problem, layouts->front()));
  ASSERT_TRUE(saved.has_value()) << saved.error().where << saved.error().message;
  EXPECT_EQ(saved->layout.arena_bytes, layouts->front().arena_bytes);
  EXPECT_TRUE(check_certificate(certificate_json(*problem, {}, *layouts)));
  EXPECT_FALSE(graph("4503599627370497"));
  EXPECT_EQ(graph("9007199254740993").error().where, "tensors[0].bytes");
}

Layout layout_of(const BufferList& list, const Placement& placed) {
  Layout layout;
  for (size_t i = 0; i < list.ids.size(); ++i) {
    const PlacementBuffer& b = list.problem.buffers[i];
    LayoutBuffer buffer;
    buffer.name = list.ids[i];
    buffer.bytes = b.bytes;
    buffer.offset = placed.offsets[i];
    buffer.first_step = static_cast<int>(b.lower);
    buffer.last_step = static_cast<int>(b.upper - 1);
    layout.buffers.push_back(std::move(buffer));
    layout.tensor_sum_bytes += b.bytes;
    layout.largest_tensor_bytes = std::max(layout.largest_tensor_bytes, b.bytes);
  }
  layout.arena_bytes = placed.height_bytes;
  layout.given_order_peak_bytes = load_bound(list.problem).value();
  layout.lower_bound_bytes = placed.lower_bound_bytes;
  layout.proven_minimal = placed.proven;
  layout.classes = {
      {PlanClass::kPlain, placed.height_bytes, placed.lower_bound_bytes, placed.proven}};
  return layout;
}

TEST(Stepped, AListIsAGraphInItsGivenOrder) {
  const auto list = read_buffer_list(
      "id,lower,upper,size\na,10,40,64\nb,10,20,32\nc,20,900,100\nd,1000,1001,7\n", "x.csv");
  ASSERT_TRUE(list.has_value());
  const auto placed = place(list->problem);
  ASSERT_TRUE(placed.has_value());
  const auto made = stepped(layout_of(*list, *placed));
  ASSERT_TRUE(made.has_value());
  std::vector<std::string> names;
  for (const Step& step : made->problem.steps) names.push_back(step.name);
  EXPECT_EQ(names, (std::vector<std::string>{"10", "20", "40", "900", "1000"}));
  EXPECT_EQ(made->layout.steps[1].live_bytes, 164);
  EXPECT_EQ(made->layout.steps[3].live_bytes, 0);
  PlanOptions given;
  given.order = OrderChoice::kGiven;
  const auto planned = plan(made->problem, given);
  ASSERT_TRUE(planned.has_value());
  EXPECT_EQ(planned->arena_bytes, placed->height_bytes);
  const auto verdicts = check_certificate(certificate_json(made->problem, given, {made->layout}));
  ASSERT_TRUE(verdicts.has_value()) << verdicts.error().message;
  ASSERT_EQ(verdicts->size(), 1u);
  EXPECT_TRUE((*verdicts)[0].valid) << (*verdicts)[0].invalid_reason;
  EXPECT_TRUE((*verdicts)[0].bound_verified) << (*verdicts)[0].how;
  EXPECT_FALSE(stepped(Layout()).has_value());
}

}  // namespace
}  // namespace netkit::plan
