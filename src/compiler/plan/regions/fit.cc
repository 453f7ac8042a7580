// SPDX-License-Identifier: MIT
// All regions stand in one address space, with a gap between them that no buffer may touch; the
// exact placement does the rest.
#include <fmt/core.h>

#include <algorithm>

#include "compiler/plan/regions/regions.h"
#include "compiler/plan/regions/replace.h"
#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

struct Span {
  int64_t begin = 0, end = 0;
};

struct Word {
  std::string_view text;
  BufferKind kind;
};
constexpr Word kWords[] = {{"inputs", BufferKind::kInput},
                           {"outputs", BufferKind::kOutput},
                           {"activations", BufferKind::kActivation},
                           {"scratch", BufferKind::kScratch},
                           {"states", BufferKind::kState}};

// A rule for one buffer is a rule for one that there is.
Result<void> check_rules(const Layout& layout, const MemoryMap& map) {
  for (size_t i = 0; i < map.rules.size(); ++i) {
    const std::string& name = map.rules[i].buffers;
    const bool word =
        name == "all" || std::ranges::find(kWords, name, &Word::text) != std::end(kWords);
    if (word ||
        std::ranges::find(layout.buffers, name, &LayoutBuffer::name) != layout.buffers.end()) {
      continue;
    }
    return bad_input(fmt::format("no buffer is called '{}'", name),
                     fmt::format("rules[{}].buffers", i),
                     "write inputs, outputs, activations, scratch, states, all or a buffer's name; "
                     "netkit plan MODEL --json lists the buffers");
  }
  return {};
}

bool names(const RegionRule& rule, const LayoutBuffer& buffer) {
  if (rule.buffers == "all" || rule.buffers == buffer.name) return true;
  return std::ranges::any_of(
      kWords, [&](const Word& w) { return rule.buffers == w.text && buffer.kind == w.kind; });
}

// Where each region's free part stands in the common address space. `open`: the last has no end.
std::vector<Span> spans_of(const std::vector<RegionUse>& uses, int64_t alignment, bool open) {
  std::vector<Span> spans;
  int64_t at = 0;
  for (size_t r = 0; r < uses.size(); ++r) {
    int64_t bytes = std::max<int64_t>(0, uses[r].bytes - uses[r].reserved_bytes);
    if (open && r + 1 == uses.size()) bytes = int64_t{1} << 52;
    spans.push_back({at, at + bytes});
    at = round_up(at + bytes, alignment) + alignment;
  }
  return spans;
}

// The regions in which a buffer may live, and what its pieces make of its size.
struct Demand {
  std::vector<char> allowed;  // per region
  int64_t bytes = 0;
};

Demand demand_of(const LayoutBuffer& buffer, const MemoryMap& map) {
  Demand demand{std::vector<char>(map.regions.size(), 1), buffer.bytes};
  for (const RegionRule& rule : map.rules) {
    if (!names(rule, buffer)) continue;
    if (rule.transfer_bytes) demand.bytes = round_up(demand.bytes, *rule.transfer_bytes);
    for (size_t s = 0; s < map.regions.size() && !rule.regions.empty(); ++s) {
      if (std::ranges::count(rule.regions, static_cast<int>(s)) == 0) demand.allowed[s] = 0;
    }
  }
  return demand;
}

// At least so many bytes that a plan over regions of such rooms could have in one arena: one above
// the other, the one that ends least evenly on top.
int64_t stacked(const std::vector<int64_t>& rooms, const std::vector<char>& allowed,
                int64_t alignment) {
  int64_t sum = 0, waste = 0;
  for (size_t s = 0; s < rooms.size(); ++s) {
    if (!allowed[s]) continue;
    sum += round_up(rooms[s], alignment);
    waste = std::max(waste, round_up(rooms[s], alignment) - rooms[s]);
  }
  return sum - waste;
}

// No plan of the layout's class fits, in any order: all regions together are smaller than the
// bound; or a buffer is larger than each region that it may live in; or the inputs and states,
// which all live at the start, are more than the regions that they may live in hold.
bool cannot_fit(const Layout& layout, const MemoryMap& map, const std::vector<RegionUse>& uses) {
  std::vector<int64_t> rooms;
  for (const RegionUse& use : uses) {
    rooms.push_back(std::max<int64_t>(0, use.bytes - use.reserved_bytes));
  }
  const std::vector<char> everywhere(rooms.size(), 1);
  if (layout.lower_bound_bytes > stacked(rooms, everywhere, layout.alignment)) return true;
  std::vector<Demand> at_start;
  for (const LayoutBuffer& buffer : layout.buffers) {
    if (buffer.kind == BufferKind::kScratch || buffer.bytes == 0) continue;
    Demand demand = demand_of(buffer, map);
    bool held = false;
    for (size_t s = 0; s < rooms.size(); ++s) {
      held = held || (demand.allowed[s] && demand.bytes <= rooms[s]);
    }
    if (!held) return true;
    const bool starts = buffer.kind == BufferKind::kInput || buffer.kind == BufferKind::kState;
    if (starts) at_start.push_back(std::move(demand));
  }
  return std::ranges::any_of(at_start, [&](const Demand& among) {
    int64_t sum = 0;
    for (const Demand& d : at_start) {
      bool inside = true;
      for (size_t s = 0; s < rooms.size(); ++s) {
        inside = inside && (among.allowed[s] || !d.allowed[s]);
      }
      if (inside) sum += d.bytes;
    }
    return sum > stacked(rooms, among.allowed, layout.alignment);
  });
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
            round_up(std::max<int64_t>(layout.alignment, block.alignment), *rule.transfer_bytes);
        block.bytes = round_up(block.bytes, *rule.transfer_bytes);
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
  NK_TRY(check_rules(layout, map));
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
    if (open) break;
    plan.verdict = Verdict::kFits;
    return plan;
  }
  const bool none = cannot_fit(layout, map, plan.regions);
  plan.verdict = none ? Verdict::kProvenNoFit : Verdict::kNotFound;
  return plan;
}

}  // namespace netkit::plan
