// SPDX-License-Identifier: MIT
// Bounds of the search: lowest starts of what is left, and the room of each section.
#include <algorithm>

#include "compiler/plan/offsets/search/search.h"

namespace netkit::plan {
namespace {

constexpr uint64_t kFailureWeight = 1024;

}  // namespace

// Forgets the sections still to be checked; false, for the caller to pass on.
bool Search::fail_queue() {
  for (const int t : queue_) sections_[size(t)].waiting = false;
  queue_.clear();
  return false;
}

// u does not stand at its lowest offset, so it stands on some unplaced neighbour.
bool Search::lift(int u) {
  int64_t least = INT64_MAX;
  for (const Arc& arc : instance_.arcs[size(u)]) {
    if (placed_[size(arc.other)]) continue;
    least = std::min(least, least_[size(arc.other)] + arc.back);
  }
  if (least == INT64_MAX) return false;
  return raise(u, std::max(least, least_[size(u)] + 1)) || fail_queue();
}

bool Search::tighten() {
  while (!queue_.empty()) {
    const int t = queue_.back();
    queue_.pop_back();
    Section& s = sections_[size(t)];
    s.waiting = false;
    if (s.plain ? check_plain(t) : check_section(t)) continue;
    s.weight += kFailureWeight;
    return fail_queue();
  }
  return true;
}

int64_t Search::fixed_above(int t, int64_t floor) const {
  if (instance_.fixed.empty()) return 0;
  int64_t sum = 0;
  for (const FixedPart& part : instance_.fixed[size(t)]) {
    sum += std::max<int64_t>(0, part.units.end - std::max(part.units.begin, floor));
  }
  return sum;
}

bool Search::check_section(int t) {
  const Section& s = sections_[size(t)];
  int64_t floor = INT64_MAX;
  int firsts = 0;
  for (int i = 0; i < s.open; ++i) {
    const int u = s.slots[size(i)].item;
    if (excluded(u, t)) continue;
    floor = std::min(floor, least_[size(u)]);
    if (least_[size(u)] <= s.room - s.left) ++firsts;
  }
  set_firsts(t, firsts);
  return floor == INT64_MAX || floor + s.left + fixed_above(t, floor) <= s.room;
}

// Whoever starts above `latest` leaves no room for the rest, so it is not the lowest here.
bool Search::check_plain(int t) {
  const Section& s = sections_[size(t)];
  const int64_t latest = s.room - s.left;
  for (bool changed = s.open > 0; changed;) {
    changed = false;
    int firsts = 0, only = -1;
    int64_t end = INT64_MAX;
    for (int i = 0; i < s.open; ++i) {
      const int u = s.slots[size(i)].item;
      if (least_[size(u)] > latest) continue;
      ++firsts;
      only = u;
      end = std::min(end, least_[size(u)] + item(u).size);
    }
    set_firsts(t, firsts);
    if (firsts == 0) return false;
    if (firsts > 1) only = -1;
    if (!order_section(t, latest, end, only, &changed)) return false;
  }
  return true;
}

// Those that cannot be lowest, or all but the only one that can, stand above the lowest end.
bool Search::order_section(int t, int64_t latest, int64_t end, int only, bool* changed) {
  const Section& s = sections_[size(t)];
  for (int i = 0; i < s.open; ++i) {
    const int u = s.slots[size(i)].item;
    if (least_[size(u)] >= end || u == only) continue;
    if (only < 0 && least_[size(u)] <= latest) continue;
    if (!raise(u, end)) return false;
    *changed = true;
  }
  return true;
}

}  // namespace netkit::plan
