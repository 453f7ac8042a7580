// SPDX-License-Identifier: MIT
#include "compiler/plan/plan.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/plan/check/validate.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/testing/brute.h"

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

struct Shape {
  int max_steps;
  bool scratch, overlaps;
  int64_t alignment;
};

Problem random_problem(std::mt19937& rng, const Shape& shape) {
  const auto pick = [&](int lo, int hi) {
    return lo + static_cast<int>(rng() % static_cast<uint32_t>(hi - lo + 1));
  };
  Problem p;
  p.alignment = shape.alignment;
  const int unit = shape.alignment > 1 ? 7 : 16;
  const int inputs = pick(1, 2);
  for (int i = 0; i < inputs; ++i) {
    p.tensors.push_back({"in" + std::to_string(i), pick(1, 9) * unit});
    p.inputs.push_back(i);
  }
  const int steps = pick(2, shape.max_steps);
  for (int s = 0; s < steps; ++s) {
    Step step;
    step.name = "op" + std::to_string(s);
    const int reads = pick(1, 2);
    for (int r = 0; r < reads; ++r) {
      const int count = static_cast<int>(p.tensors.size());
      const int t = pick(std::max(0, count - 4), count - 1);
      if (step.inputs.empty() || step.inputs[0] != t) step.inputs.push_back(t);
    }
    step.outputs = {static_cast<int>(p.tensors.size())};
    p.tensors.push_back({"t" + std::to_string(s), pick(1, 12) * unit});
    if (shape.scratch && pick(0, 2) == 0) step.scratch_bytes = pick(1, 6) * unit;
    for (int k = pick(0, 2); shape.overlaps && k > 0; --k) {
      Overlap o;
      o.input = pick(0, static_cast<int>(step.inputs.size()) - 1);
      const int way = pick(0, 3);
      if (way != 1) o.forward_bytes = pick(0, 3) * unit;
      if (way != 0) o.backward_bytes = pick(0, 3) * unit;
      o.scratch_bytes = pick(0, 3) * unit;
      step.overlaps.push_back(o);
    }
    p.steps.push_back(step);
  }
  std::vector<char> read(p.tensors.size(), 0);
  for (const Step& s : p.steps) {
    for (const int t : s.inputs) read[t] = 1;
  }
  for (size_t t = 0; t < p.tensors.size(); ++t) {
    if (!read[t]) p.outputs.push_back(static_cast<int>(t));
  }
  return p;
}

void compare_with_brute(uint32_t seed, int count, const Shape& shape) {
  std::mt19937 rng(seed);
  for (int i = 0; i < count; ++i) {
    const Problem p = random_problem(rng, shape);
    const auto l = plan(p);
    ASSERT_TRUE(l.has_value()) << l.error().message << ' ' << graph_json(p);
    ASSERT_EQ(l->classes[0].arena_bytes, testing::Brute(p, false).arena()) << graph_json(p);
    EXPECT_TRUE(l->classes[0].proven_minimal) << graph_json(p);
    if (!shape.overlaps) continue;
    ASSERT_EQ(l->arena_bytes, testing::Brute(p, true).arena()) << graph_json(p);
    EXPECT_TRUE(l->classes.back().proven_minimal) << graph_json(p);
  }
}

TEST(AgainstBruteForce, Plain) { compare_with_brute(1, 300, {10, false, false, 1}); }
TEST(AgainstBruteForce, Scratch) { compare_with_brute(2, 250, {10, true, false, 1}); }

}  // namespace
}  // namespace netkit::plan
