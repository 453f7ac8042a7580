// SPDX-License-Identifier: MIT
// A plan that was written reads back as it was; what is broken is named.
#include <gtest/gtest.h>

#include "compiler/plan/io/json.h"
#include "compiler/plan/plan.h"

namespace netkit::plan {
namespace {

constexpr const char* kSavedGraph = R"({"format":"netkit-graph/1","alignment":16,
"tensors":[{"name":"I","bytes":1600},{"name":"A","bytes":3200},{"name":"S","bytes":64},
           {"name":"F","bytes":1600}],
"ops":[{"name":"a","inputs":["I"],"outputs":["A"],"scratch_bytes":128},
       {"name":"f","inputs":["A","S"],"outputs":["F"],
        "overlap":[{"input":0,"output":0,"forward_bytes":0,"scratch_bytes":16}]}],
"inputs":["I"],"outputs":["F"],"states":["S"]})";

std::string plan_text() {
  const auto problem = parse_graph(kSavedGraph);
  EXPECT_TRUE(problem.has_value());
  auto layout = plan(*problem);
  EXPECT_TRUE(layout.has_value());
  layout->seconds = 0;
  return plan_json(*problem, *layout);
}

TEST(ReadPlan, RoundTrip) {
  const std::string text = plan_text();
  ASSERT_TRUE(is_plan_json(text));
  const auto saved = parse_plan(text);
  ASSERT_TRUE(saved.has_value()) << saved.error().message << " " << saved.error().where;
  EXPECT_EQ(plan_json(saved->problem, saved->layout), text);
}

TEST(ReadPlan, BrokenPlansAreRefusedByName) {
  struct BadPlan {
    const char* from;
    const char* to;
    const char* where;
  };
  const BadPlan cases[] = {{"netkit-plan/1", "netkit-plan/9", "format"},
                           {"\"kind\":\"state\"", "\"kind\":\"mood\"", "S"},
                           {"\"first_step\":0", "\"first_step\":9", "I"},
                           {"\"bytes\":3200", "\"bytes\":99999999", "A"},
                           {"\"name\":\"A\"", "\"name\":\"I\"", "I"},
                           {"\"live\":[\"I\"", "\"live\":[\"X\"", "a"},
                           {"\"alignment\":16", "\"alignment\":-1", "plan.alignment"},
                           {"\"steps\":[", "\"stops\":[", "plan"}};
  for (const BadPlan& c : cases) {
    std::string text = plan_text();
    const size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, std::string(c.from).size(), c.to);
    const auto saved = parse_plan(text);
    ASSERT_FALSE(saved.has_value()) << c.to;
    EXPECT_EQ(saved.error().where, c.where) << saved.error().message;
  }
  for (size_t cut = 0; cut < plan_text().size(); cut += 7) {
    EXPECT_FALSE(parse_plan(plan_text().substr(0, cut)).has_value());
  }
}

// `text` with the number behind the first `key` after `place` set to `value`.
std::string with_number(std::string text, const std::string& place, const std::string& key,
                        const std::string& value) {
  const size_t from = text.find(place);
  EXPECT_NE(from, std::string::npos) << place;
  const size_t at = text.find(key, from);
  EXPECT_NE(at, std::string::npos) << key;
  const size_t begin = at + key.size();
  return text.replace(begin, text.find_first_of(",}", begin) - begin, value);
}

TEST(ReadPlan, APlanThatContradictsItselfIsRefused) {
  const std::string text = plan_text();
  std::string flat = text;
  for (size_t at = 0; (at = flat.find("\"offset\":", at)) != std::string::npos;) {
    at += 9;
    flat.replace(at, flat.find(',', at) - at, "0");
  }
  EXPECT_FALSE(parse_plan(flat));
  EXPECT_TRUE(is_plan_json("{ \"class\":\"plain\", \"format\" : \"netkit-plan/1\"}"));
  EXPECT_FALSE(is_plan_json(R"({"format":"netkit-certificate/1","plans":["netkit-plan/1"]})"));
  struct Change {
    const char *place, *key, *value;
  };
  for (const Change& c : {Change{"{", "\"tensor_sum_bytes\":", "1"},
                          {"{", "\"largest_tensor_bytes\":", "1"},
                          {"\"alignment\"", "\"proven_minimal\":", "false"},
                          {"\"steps\"", "\"live_bytes\":", "1"},
                          {"\"name\":\"A\"", "\"offset\":", "16"},
                          {"\"name\":\"I\"", "\"last_step\":", "1"}}) {
    const auto saved = parse_plan(with_number(text, c.place, c.key, c.value));
    EXPECT_FALSE(saved) << c.place << " " << c.key;
  }
}

TEST(ReadPlan, LivesThatAreGivenKeepTheirGaps) {
  Problem problem;
  Layout layout;
  for (const char* name : {"a", "b"}) {
    layout.tensor_buffer.push_back(static_cast<int>(layout.buffers.size()));
    LayoutBuffer b;
    b.name = name;
    b.bytes = 8;
    b.last_step = 9;
    b.tensor = layout.tensor_buffer.back();
    problem.tensors.push_back({name, 8});
    layout.buffers.push_back(b);
  }
  layout.arena_bytes = layout.lower_bound_bytes = layout.largest_tensor_bytes = 8;
  layout.tensor_sum_bytes = 16;
  layout.proven_minimal = true;
  layout.buffers[1].first_step = 4;
  EXPECT_FALSE(parse_plan(plan_json(problem, layout))) << "both take all bytes from time 4 on";
  BufferGaps gaps = {{{{4, 7}, {0, 2}}, {{7, 10}, {3, 3}}}, {{{4, 7}, {2, 8}}}};
  const std::string text = plan_json(problem, layout, gaps);
  const auto saved = parse_plan(text);
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(plan_json(saved->problem, saved->layout, saved->gaps), text);
  gaps[1][0].window.begin = 1;
  EXPECT_FALSE(parse_plan(plan_json(problem, layout, gaps)));
  gaps[1][0] = {{3, 7}, {2, 8}};
  EXPECT_FALSE(parse_plan(plan_json(problem, layout, gaps))) << "a gap before the life";
}

TEST(ModelExplorer, EveryStepHasItsLiveBytes) {
  const auto problem = parse_graph(kSavedGraph);
  const auto layout = plan(*problem);
  ASSERT_TRUE(layout.has_value());
  const std::string text = model_explorer_json(*problem, *layout);
  for (const LayoutStep& s : layout->steps) {
    const std::string& made = problem->tensors[problem->steps[s.step].outputs[0]].name;
    const std::string entry = "\"" + made + "\":{\"value\":" + std::to_string(s.live_bytes) + "}";
    EXPECT_NE(text.find(entry), std::string::npos) << entry << " in " << text;
  }
}

}  // namespace
}  // namespace netkit::plan
