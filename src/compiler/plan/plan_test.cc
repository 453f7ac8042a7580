// SPDX-License-Identifier: MIT
#include "compiler/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "compiler/plan/check/validate.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/testing/brute.h"
#include "compiler/plan/testing/drawn.h"

namespace netkit::plan {
namespace {

constexpr int64_t kKiB = 1024;

// I 16 -> A 32; A -> B 96 -> C 8; A -> D 64 -> E 8; C, E -> F 16 (KiB), in the order of `ops`.
Problem reference(const std::string& ops, int64_t scratch_at_d) {
  const std::string names = "IABCDEF";
  const int64_t sizes[] = {16, 32, 96, 8, 64, 8, 16};
  const std::string reads[] = {"", "I", "A", "B", "A", "D", "CE"};
  Problem p;
  for (size_t i = 0; i < names.size(); ++i) {
    p.tensors.push_back({std::string(1, names[i]), sizes[i] * kKiB});
  }
  const auto index = [&](char c) { return static_cast<int>(names.find(c)); };
  for (const char op : ops) {
    Step s;
    s.name = std::string(1, op);
    for (const char in : reads[index(op)]) s.inputs.push_back(index(in));
    s.outputs = {index(op)};
    s.scratch_bytes = op == 'D' ? scratch_at_d * kKiB : 0;
    p.steps.push_back(s);
  }
  p.inputs = {0};
  p.outputs = {6};
  return p;
}

std::string order_of(const Problem& p, const Layout& l) {
  std::string order;
  for (const LayoutStep& s : l.steps) order += p.steps[s.step].name;
  return order;
}

std::vector<int64_t> live_kib(const Layout& l) {
  std::vector<int64_t> live;
  for (const LayoutStep& s : l.steps) live.push_back(s.live_bytes / kKiB);
  return live;
}

TEST(ReferenceGraph, HasSixOrders) {
  const Problem p = reference("ABCDEF", 0);
  const auto orders = list_orders(p);
  ASSERT_TRUE(orders.has_value());
  ASSERT_EQ(orders->size(), 6u);
  std::map<std::string, std::vector<int64_t>> by_name;
  for (const OrderListing& o : *orders) {
    std::string name;
    for (const int s : o.order) name += p.steps[s].name;
    for (const int64_t bytes : o.live_bytes) by_name[name].push_back(bytes / kKiB);
    EXPECT_EQ(o.peak_bytes, *std::max_element(o.live_bytes.begin(), o.live_bytes.end()));
  }
  EXPECT_EQ(by_name["ABCDEF"], (std::vector<int64_t>{48, 128, 136, 104, 80, 32}));
  EXPECT_EQ(by_name["ABDCEF"], (std::vector<int64_t>{48, 128, 192, 168, 80, 32}));
}

TEST(ReferenceGraph, MinimumIsPlaced) {
  const Problem p = reference("ABDCEF", 0);
  const auto l = plan(p);
  ASSERT_TRUE(l.has_value()) << l.error().message;
  EXPECT_EQ(l->arena_bytes, 139'264);
  EXPECT_EQ(l->lower_bound_bytes, 139'264);
  EXPECT_TRUE(l->proven_minimal);
  EXPECT_EQ(order_of(p, *l), "ABCDEF");
  EXPECT_EQ(live_kib(*l), (std::vector<int64_t>{48, 128, 136, 104, 80, 32}));
  EXPECT_EQ(l->given_order_peak_bytes, 192 * kKiB);
  EXPECT_EQ(l->tensor_sum_bytes, 240 * kKiB);
  EXPECT_EQ(l->largest_tensor_bytes, 96 * kKiB);
}

// u 5, which nothing reads, is there in the first step; with a 4 first 9 are needed, with b 3
// first 8.
TEST(Plan, AnInputWithoutAReaderCountsInTheFirstStep) {
  Problem p;
  p.alignment = 1;
  p.tensors = {{"u", 5}, {"a", 4}, {"b", 3}};
  p.steps.resize(2);
  p.steps[0].name = "o0";
  p.steps[0].outputs = {1};
  p.steps[1].name = "o1";
  p.steps[1].outputs = {2};
  p.inputs = {0};
  p.outputs = {1, 2};
  const auto layout = plan(p, {});
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  EXPECT_EQ(layout->arena_bytes, 8);
  EXPECT_TRUE(layout->proven_minimal);
  EXPECT_EQ(order_of(p, *layout), "o1o0");
  EXPECT_EQ(layout->given_order_peak_bytes, 9);
  const auto orders = list_orders(p);
  ASSERT_TRUE(orders.has_value());
  EXPECT_EQ((*orders)[0].live_bytes, (std::vector<int64_t>{9, 7}));
  EXPECT_EQ((*orders)[1].live_bytes, (std::vector<int64_t>{8, 7}));
}

TEST(ReferenceGraph, GivenOrderIsKept) {
  const Problem p = reference("ABDCEF", 0);
  PlanOptions options;
  options.order = OrderChoice::kGiven;
  const auto l = plan(p, options);
  ASSERT_TRUE(l.has_value());
  EXPECT_EQ(order_of(p, *l), "ABDCEF");
  EXPECT_EQ(l->arena_bytes, 192 * kKiB);
  EXPECT_TRUE(l->proven_minimal);
  EXPECT_EQ(plan(reference("ACBDEF", 0), options).error().code, ErrorCode::kUsage);
}

TEST(ReferenceGraph, ScratchIsPlannedWithTheTensors) {
  PlanOptions given;
  given.order = OrderChoice::kGiven;
  for (const auto& [scratch, arena] : std::map<int64_t, int64_t>{{0, 136}, {32, 136}, {48, 152}}) {
    const auto l = plan(reference("ABCDEF", scratch), given);
    ASSERT_TRUE(l.has_value());
    EXPECT_EQ(l->arena_bytes, arena * kKiB) << scratch;
    EXPECT_TRUE(l->proven_minimal) << scratch;
  }
  const Problem p = reference("ABCDEF", 48);
  const auto free = plan(p);
  ASSERT_TRUE(free.has_value());
  EXPECT_EQ(order_of(p, *free), "ADEBCF");
  EXPECT_EQ(free->arena_bytes, 144 * kKiB);
  EXPECT_TRUE(free->proven_minimal);
}

TEST(ReferenceGraph, RamTargetStopsOrExplains) {
  const Problem p = reference("ABDCEF", 0);
  PlanOptions options;
  options.ram_bytes = 200 * kKiB;
  auto l = plan(p, options);
  ASSERT_TRUE(l.has_value());
  EXPECT_EQ(l->verdict, Verdict::kFits);
  EXPECT_LE(l->arena_bytes, 200 * kKiB);
  options.ram_bytes = 136 * kKiB;
  EXPECT_EQ(plan(p, options)->verdict, Verdict::kFits);
  options.ram_bytes = 136 * kKiB - 1;
  l = plan(p, options);
  ASSERT_TRUE(l.has_value());
  EXPECT_EQ(l->verdict, Verdict::kProvenNoFit);
}

using testing::DrawnProblem;
using testing::Shape;

// plan() has validated its layouts: what is left to show is that nothing smaller exists.
void compare_with_brute(uint32_t seed, int count, const Shape& shape) {
  std::mt19937 rng(seed);
  for (int i = 0; i < count; ++i) {
    const Problem p = DrawnProblem(rng, shape).make();
    const auto layouts = plan_classes(p);
    ASSERT_TRUE(layouts.has_value()) << layouts.error().message << ' ' << graph_json(p);
    for (const Layout& l : *layouts) {
      const bool overlaps = l.plan_class == PlanClass::kOverlap;
      if (overlaps && !shape.overlaps) continue;
      EXPECT_TRUE(l.proven_minimal) << i << ' ' << class_name(l.plan_class) << ' ' << l.arena_bytes
                                    << ' ' << l.lower_bound_bytes << ' ' << graph_json(p);
      ASSERT_FALSE(testing::Brute(p, overlaps).exists(l.arena_bytes - 1))
          << i << ' ' << class_name(l.plan_class) << ' ' << l.arena_bytes << ' ' << graph_json(p);
    }
  }
}

TEST(AgainstBruteForce, Scratch) {
  compare_with_brute(2, 300, {10, true, false, 0, 1});
}
TEST(AgainstBruteForce, Overlap) {
  compare_with_brute(3, 250, {10, true, true, 0, 1});
}
TEST(AgainstBruteForce, Alignment) {
  compare_with_brute(4, 200, {10, true, true, 0, 16});
}
TEST(AgainstBruteForce, ModesForScratch) {
  compare_with_brute(8, 120, {7, true, true, 0, 16, false, true});
  compare_with_brute(9, 120, {7, true, true, 0, 1, false, true});
}
TEST(AgainstBruteForce, Views) {
  compare_with_brute(5, 250, {6, true, true, 3, 16});
}

// Too many views to try every set of them.
TEST(AgainstBruteForce, ManyViews) {
  compare_with_brute(7, 50, {7, true, true, 7, 16});
}

TEST(AgainstBruteForce, InputsThatNothingReads) {
  compare_with_brute(8, 150, {7, true, true, 0, 1, false, true});
  compare_with_brute(9, 100, {7, true, true, 2, 16, true});
}

// A chain of so many reshapes, and the check of its plan, take steps times steps at most.
TEST(Plan, LongChainsOfViewsAreOneBuffer) {
  Problem p;
  p.tensors = {{"t0", 64}};
  p.inputs = {0};
  for (int i = 0; i < 1500; ++i) {
    p.tensors.push_back({"t" + std::to_string(i + 1), 64});
    p.steps.push_back({"o" + std::to_string(i), {i}, {i + 1}, 0, {}, {{0, 0, 0}}});
  }
  p.outputs = {1500};
  const auto layout = plan(p);
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  EXPECT_EQ(layout->arena_bytes, 64);
  EXPECT_TRUE(layout->proven_minimal);
}

// The decision itself: at the planned size it finds a plan.
TEST(AgainstBruteForce, FindsWhatExists) {
  std::mt19937 rng(6);
  for (int i = 0; i < 40; ++i) {
    const Problem p = DrawnProblem(rng, {7, true, true, 3, 16}).make();
    const auto l = plan(p);
    ASSERT_TRUE(l.has_value());
    EXPECT_TRUE(testing::Brute(p, true).exists(l->arena_bytes)) << graph_json(p);
  }
}

}  // namespace
}  // namespace netkit::plan
