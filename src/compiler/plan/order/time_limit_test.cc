// SPDX-License-Identifier: MIT
// What there is when time is up, by a clock that counts how often it is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/plan/io/json.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/testing/drawn.h"

namespace netkit::plan {
namespace {

using testing::DrawnProblem;

// A clock that goes on by a thousandth whenever somebody looks at it.
uint64_t looks = 0;
double counting_clock() {
  return static_cast<double>(++looks) * 1e-3;
}

// However early time is up, there is a plan, and the minimum is between its bound and its arena.
TEST(TimeLimit, LeavesAPlanAndABound) {
  std::mt19937 rng(10);
  for (int i = 0; i < 40; ++i) {
    const Problem p = DrawnProblem(rng, {10, true, true, 5, 16, i % 3 == 0}).make();
    const auto best = plan_classes(p);
    ASSERT_TRUE(best.has_value());
    PlanOptions options;
    options.clock = counting_clock;
    for (const double limit : {0.0, 0.003, 0.01, 0.03, 0.1, 0.3}) {
      options.time_limit_seconds = limit;
      const auto cut = plan_classes(p, options);
      ASSERT_TRUE(cut.has_value()) << cut.error().message;
      for (size_t c = 0; c < best->size(); ++c) {
        const Layout &least = (*best)[c], &made = (*cut)[c];
        ASSERT_TRUE(least.proven_minimal);
        EXPECT_LE(made.lower_bound_bytes, least.arena_bytes) << limit << graph_json(p);
        EXPECT_GE(made.arena_bytes, least.arena_bytes);
        EXPECT_NE(made.time_limited, made.proven_minimal) << limit << graph_json(p);
      }
    }
  }
}

// `in`, branches that read it, and a join of what they make. A branch is one step, or two: then all
// first steps stand before all second ones.
Problem forked(int branches, bool in_two_steps) {
  Problem p;
  p.tensors = {{"in", 64}, {"out", 8}};
  p.inputs = {0};
  p.outputs = {1};
  Step join;
  join.name = "join";
  join.outputs = {1};
  std::vector<Step> second;
  for (int i = 0; i < branches; ++i) {
    int made = static_cast<int>(p.tensors.size());
    const int64_t bytes = in_two_steps ? i * 7919 % 3000 + 1000 : i * 7919 % 1000 + 1;
    p.tensors.push_back({"w" + std::to_string(i), bytes});
    p.steps.push_back({"o" + std::to_string(i), {0}, {made}, 0, {}, {}});
    if (in_two_steps) {
      p.tensors.push_back({"n" + std::to_string(i), i * 104729 % 30 + 1});
      second.push_back({"p" + std::to_string(i), {made}, {made + 1}, 0, {}, {}});
      ++made;
    }
    join.inputs.push_back(made);
  }
  p.steps.insert(p.steps.end(), second.begin(), second.end());
  p.steps.push_back(join);
  return p;
}

TEST(TimeLimit, EndsSoonInWideGraphs) {
  const Problem p = forked(700, false);
  PlanOptions options;
  options.clock = counting_clock;
  options.time_limit_seconds = 0.1;
  looks = 0;
  const auto cut = plan(p, options);
  ASSERT_TRUE(cut.has_value()) << cut.error().message;
  EXPECT_TRUE(cut->time_limited);
  EXPECT_LT(looks, 100u + 4 * p.steps.size());  // once per step and loop when it has passed
  const auto best = plan(p);
  ASSERT_TRUE(best.has_value());
  EXPECT_TRUE(best->proven_minimal);
  EXPECT_LE(cut->lower_bound_bytes, best->arena_bytes);
}

TEST(TimeLimit, FinishesBranchByBranchWhateverTheListing) {
  const Problem p = forked(300, true);
  PlanOptions options;
  options.clock = counting_clock;
  options.time_limit_seconds = 0;
  const auto cut = plan_classes(p, options);
  ASSERT_TRUE(cut.has_value()) << cut.error().message;
  EXPECT_GT((*cut)[0].given_order_peak_bytes, 600'000);
  EXPECT_LT((*cut)[0].arena_bytes, 16'000);
}

// What the search of one class finds out in the time it has is said of the other one too.
TEST(TimeLimit, ClassesAgree) {
  std::mt19937 rng(11);
  for (int i = 0; i < 40; ++i) {
    const Problem p = DrawnProblem(rng, {10, true, true, i % 2 * 4, 16}).make();
    PlanOptions options;
    options.clock = counting_clock;
    for (const double limit : {0.0, 0.01, 0.03, 0.1}) {
      options.time_limit_seconds = limit;
      const auto cut = plan_classes(p, options);
      ASSERT_TRUE(cut.has_value()) << cut.error().message;
      const Layout &plain = cut->front(), &overlap = cut->back();
      EXPECT_GE(plain.lower_bound_bytes, std::min(plain.arena_bytes, overlap.lower_bound_bytes));
      EXPECT_GE(plain.arena_bytes, overlap.arena_bytes);
      const bool none =
          std::ranges::none_of(overlap.steps, [](const LayoutStep& s) { return s.overlap >= 0; });
      EXPECT_TRUE(!none || plain.arena_bytes == overlap.arena_bytes) << limit << graph_json(p);
    }
  }
}

}  // namespace
}  // namespace netkit::plan
