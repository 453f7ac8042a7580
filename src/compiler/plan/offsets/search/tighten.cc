// SPDX-License-Identifier: MIT
// Bounds of the search: lowest starts of what is left, and the room of each section.
#include <algorithm>

#include "compiler/plan/offsets/search/search.h"

namespace netkit::plan {

bool Search::raise(int u, int64_t least) {
  if (least <= least_[size(u)]) return true;
  trail_.push_back({u, least_[size(u)]});
  least_[size(u)] = settle(item(u), least);
  return least_[size(u)] <= most_[size(u)];
}

// An item that was passed over at its lowest offset ends up above some other unplaced one.
bool Search::lift(int u, Step last) {
  int64_t least = INT64_MAX;
  for (const Arc& arc : instance_.arcs[size(u)]) {
    const int v = arc.other;
    if (placed_[size(v)]) continue;
    const int64_t start = std::max(least_[size(v)], last.level - item(v).key);
    least = std::min(least, start + arc.back);
  }
  return least != INT64_MAX && raise(u, least);
}

bool Search::lift_skipped(int begin, int end, Step last) {
  for (int i = begin; i < end; ++i) {
    const int u = list_[size(i)];
    const int twin = twin_[size(u)];
    if (twin >= 0 && !placed_[size(twin)] && !raise(u, least_[size(twin)] + item(u).size)) {
      return false;
    }
    if (skipped(u, last) && !lift(u, last)) return false;
  }
  return true;
}

void Search::find_floors(int begin, int end, int from, int to) {
  std::fill(floor_.begin() + from, floor_.begin() + to, Floor{});
  for (int i = begin; i < end; ++i) {
    const int u = list_[size(i)];
    const Item& x = item(u);
    const int64_t least = least_[size(u)];
    for (const Interval& s : x.segments) {
      for (int64_t t = s.begin; t < s.end; ++t) {
        if (!x.pairs.empty() && excluded(u, static_cast<int>(t))) continue;
        Floor& floor = floor_[static_cast<size_t>(t)];
        if (least < floor.first) {
          floor = {least, floor.first, u};
        } else if (least < floor.second) {
          floor.second = least;
        }
      }
    }
  }
}

int64_t Search::fixed_above(int t, int64_t floor) const {
  if (instance_.fixed.empty()) return 0;
  int64_t sum = 0;
  for (const FixedPart& part : instance_.fixed[size(t)]) {
    sum += std::max<int64_t>(0, part.units.end - std::max(part.units.begin, floor));
  }
  return sum;
}

// When one item alone can be lowest in the section, the others stand above it.
bool Search::order_section(int t, bool* again) {
  const Floor& floor = floor_[size(t)];
  const int64_t latest = room_[size(t)] - left_[size(t)];
  const int64_t end = floor.first + item(floor.lowest).size;
  if (floor.second <= latest || floor.second >= end) return true;
  for (const int u : in_section_[size(t)]) {
    if (placed_[size(u)] || u == floor.lowest || least_[size(u)] >= end) continue;
    if (!raise(u, end)) return false;
    *again = true;
  }
  return true;
}

bool Search::check_sections(int begin, int end, bool* again) {
  int from = instance_.sections, to = 0;
  for (int i = begin; i < end; ++i) {
    from = std::min(from, item(list_[size(i)]).first_section);
    to = std::max(to, item(list_[size(i)]).end_section);
  }
  find_floors(begin, end, from, to);
  for (int t = from; t < to; ++t) {
    const int64_t floor = floor_[size(t)].first;
    if (floor == INT64_MAX) continue;
    if (floor + left_[size(t)] + fixed_above(t, floor) > room_[size(t)]) {
      ++failures_[size(t)];
      return false;
    }
  }
  for (int t = from; t < to; ++t) {
    if (floor_[size(t)].first == INT64_MAX || !pairs_at_[size(t)].empty()) continue;
    if (!instance_.fixed.empty() && !instance_.fixed[size(t)].empty()) continue;
    if (!order_section(t, again)) {
      ++failures_[size(t)];
      return false;
    }
  }
  return true;
}

bool Search::tighten(int begin, int end, Step last) {
  if (!lift_skipped(begin, end, last)) return false;
  for (bool again = true; again;) {
    again = false;
    if (!check_sections(begin, end, &again)) return false;
  }
  return true;
}

}  // namespace netkit::plan
