// SPDX-License-Identifier: MIT
// SwiftNet, the graph that orders of operators are compared by: peak of the file's order, least
// order, and what views of splits and concatenations read part by part save. All are proven.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/driver/compile.h"
#include "compiler/plan/plan.h"
#include "test_support.h"

namespace netkit::test {
namespace {

struct Choice {
  bool split_views;   // a split may be a view of its input
  bool concat_parts;  // the reader of a concatenation reads its parts
};

// The file's own operators, one step each.
plan::Problem problem_of(const ForeignGraph& graph, Choice choice) {
  plan::Problem p;
  std::vector<int> index(graph.tensors.size(), -1);
  const auto planned = [&](int t) {
    if (index[t] >= 0) return index[t];
    const ForeignTensor& tensor = graph.tensors[t];
    index[t] = static_cast<int>(p.tensors.size());
    p.tensors.push_back({tensor.name, byte_count(tensor.type.dtype, tensor.type.dims).value_or(0)});
    return index[t];
  };
  std::vector<std::vector<int>> parts(graph.tensors.size());
  for (const ForeignNode& node : graph.nodes) {
    std::vector<int> reads;
    for (const int t : node.inputs) {
      if (t == kAbsent || graph.tensors[t].data != nullptr) continue;
      if (parts[t].empty()) {
        reads.push_back(t);
      } else {
        reads.insert(reads.end(), parts[t].begin(), parts[t].end());
      }
    }
    if (choice.concat_parts && node.op == "CONCATENATION") {
      parts[node.outputs[0]] = reads;
      continue;
    }
    plan::Step step;
    step.name = node.name;
    for (const int t : reads) {
      const int id = planned(t);
      if (std::ranges::count(step.inputs, id) == 0) step.inputs.push_back(id);
    }
    for (const int t : node.outputs) step.outputs.push_back(planned(t));
    if (choice.split_views && node.op == "SPLIT") step.views = {{0, 0, 0}};
    p.steps.push_back(step);
  }
  for (const int t : graph.inputs) p.inputs.push_back(planned(t));
  for (const int t : graph.outputs) p.outputs.push_back(planned(t));
  return p;
}

void expect_arena(const ForeignGraph& graph, Choice choice, int64_t bytes) {
  plan::PlanOptions options;
  options.class_limit = plan::PlanClass::kPlain;
  const auto layout = plan::plan(problem_of(graph, choice), options);
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  EXPECT_EQ(layout->arena_bytes, bytes);
  EXPECT_TRUE(layout->proven_minimal);
}

TEST(SwiftNetPlan, ReachesTheProvenMinimumOfEachChoice) {
  const auto shared = shared_folder();
  if (!shared) return;
  driver::CompileOptions options;
  options.last = driver::Phase::kImport;
  const auto made =
      driver::compile_file(*shared + "/data/planner-models/swiftnet_vww224_uint8.tflite", options);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  plan::PlanOptions given;
  given.order = plan::OrderChoice::kGiven;
  const auto as_stored = plan::plan(problem_of(made->foreign, {false, false}), given);
  ASSERT_TRUE(as_stored.has_value()) << as_stored.error().message;
  EXPECT_EQ(as_stored->given_order_peak_bytes, 351'232);
  EXPECT_EQ(as_stored->arena_bytes, 351'232);
  expect_arena(made->foreign, {false, false}, 301'056);
  expect_arena(made->foreign, {true, false}, 275'968);
  expect_arena(made->foreign, {true, true}, 200'704);
}

}  // namespace
}  // namespace netkit::test
