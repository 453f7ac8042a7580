// SPDX-License-Identifier: MIT
// From buffers to an Instance: units, sections, pair distances, loads.
#include "compiler/plan/offsets/instance.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 4;

struct Builder {
  const PlacementProblem& problem;
  const std::vector<int>& members;
  Instance made;
  std::vector<int64_t> times;
  std::vector<int> fixed;
  std::map<std::pair<int, int>, const PairRelaxation*> relaxed;  // by (less, greater) buffer

  const PlacementBuffer& buffer(int i) const { return problem.buffers[static_cast<size_t>(i)]; }
  int64_t alignment_of(int i) const {
    return buffer(i).alignment == 0 ? problem.alignment : buffer(i).alignment;
  }
  const PairRelaxation* relaxation_of(int a, int b) const {
    const auto found = relaxed.find(std::minmax(a, b));
    return found == relaxed.end() ? nullptr : found->second;
  }
  int section_at(int64_t time) const {
    return static_cast<int>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  }

  void choose_unit();
  void cut_sections();
  void make_items();
  void make_arcs();
  void make_pairs();
  void break_cycles();
  void find_loads();
  void add_fixed_obstacles();
  PairRule in_units(PairRule rule) const;
  int64_t most_overlap(int a, int b, const PairRule& rule) const;
};

// Sums of sizes are the only offsets that a canonical placement needs, so the greatest common
// divisor of everything serves as unit when it keeps every alignment.
void Builder::choose_unit() {
  int64_t gcd = 0, least_alignment = 0, most_alignment = 1;
  for (const int i : members) {
    const PlacementBuffer& b = buffer(i);
    least_alignment = std::gcd(least_alignment, alignment_of(i));
    if (most_alignment % alignment_of(i) != 0) {
      most_alignment = alignment_of(i) % most_alignment == 0 ? alignment_of(i) : kFar;
    }
    gcd = std::gcd(gcd, std::gcd(b.bytes, b.min_offset));
    gcd = std::gcd(gcd, b.fixed_offset.value_or(0));
    for (const Interval& f : b.forbidden) gcd = std::gcd(gcd, std::gcd(f.begin, f.end));
    for (const LifeGap& g : b.gaps) {
      gcd = std::gcd(gcd, std::gcd(g.window.begin, g.window.end));
    }
  }
  for (const PairRelaxation& r : problem.relaxations) {
    gcd = std::gcd(gcd, std::gcd(r.forward_bytes.value_or(0), r.backward_bytes.value_or(0)));
  }
  made.unit = gcd > 0 && gcd % most_alignment == 0 ? gcd : least_alignment;
}

void Builder::cut_sections() {
  for (const int i : members) {
    times.push_back(buffer(i).lower);
    times.push_back(buffer(i).upper);
    for (const LifeGap& g : buffer(i).gaps) {
      times.push_back(g.steps.begin);
      times.push_back(g.steps.end);
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  made.sections = static_cast<int>(times.size()) - 1;
}

void merge(std::vector<Interval>* list) {
  std::sort(list->begin(), list->end(),
            [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
  std::vector<Interval> merged;
  for (const Interval& o : *list) {
    if (o.begin >= o.end) continue;
    if (!merged.empty() && o.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, o.end);
    } else {
      merged.push_back(o);
    }
  }
  *list = std::move(merged);
}

void Builder::make_items() {
  const int64_t unit = made.unit;
  for (const int i : members) {
    const PlacementBuffer& b = buffer(i);
    if (b.fixed_offset) {
      fixed.push_back(i);
      continue;
    }
    Item item;
    item.buffer = i;
    item.first_section = section_at(b.lower);
    item.end_section = section_at(b.upper);
    item.bytes = b.bytes;
    item.size = ceil_div(b.bytes, unit);
    item.alignment = std::max<int64_t>(1, alignment_of(i) / std::gcd(alignment_of(i), unit));
    item.least = ceil_div(b.min_offset, unit);
    item.most = b.max_end ? floor_div(*b.max_end - b.bytes, unit) : kFar;
    for (const Interval& f : b.forbidden) {
      if (f.begin == f.end) continue;
      item.obstacles.push_back({floor_div(f.begin - b.bytes, unit) + 1, ceil_div(f.end, unit)});
    }
    std::vector<LifeGap> gaps = b.gaps;
    std::sort(gaps.begin(), gaps.end(),
              [](const LifeGap& x, const LifeGap& y) { return x.steps.begin < y.steps.begin; });
    int from = item.first_section;
    for (const LifeGap& g : gaps) {
      item.segments.push_back({from, section_at(g.steps.begin)});
      from = section_at(g.steps.end);
    }
    item.segments.push_back({from, item.end_section});
    merge(&item.segments);
    made.items.push_back(std::move(item));
  }
  std::stable_sort(made.items.begin(), made.items.end(),
                   [](const Item& x, const Item& y) { return x.first_section < y.first_section; });
}

PairRule Builder::in_units(PairRule rule) const {
  rule.above = ceil_div(rule.above, made.unit);
  rule.below = ceil_div(rule.below, made.unit);
  rule.free = rule.free || rule.above + rule.below <= 1;
  return rule;
}

void Builder::make_arcs() {
  const size_t n = made.items.size();
  made.arcs.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const Item& a = made.items[i];
    for (size_t j = i + 1; j < n && made.items[j].first_section < a.end_section; ++j) {
      const Item& b = made.items[j];
      const PairRule rule =
          in_units(pair_rule(problem, a.buffer, b.buffer, relaxation_of(a.buffer, b.buffer)));
      if (!rule.exact) made.exact = false;
      if (rule.free) continue;
      made.arcs[i].push_back({static_cast<int>(j), rule.above, rule.below});
      made.arcs[j].push_back({static_cast<int>(i), rule.below, rule.above});
    }
  }
}

// Units that a and b can share under the rule (b.offset - a.offset >= above or <= -below).
int64_t Builder::most_overlap(int a, int b, const PairRule& rule) const {
  const int64_t x = ceil_div(buffer(a).bytes, made.unit);
  const int64_t y = ceil_div(buffer(b).bytes, made.unit);
  if (rule.free) return std::min(x, y);
  auto shared = [&](int64_t d) {
    return std::max<int64_t>(0, std::min(x, d + y) - std::max<int64_t>(0, d));
  };
  // Sharing is greatest on the plateau where one holds the other.
  const int64_t low = std::min<int64_t>(0, x - y), high = std::max<int64_t>(0, x - y);
  return std::max(shared(std::max(rule.above, low)), shared(std::min(-rule.below, high)));
}

void Builder::make_pairs() {
  std::map<int, int> item_of;
  for (size_t i = 0; i < made.items.size(); ++i) {
    item_of[made.items[i].buffer] = static_cast<int>(i);
  }
  for (const auto& [ends, relaxation] : relaxed) {
    const auto [a, b] = ends;
    const PairRule rule = in_units(pair_rule(problem, a, b, relaxation));
    const int64_t saving = most_overlap(a, b, rule);
    if (saving == 0) continue;
    const int section = section_at(std::max(buffer(a).lower, buffer(b).lower));
    if (item_of.contains(a) && item_of.contains(b)) {
      const int pair = static_cast<int>(made.pairs.size());
      made.pairs.push_back({item_of[a], item_of[b], section, saving});
      made.items[static_cast<size_t>(item_of[a])].pairs.push_back(pair);
      made.items[static_cast<size_t>(item_of[b])].pairs.push_back(pair);
      continue;
    }
    // Beside a fixed partner, the free one promises no room of its own at that section.
    for (const int end : {a, b}) {
      if (!item_of.contains(end)) continue;
      std::vector<Interval> kept;
      for (const Interval& s : made.items[static_cast<size_t>(item_of[end])].segments) {
        kept.push_back({s.begin, std::min<int64_t>(s.end, section)});
        kept.push_back({std::max<int64_t>(s.begin, section + 1), s.end});
      }
      std::erase_if(kept, [](const Interval& s) { return s.begin >= s.end; });
      made.items[static_cast<size_t>(item_of[end])].segments = std::move(kept);
    }
  }
}

void Builder::add_fixed_obstacles() {
  if (!fixed.empty()) made.fixed.resize(static_cast<size_t>(made.sections));
  for (const int f : fixed) {
    const PlacementBuffer& b = buffer(f);
    const int64_t at = *b.fixed_offset;
    if (b.gaps.empty()) {
      for (int t = section_at(b.lower); t < section_at(b.upper); ++t) {
        made.fixed[static_cast<size_t>(t)].push_back(
            {{floor_div(at, made.unit), ceil_div(at + b.bytes, made.unit)}});
      }
    }
    for (Item& item : made.items) {
      const PairRule rule = pair_rule(problem, f, item.buffer, relaxation_of(f, item.buffer));
      if (!rule.exact) made.exact = false;
      if (rule.free) continue;
      item.obstacles.push_back(
          {floor_div(at - rule.below, made.unit) + 1, ceil_div(at + rule.above, made.unit)});
    }
  }
  for (Item& item : made.items) {
    merge(&item.obstacles);
    item.least = settle(item, item.least);
  }
}

// A placement is built upwards: with a key per item, offset + key never falls. Where an arc's
// distance is negative (an output may begin below its input) keys make up for it; they grow along
// such arcs until no arc points back. A cycle of them (no kernel makes one) has no keys and is
// broken by asking for more distance.
void Builder::break_cycles() {
  const size_t n = made.items.size();
  std::vector<int64_t> keys(n, 0);
  for (size_t round = 0;; ++round) {
    bool changed = false;
    for (size_t i = 0; i < n; ++i) {
      for (Arc& arc : made.arcs[i]) {
        int64_t& other = keys[static_cast<size_t>(arc.other)];
        const int64_t short_by = keys[i] - arc.distance - other;
        if (short_by <= 0) continue;
        if (round > n) {
          arc.distance += short_by;
          for (Arc& reverse : made.arcs[static_cast<size_t>(arc.other)]) {
            if (reverse.other == static_cast<int>(i)) reverse.back = arc.distance;
          }
          made.exact = false;
        } else {
          other += short_by;
        }
        changed = true;
      }
    }
    if (!changed) break;
  }
}

void Builder::find_loads() {
  const auto sections = static_cast<size_t>(made.sections);
  made.load_bytes.assign(sections, 0);
  made.top_slack_bytes.assign(sections, 0);
  for (const int i : members) {
    const PlacementBuffer& b = buffer(i);
    const int64_t size = ceil_div(b.bytes, made.unit);
    const int end = section_at(b.upper);
    for (int t = section_at(b.lower); t < end; ++t) {
      int64_t filled = size;
      for (const LifeGap& g : b.gaps) {
        const int64_t step = times[static_cast<size_t>(t)];
        if (g.steps.begin > step || step >= g.steps.end) continue;
        filled = std::max<int64_t>(
            0, floor_div(g.window.end, made.unit) - ceil_div(g.window.begin, made.unit));
      }
      made.load_bytes[static_cast<size_t>(t)] += filled * made.unit;
      int64_t& slack = made.top_slack_bytes[static_cast<size_t>(t)];
      slack = std::max(slack, size * made.unit - b.bytes);
    }
    made.bound_bytes = std::max(made.bound_bytes, b.fixed_offset.value_or(b.min_offset) + b.bytes);
  }
  for (const auto& [ends, relaxation] : relaxed) {
    const auto [a, b] = ends;
    const int64_t saving = most_overlap(a, b, in_units(pair_rule(problem, a, b, relaxation)));
    const int t = section_at(std::max(buffer(a).lower, buffer(b).lower));
    made.load_bytes[static_cast<size_t>(t)] -= saving * made.unit;
  }
  for (size_t t = 0; t < sections; ++t) {
    made.load_bytes[t] = std::max<int64_t>(0, made.load_bytes[t] - made.top_slack_bytes[t]);
    made.bound_bytes = std::max(made.bound_bytes, made.load_bytes[t]);
  }
  for (const Item& item : made.items) {
    made.bound_bytes = std::max(made.bound_bytes, item.least * made.unit + item.bytes);
  }
}

}  // namespace

Instance make_instance(const PlacementProblem& problem, const std::vector<int>& members,
                       Detail detail) {
  Builder builder{problem, members, {}, {}, {}, {}};
  const std::set<int> inside(members.begin(), members.end());
  for (const PairRelaxation& r : problem.relaxations) {
    if (inside.contains(r.in) && inside.contains(r.out)) {
      builder.relaxed[std::minmax(r.in, r.out)] = &r;
    }
  }
  builder.choose_unit();
  builder.cut_sections();
  builder.make_items();
  if (detail == Detail::kAll) {
    builder.make_arcs();
    builder.make_pairs();
  }
  builder.add_fixed_obstacles();
  if (detail == Detail::kAll) builder.break_cycles();
  builder.find_loads();
  return std::move(builder.made);
}

}  // namespace netkit::plan
