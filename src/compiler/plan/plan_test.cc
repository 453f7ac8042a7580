// SPDX-License-Identifier: MIT
#include "compiler/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
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

struct Shape {
  int max_steps;
  bool scratch, overlaps;
  int views;  // a step may add some while there are fewer
  int64_t alignment;
  bool unread = false;         // inputs that no step reads, and steps that read nothing
  bool scratch_modes = false;  // some modes are there for a little less scratch alone
};

class DrawnProblem {
 public:
  DrawnProblem(std::mt19937& rng, const Shape& shape) : rng_(rng), shape_(shape) {}

  Problem make() {
    p_.alignment = shape_.alignment;
    const int inputs = pick(1, 2);
    for (int i = 0; i < inputs; ++i) p_.inputs.push_back(tensor(bytes(6)));
    const int steps = pick(2, shape_.max_steps);
    for (int s = 0; s < steps; ++s) add_step();
    std::vector<char> read(p_.tensors.size(), 0);
    for (const Step& s : p_.steps) {
      for (const int t : s.inputs) read[t] = 1;
    }
    for (size_t t = 0; t < p_.tensors.size(); ++t) {
      if (!read[t]) p_.outputs.push_back(static_cast<int>(t));
    }
    for (int k = shape_.unread ? pick(1, 2) : 0; k > 0; --k) p_.inputs.push_back(tensor(bytes(9)));
    return p_;
  }

 private:
  int pick(int lo, int hi) {
    return lo + static_cast<int>(rng_() % static_cast<uint32_t>(hi - lo + 1));
  }
  // With an alignment, sizes that are no multiples of it.
  int64_t bytes(int most) { return pick(1, most) * (shape_.alignment > 1 ? 11 : 1); }
  int tensor(int64_t size) {
    p_.tensors.push_back({"t" + std::to_string(p_.tensors.size()), size});
    return static_cast<int>(p_.tensors.size()) - 1;
  }
  int some_tensor() {
    const int count = static_cast<int>(p_.tensors.size());
    return pick(std::max(0, count - 4), count - 1);
  }

  void add_step() {
    Step step;
    step.name = "op" + std::to_string(p_.steps.size());
    if (shape_.unread && pick(0, 2) == 0) {
      step.outputs = {tensor(bytes(7))};
      p_.steps.push_back(step);
      return;
    }
    step.inputs = {some_tensor()};
    if (const int t = some_tensor(); pick(0, 1) == 0 && t != step.inputs[0]) {
      step.inputs.push_back(t);
    }
    if (views_ < shape_.views && pick(0, 2) == 0) {
      step.inputs.size() == 2 ? add_concat(step) : add_split(step);
    } else {
      step.outputs = {tensor(bytes(7))};
      add_modes(step);
    }
    if (shape_.scratch && pick(0, 2) == 0) step.scratch_bytes = bytes(4);
    if (shape_.scratch_modes) make_less_of_scratch(step);
    p_.steps.push_back(step);
  }

  void add_modes(Step& step) {
    for (int k = pick(0, 2); shape_.overlaps && k > 0; --k) {
      Overlap o;
      o.input = pick(0, static_cast<int>(step.inputs.size()) - 1);
      const int way = pick(0, 3);
      if (way != 1) o.forward_bytes = bytes(3) - bytes(1);
      if (way != 0) o.backward_bytes = bytes(3) - bytes(1);
      o.scratch_bytes = pick(0, 1) * bytes(2);
      step.overlaps.push_back(o);
    }
  }

  void make_less_of_scratch(Step& step) {
    if (step.scratch_bytes == 0) step.scratch_bytes = bytes(4);
    for (Overlap& o : step.overlaps) {
      o.scratch_bytes = std::max<int64_t>(0, step.scratch_bytes - pick(0, 5));
      if (pick(0, 1) == 0) continue;
      o.forward_bytes = 1000;  // beyond every output: nothing is shared
      o.backward_bytes.reset();
    }
  }

  void add_concat(Step& step) {
    const int64_t first = p_.tensors[step.inputs[0]].bytes;
    const int64_t at = (first + shape_.alignment - 1) / shape_.alignment * shape_.alignment;
    step.outputs = {tensor(at + p_.tensors[step.inputs[1]].bytes)};
    step.views = {{0, 0, 0}, {1, 0, at}};
    views_ += 2;
  }

  void add_split(Step& step) {
    const int64_t size = p_.tensors[step.inputs[0]].bytes;
    const int64_t half = size / 2 / shape_.alignment * shape_.alignment;
    step.outputs = {tensor(half == 0 ? size : half)};
    step.views = {{0, 0, 0}};
    if (half > 0) {
      step.outputs.push_back(tensor(size - half));
      step.views.push_back({0, 1, half});
    }
    views_ += static_cast<int>(step.views.size());
  }

  std::mt19937& rng_;
  Shape shape_;
  Problem p_;
  int views_ = 0;
};

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

// One tensor with many readers, whose results one step reads.
Problem wide(int readers) {
  Problem p;
  p.tensors = {{"in", 64}, {"out", 8}};
  p.inputs = {0};
  p.outputs = {1};
  Step join;
  join.name = "join";
  join.outputs = {1};
  for (int i = 0; i < readers; ++i) {
    p.tensors.push_back({"t" + std::to_string(i), i * 7919 % 1000 + 1});
    join.inputs.push_back(i + 2);
    Step step;
    step.name = "o" + std::to_string(i);
    step.inputs = {0};
    step.outputs = {i + 2};
    p.steps.push_back(step);
  }
  p.steps.push_back(join);
  return p;
}

TEST(TimeLimit, EndsSoonInWideGraphs) {
  const Problem p = wide(700);
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
