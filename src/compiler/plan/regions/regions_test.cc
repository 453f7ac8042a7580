// SPDX-License-Identifier: MIT
// Plans in memory maps and in shared arenas: known answers, and what holds for every answer.
#include "compiler/plan/regions/regions.h"

#include <gtest/gtest.h>

#include "compiler/plan/io/json.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/regions/share.h"

namespace netkit::plan {
namespace {

constexpr int64_t kKibibyte = 1024;

struct PlannedRegions {
  Problem problem;
  Layout layout;
};

// The graph of docs/tutorial-planner.md, sizes in KiB; D with scratch.
PlannedRegions reference(int64_t scratch_kib, OrderChoice order = OrderChoice::kBest,
                         bool d_before_c = false) {
  PlannedRegions p;
  const int64_t sizes[] = {16, 32, 96, 8, 64, 8, 16};
  for (int t = 0; t < 7; ++t) {
    p.problem.tensors.push_back({std::string(1, "IABCDEF"[t]), sizes[t] * kKibibyte});
  }
  p.problem.steps = {{"A", {0}, {1}, 0, {}, {}}, {"B", {1}, {2}, 0, {}, {}},
                     {"C", {2}, {3}, 0, {}, {}}, {"D", {1}, {4}, scratch_kib * kKibibyte, {}, {}},
                     {"E", {4}, {5}, 0, {}, {}}, {"F", {3, 5}, {6}, 0, {}, {}}};
  if (d_before_c) std::swap(p.problem.steps[2], p.problem.steps[3]);
  p.problem.inputs = {0};
  p.problem.outputs = {6};
  PlanOptions options;
  options.order = order;
  const auto layout = plan(p.problem, options);
  EXPECT_TRUE(layout.has_value());
  p.layout = *layout;
  return p;
}

MemoryMap board(int64_t kib) {
  return {{{"SRAM",
            kib * kKibibyte,
            {{"persistent", 24 * kKibibyte},
             {"stack and services", 32 * kKibibyte},
             {"acquisition", 2 * 16 * kKibibyte}}}},
          {},
          std::nullopt};
}

RegionPlan fit(const Layout& layout, const MemoryMap& map) {
  const auto plan = fit_into_regions(layout, map);
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
  return plan ? *plan : RegionPlan();
}

TEST(Regions, ReferenceFigures) {
  const RegionPlan best = fit(reference(0).layout, board(256));
  EXPECT_EQ(best.verdict, Verdict::kFits);
  EXPECT_EQ(best.regions[0].used_bytes(), 224 * kKibibyte);
  EXPECT_EQ(best.regions[0].free_bytes(), 32 * kKibibyte);
  const RegionPlan worst = fit(reference(0, OrderChoice::kGiven, true).layout, board(256));
  EXPECT_EQ(worst.verdict, Verdict::kProvenNoFit);
  EXPECT_EQ(worst.regions[0].used_bytes(), 280 * kKibibyte);
  EXPECT_EQ(worst.regions[0].short_bytes(), 24 * kKibibyte);
  const RegionPlan scratch = fit(reference(48).layout, board(256));
  EXPECT_EQ(scratch.verdict, Verdict::kFits);
  EXPECT_EQ(scratch.regions[0].used_bytes(), 232 * kKibibyte);
}

bool alive_together(const LayoutBuffer& a, const LayoutBuffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

// No plan of the reference graph has overlaps or views, so what lives together is disjoint.
void expect_sound(const Layout& layout, const RegionPlan& plan) {
  ASSERT_EQ(plan.places.size(), layout.buffers.size());
  for (size_t a = 0; a < layout.buffers.size(); ++a) {
    const BufferPlace& x = plan.places[a];
    const int64_t end = x.offset + layout.buffers[a].bytes;
    EXPECT_LE(end, plan.regions[x.region].bytes - plan.regions[x.region].reserved_bytes);
    EXPECT_LE(end, plan.regions[x.region].plan_bytes);
    EXPECT_EQ(x.offset % layout.alignment, 0);
    for (size_t b = 0; b < a; ++b) {
      const BufferPlace& y = plan.places[b];
      if (x.region != y.region || !alive_together(layout.buffers[a], layout.buffers[b])) continue;
      EXPECT_TRUE(end <= y.offset || y.offset + layout.buffers[b].bytes <= x.offset)
          << layout.buffers[a].name << " " << layout.buffers[b].name;
    }
  }
}

int region_of(const Layout& layout, const RegionPlan& plan, const std::string& name) {
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    if (layout.buffers[b].name == name) return plan.places[b].region;
  }
  return -1;
}

TEST(Regions, TwoRegionsAndRules) {
  const PlannedRegions p = reference(48);
  MemoryMap map = {
      {{"fast", 64 * kKibibyte, {{"stack", 5000}}}, {"slow", 128 * kKibibyte, {}}}, {}, {}};
  RegionPlan plan = fit(p.layout, map);
  ASSERT_EQ(plan.verdict, Verdict::kFits);
  expect_sound(p.layout, plan);
  map.rules = {{"inputs", {1}, 32}, {"F", {1}, std::nullopt}, {"scratch", {0}, std::nullopt}};
  plan = fit(p.layout, map);
  ASSERT_EQ(plan.verdict, Verdict::kFits);
  expect_sound(p.layout, plan);
  EXPECT_EQ(region_of(p.layout, plan, "I"), 1);
  EXPECT_EQ(region_of(p.layout, plan, "F"), 1);
  EXPECT_EQ(region_of(p.layout, plan, "D.scratch"), 0);
  EXPECT_EQ(region_of(p.layout, plan, "B"), 1);  // larger than the fast region
}

TEST(Regions, ATransferredBufferSharesNoPiece) {
  Problem problem;
  problem.alignment = 4;
  problem.tensors = {{"in", 100}, {"mid", 60}, {"out", 20}};
  problem.steps = {{"a", {0}, {1}, 0, {{0, 0, 0, std::nullopt, 0, 1}}, {}},
                   {"b", {1}, {2}, 0, {}, {}}};
  problem.inputs = {0};
  problem.outputs = {2};
  const auto layout = plan(problem);
  ASSERT_TRUE(layout.has_value());
  ASSERT_EQ(layout->arena_bytes, 100);  // mid over in
  const RegionPlan plan = fit(*layout, {{{"ram", 400, {}}}, {{"inputs", {}, 64}}, {}});
  ASSERT_EQ(plan.verdict, Verdict::kFits);
  const int in = layout->tensor_buffer[0], mid = layout->tensor_buffer[1];
  EXPECT_EQ(plan.places[in].offset % 64, 0);
  EXPECT_TRUE(plan.places[mid].offset >= plan.places[in].offset + 128 ||
              plan.places[mid].offset + 60 <= plan.places[in].offset);
}

TEST(Regions, TooSmallSaysByHowMuch) {
  const PlannedRegions p = reference(0);
  const MemoryMap two = {{{"fast", 16 * kKibibyte, {}}, {"slow", 100 * kKibibyte, {}}}, {}, {}};
  const RegionPlan plan = fit(p.layout, two);
  EXPECT_EQ(plan.verdict, Verdict::kProvenNoFit);  // 116 KiB are less than the bound of 136
  EXPECT_EQ(plan.regions[1].short_bytes(), 28 * kKibibyte);  // A and B do not fit into `fast`
  // 137 KiB would do in one piece; B fills the second region, A and C do not fit into the first.
  const MemoryMap open = {{{"fast", 36 * kKibibyte, {}}, {"slow", 101 * kKibibyte, {}}}, {}, {}};
  EXPECT_EQ(fit(p.layout, open).verdict, Verdict::kNotFound);
  const MemoryMap none = {
      {{"fast", 16 * kKibibyte, {}}, {"slow", 100 * kKibibyte, {}}}, {{"B", {0}, {}}}, {}};
  EXPECT_EQ(fit(p.layout, none).verdict, Verdict::kProvenNoFit);
  EXPECT_TRUE(fit(p.layout, none).places.empty());
}

TEST(Regions, WhatCannotFitIsProvenByItsRules) {
  Problem problem;
  problem.alignment = 16;
  problem.tensors = {{"a", 100}, {"b", 100}, {"y", 20}};
  problem.steps = {{"f", {0, 1}, {2}, 0, {}, {}}};
  problem.inputs = {0, 1};
  problem.outputs = {2};
  const auto layout = plan(problem);
  ASSERT_TRUE(layout.has_value());
  const std::vector<Region> regions = {{"fast", 150, {}}, {"slow", 1000, {{"stack", 900}}}};
  EXPECT_EQ(fit(*layout, {regions, {}, {}}).verdict, Verdict::kFits);
  // Both live at the start, and only one of them fits there.
  EXPECT_EQ(fit(*layout, {regions, {{"inputs", {0}, {}}}, {}}).verdict, Verdict::kProvenNoFit);
  // Its pieces make it too large for any region.
  EXPECT_EQ(fit(*layout, {regions, {{"a", {}, 512}}, {}}).verdict, Verdict::kProvenNoFit);
  // a and y fill the first region in any order; this is not looked into.
  EXPECT_EQ(fit(*layout, {regions, {{"a", {0}, {}}, {"y", {0}, 64}}, {}}).verdict,
            Verdict::kNotFound);
}

TEST(MemoryMaps, BrokenTextIsNamed) {
  struct Case {
    const char* text;
    const char* where;
  };
  const Case cases[] = {
      {"{", ""},
      {"[]", ""},
      {R"({"format":"netkit-graph/1"})", "format"},
      {R"({"format":"netkit-memory/1"})", "memory map"},
      {R"({"format":"netkit-memory/1","regions":[3]})", "memory map"},
      {R"({"format":"netkit-memory/1","regions":[{"name":"a","bytes":-1}]})", "regions[0].bytes"},
      {R"({"format":"netkit-memory/1","regions":[{"name":"a","bytes":1.5}]})", "regions[0].bytes"},
      {R"({"format":"netkit-memory/1","regions":[{"name":"a","bytes":8,
        "reserved":[{"what":"x","bytes":1e15,"count":1e6}]}]})",
       "regions[0].reserved[0]"},
      {R"({"format":"netkit-memory/1","regions":[{"name":"a","bytes":8,
        "reserved":[{"what":"x","bytes":4},{"what":"y","bytes":5}]}]})",
       "regions[0]"},
      {R"({"format":"netkit-memory/1","regions":[{"name":"a","bytes":8}],
        "rules":[{"buffers":"inputs","regions":["b"]}]})",
       "rules[0]"},
      {R"({"format":"netkit-memory/1","regions":[{"name":"a","bytes":8}],
        "rules":[{"buffers":"inputs","transfer_bytes":0}]})",
       "rules[0].transfer_bytes"}};
  for (const Case& c : cases) {
    const auto map = parse_memory_map(c.text);
    ASSERT_FALSE(map.has_value()) << c.text;
    EXPECT_EQ(map.error().where, c.where) << map.error().message;
  }
}

// A chain of two steps around a state.
PlannedRegions with_state(int64_t state_bytes, int64_t wide_bytes) {
  PlannedRegions p;
  p.problem.tensors = {{"in", 256}, {"s", state_bytes}, {"wide", wide_bytes}, {"out", 128}};
  p.problem.steps = {{"x", {0, 1}, {2}, 64, {}, {}}, {"y", {2}, {3}, 0, {}, {}}};
  p.problem.inputs = {0};
  p.problem.outputs = {3};
  p.problem.states = {1};
  const auto layout = plan(p.problem);
  EXPECT_TRUE(layout.has_value());
  p.layout = *layout;
  return p;
}

TEST(Sharing, ExclusiveIsTheLargestAndConcurrentTheSum) {
  const PlannedRegions a = reference(0), b = reference(48);
  const std::vector<SharedPart> parts = {{"a", &a.problem, &a.layout},
                                         {"b", &b.problem, &b.layout}};
  const auto exclusive = share_arena(parts, Sharing::kExclusive);
  ASSERT_TRUE(exclusive.has_value());
  EXPECT_EQ(exclusive->layout.arena_bytes, 144 * kKibibyte);
  EXPECT_TRUE(exclusive->layout.proven_minimal);
  EXPECT_EQ(exclusive->layout.buffers[0].name.substr(0, 2), "a:");
  const auto concurrent = share_arena(parts, Sharing::kConcurrent);
  ASSERT_TRUE(concurrent.has_value());
  EXPECT_EQ(concurrent->layout.arena_bytes, (136 + 144) * kKibibyte);
  EXPECT_TRUE(concurrent->layout.proven_minimal);
}

// Parts of 42, 48 and 34 bytes: what is rounded up stands on top, in whichever sequence.
TEST(Sharing, ConcurrentLosesNothingByRoundingInAnySequence) {
  std::vector<PlannedRegions> parts(3);
  for (size_t i = 0; i < parts.size(); ++i) {
    Problem& p = parts[i].problem;
    p.tensors = {{"in", 32}, {"out", std::vector<int64_t>{10, 16, 2}[i]}};
    p.steps = {{"x", {0}, {1}, 0, {}, {}}};
    p.inputs = {0};
    p.outputs = {1};
    const auto layout = plan(p);
    ASSERT_TRUE(layout.has_value());
    parts[i].layout = *layout;
  }
  std::vector<size_t> sequence = {0, 1, 2};
  do {
    std::vector<SharedPart> given;
    for (const size_t i : sequence) {
      given.push_back({std::to_string(i), &parts[i].problem, &parts[i].layout});
    }
    const auto shared = share_arena(given, Sharing::kConcurrent);
    ASSERT_TRUE(shared.has_value());
    EXPECT_EQ(shared->layout.arena_bytes, 48 + 48 + 34);
    EXPECT_TRUE(shared->layout.proven_minimal) << shared->layout.lower_bound_bytes;
  } while (std::ranges::next_permutation(sequence).found);
}

void expect_states_live_on(int64_t a_bytes, int64_t b_bytes) {
  const PlannedRegions a = with_state(a_bytes, 1024), b = with_state(b_bytes, 2048);
  const auto shared = share_arena({{"a", &a.problem, &a.layout}, {"b", &b.problem, &b.layout}},
                                  Sharing::kExclusive);
  ASSERT_TRUE(shared.has_value());
  const Layout& layout = shared->layout;
  EXPECT_GE(layout.arena_bytes, a_bytes + b.layout.arena_bytes);
  EXPECT_LE(layout.arena_bytes, 512 + b.layout.arena_bytes);
  EXPECT_TRUE(layout.proven_minimal) << layout.arena_bytes << ' ' << layout.lower_bound_bytes;
  EXPECT_TRUE(parse_plan(plan_json(shared->problem, layout)));
  for (size_t x = 0; x < layout.buffers.size(); ++x) {
    const LayoutBuffer& p = layout.buffers[x];
    EXPECT_LE(p.offset + p.bytes, layout.arena_bytes);
    for (size_t y = 0; y < x; ++y) {
      const LayoutBuffer& q = layout.buffers[y];
      if (!alive_together(p, q)) continue;
      EXPECT_TRUE(p.offset + p.bytes <= q.offset || q.offset + q.bytes <= p.offset)
          << p.name << " " << q.name;
    }
  }
}

TEST(Sharing, StatesLiveOnWhileTheOtherRuns) {
  expect_states_live_on(512, 1024);
  expect_states_live_on(8, 8);  // less than the alignment
}

}  // namespace
}  // namespace netkit::plan
