// SPDX-License-Identifier: MIT
// A plan that was written reads back as it was; what is broken is named.
#include <gtest/gtest.h>

#include "compiler/plan/io/json.h"
#include "compiler/plan/plan.h"

namespace netkit::plan {
namespace {

constexpr const char* kGraph = R"({"format":"netkit-graph/1","alignment":16,
"tensors":[{"name":"I","bytes":1600},{"name":"A","bytes":3200},{"name":"S","bytes":64},
           {"name":"F","bytes":1600}],
"ops":[{"name":"a","inputs":["I"],"outputs":["A"],"scratch_bytes":128},
       {"name":"f","inputs":["A","S"],"outputs":["F"],
        "overlap":[{"input":0,"output":0,"forward_bytes":0,"scratch_bytes":16}]}],
"inputs":["I"],"outputs":["F"],"states":["S"]})";

std::string plan_text() {
  const auto problem = parse_graph(kGraph);
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
  struct Case {
    const char* from;
    const char* to;
    const char* where;
  };
  const Case cases[] = {{"netkit-plan/1", "netkit-plan/9", "format"},
                        {"\"kind\":\"state\"", "\"kind\":\"mood\"", "S"},
                        {"\"first_step\":0", "\"first_step\":9", "I"},
                        {"\"bytes\":3200", "\"bytes\":99999999", "A"},
                        {"\"name\":\"A\"", "\"name\":\"I\"", "I"},
                        {"\"live\":[\"I\"", "\"live\":[\"X\"", "a"},
                        {"\"alignment\":16", "\"alignment\":-1", "plan.alignment"},
                        {"\"steps\":[", "\"stops\":[", "plan"}};
  for (const Case& c : cases) {
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

TEST(ModelExplorer, EveryStepHasItsLiveBytes) {
  const auto problem = parse_graph(kGraph);
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
