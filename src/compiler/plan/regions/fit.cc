// SPDX-License-Identifier: MIT
// All regions stand in one address space, with a gap between them that no buffer may touch; the
// exact placement does the rest.
#include <fmt/core.h>

#include <algorithm>

#include "compiler/plan/regions/regions.h"
#include "compiler/plan/regions/replace.h"

namespace netkit::plan {
namespace {

constexpr uint64_t kPlaceNodes = 1'000'000;

struct Span {
  int64_t begin = 0, end = 0;
};

bool names(const RegionRule& rule, const LayoutBuffer& buffer) {
  struct Word {
    const char* text;
    BufferKind kind;
  };
  constexpr Word kWords[] = {{"inputs", BufferKind::kInput},
                             {"outputs", BufferKind::kOutput},
                             {"activations", BufferKind::kActivation},
                             {"scratch", BufferKind::kScratch},
                             {"states", BufferKind::kState}};
  if (rule.buffers == "all" || rule.buffers == buffer.name) return true;
  return std::ranges::any_of(
      kWords, [&](const Word& w) { return rule.buffers == w.text && buffer.kind == w.kind; });
}

int64_t up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Where each region's free part stands in the common address space. `open`: the last has no end.
std::vector<Span> spans_of(const std::vector<RegionUse>& uses, int64_t alignment, bool open) {
  std::vector<Span> spans;
  int64_t at = 0;
  for (size_t r = 0; r < uses.size(); ++r) {
    int64_t bytes = std::max<int64_t>(0, uses[r].bytes - uses[r].reserved_bytes);
    if (open && r + 1 == uses.size()) bytes = int64_t{1} << 52;
    spans.push_back({at, at + bytes});
    at = up(at + bytes, alignment) + alignment;
  }
  return spans;
}

// Writes what the rules say into the placement. A buffer that is transferred shares with nobody.
void apply_rules(const Layout& layout, const MemoryMap& map, const std::vector<Span>& spans,
                 Replacement& r) {
  std::vector<std::vector<char>> allowed(r.problem.buffers.size(),
                                         std::vector<char>(spans.size(), 1));
  std::vector<char> alone(r.problem.buffers.size(), 0);
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    if (r.block[b] < 0) continue;
    for (const RegionRule& rule : map.rules) {
      if (!names(rule, layout.buffers[b])) continue;
      for (size_t s = 0; s < spans.size() && !rule.regions.empty(); ++s) {
        const bool listed = std::ranges::count(rule.regions, static_cast<int>(s)) > 0;
        if (!listed) allowed[r.block[b]][s] = 0;
      }
      if (rule.transfer_bytes) {
        PlacementBuffer& block = r.problem.buffers[r.block[b]];
        block.alignment =
            up(std::max<int64_t>(layout.alignment, block.alignment), *rule.transfer_bytes);
        block.bytes = up(block.bytes, *rule.transfer_bytes);
        alone[r.block[b]] = 1;
      }
    }
  }
  for (size_t b = 0; b < r.problem.buffers.size(); ++b) {
    PlacementBuffer& block = r.problem.buffers[b];
    for (size_t s = 0; s < spans.size(); ++s) {
      if (!allowed[b][s] && spans[s].end > spans[s].begin) {
        block.forbidden.push_back({spans[s].begin, spans[s].end});
      }
      if (s + 1 < spans.size()) block.forbidden.push_back({spans[s].end, spans[s + 1].begin});
    }
    block.max_end = spans.back().end;
  }
  std::erase_if(r.problem.relaxations,
                [&](const PairRelaxation& pair) { return alone[pair.in] || alone[pair.out]; });
}

// Region and offset of every buffer, out of the common addresses.
void read_places(const Layout& layout, const std::vector<Span>& spans, const Replacement& r,
                 const Placement& placed, RegionPlan& plan) {
  plan.places.assign(layout.buffers.size(), {0, 0});
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    if (r.block[b] < 0) continue;
    const int64_t begin = placed.offsets[r.block[b]];
    const int64_t end = begin + r.problem.buffers[r.block[b]].bytes;
    size_t s = 0;
    while (s + 1 < spans.size() && begin >= spans[s + 1].begin) ++s;
    plan.places[b] = {static_cast<int>(s), begin - spans[s].begin + r.inside[b]};
    plan.regions[s].plan_bytes = std::max(plan.regions[s].plan_bytes, end - spans[s].begin);
  }
}

RegionPlan as_planned(const Layout& layout, RegionPlan plan) {
  plan.exact_plan = true;
  plan.regions[0].plan_bytes = layout.arena_bytes;
  for (const LayoutBuffer& b : layout.buffers) plan.places.push_back({0, b.offset});
  const int64_t room = plan.regions[0].bytes - plan.regions[0].reserved_bytes;
  const bool none = layout.lower_bound_bytes > room;
  plan.verdict = layout.arena_bytes <= room ? Verdict::kFits
                 : none                     ? Verdict::kProvenNoFit
                                            : Verdict::kNotFound;
  return plan;
}

}  // namespace

Result<RegionPlan> fit_into_regions(const Layout& layout, const MemoryMap& map) {
  RegionPlan plan;
  for (const Region& region : map.regions) {
    RegionUse use{region.name, region.bytes, 0, 0};
    for (const Reservation& part : region.reserved) use.reserved_bytes += part.bytes;
    plan.regions.push_back(std::move(use));
  }
  if (map.regions.size() == 1 && map.rules.empty()) return as_planned(layout, std::move(plan));
  for (const bool open : {false, true}) {
    const std::vector<Span> spans = spans_of(plan.regions, layout.alignment, open);
    Replacement r = replacement_of(layout);
    apply_rules(layout, map, spans, r);
    r.problem.node_budget = kPlaceNodes;
    r.problem.capacity = spans.back().end;
    const auto placed = place(r.problem);
    if (!placed && placed.error().code != ErrorCode::kInput) return std::unexpected(placed.error());
    if (!placed || placed->offsets.empty()) continue;
    read_places(layout, spans, r, *placed, plan);
    plan.verdict = open ? Verdict::kNotFound : Verdict::kFits;
    return plan;
  }
  return plan;
}

}  // namespace netkit::plan
