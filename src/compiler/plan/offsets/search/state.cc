// SPDX-License-Identifier: MIT
// The state of a search: its setup, and the changes that a branch makes and undoes.
#include <algorithm>
#include <numeric>

#include "compiler/plan/offsets/search/search.h"
#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

constexpr uint64_t kWeightOne = 1024;

bool same_range(const Item& x, const Item& y) {
  return x.first_section == y.first_section && x.end_section == y.end_section &&
         x.bytes == y.bytes && x.alignment == y.alignment && x.least == y.least && x.most == y.most;
}

// Two items that can be exchanged in any placement.
bool equal_items(const Item& x, const Item& y) {
  return same_range(x, y) && x.segments.size() == 1 && y.segments.size() == 1 &&
         x.segments[0].begin == y.segments[0].begin && x.segments[0].end == y.segments[0].end &&
         x.obstacles.empty() && y.obstacles.empty() && x.pairs.empty() && y.pairs.empty();
}

// Sections whose bounds say more than those of a neighbour: whose items are not all found there.
std::vector<char> telling_sections(const Instance& instance) {
  const auto sections = static_cast<size_t>(instance.sections);
  std::vector<char> plain(sections, 1), begins(sections + 1, 0), ends(sections + 1, 0);
  for (const OverlapPair& pair : instance.pairs) plain[static_cast<size_t>(pair.section)] = 0;
  for (size_t t = 0; t < sections; ++t) {
    const bool fixed = !instance.fixed.empty() && !instance.fixed[t].empty();
    if (fixed || instance.top_slack_bytes[t] > 0) plain[t] = 0;
  }
  for (const Item& item : instance.items) {
    for (const Interval& s : item.segments) {
      begins[static_cast<size_t>(s.begin)] = 1;
      ends[static_cast<size_t>(s.end)] = 1;
    }
  }
  std::vector<char> telling(sections, 1);
  bool news = true;  // something began since the last telling section
  for (size_t t = 0; t < sections; ++t) {
    news = news || begins[t] || (t > 0 && !plain[t - 1]);
    const bool last = t + 1 == sections || ends[t + 1] || !plain[t + 1];
    telling[t] = !plain[t] || (news && last);
    if (telling[t]) news = false;
  }
  return telling;
}

}  // namespace

Search::Search(const Instance& instance) : instance_(instance) {
  const size_t n = instance.items.size();
  sections_.resize(size(instance.sections));
  const std::vector<char> telling = telling_sections(instance);
  for (size_t i = 0; i < n; ++i) {
    first_incidence_.push_back(static_cast<int>(incidences_.size()));
    for (const Interval& s : instance.items[i].segments) {
      for (int64_t t = s.begin; t < s.end; ++t) {
        if (!telling[static_cast<size_t>(t)]) continue;
        Section& section = sections_[static_cast<size_t>(t)];
        section.slots.push_back({static_cast<int>(i), static_cast<int>(incidences_.size())});
        incidences_.emplace_back(static_cast<int>(t), static_cast<int>(section.slots.size()) - 1);
      }
    }
  }
  first_incidence_.push_back(static_cast<int>(incidences_.size()));
  for (size_t p = 0; p < instance.pairs.size(); ++p) {
    sections_[size(instance.pairs[p].section)].pairs.push_back(static_cast<int>(p));
  }
  for (size_t t = 0; t < sections_.size(); ++t) {
    sections_[t].plain =
        sections_[t].pairs.empty() && (instance.fixed.empty() || instance.fixed[t].empty());
    sections_[t].weight = kWeightOne;
  }
  for (std::vector<int64_t>* v : {&least_, &most_, &offset_, &base_}) v->resize(n);
  placed_.resize(n);
  list_.resize(n);
  find_twins();
}

void Search::find_twins() {
  twin_after_.assign(instance_.items.size(), -1);
  for (size_t i = 0; i < twin_after_.size(); ++i) {
    for (size_t j = i; j-- > 0;) {
      if (instance_.items[j].first_section != instance_.items[i].first_section) break;
      if (!equal_items(instance_.items[i], instance_.items[j])) continue;
      twin_after_[j] = static_cast<int>(i);
      break;
    }
  }
}

// False when the height is below what a single item needs.
bool Search::reset(int64_t height_bytes, const TryOrder& order) {
  if (height_bytes > height_bytes_) failed_.clear();  // what failed lower may fit higher
  height_bytes_ = height_bytes;
  rank_ = order.rank;
  lowest_first_ = order.lowest_first;
  std::iota(list_.begin(), list_.end(), 0);
  std::fill(placed_.begin(), placed_.end(), 0);
  for (const int t : queue_) sections_[size(t)].waiting = false;
  queue_.clear();
  trail_.clear();
  parts_.clear();
  open_keys_.clear();
  const int64_t unit = instance_.unit;
  for (int t = 0; t < instance_.sections; ++t) {
    Section& s = sections_[size(t)];
    s.open = static_cast<int>(s.slots.size());
    s.room = floor_div(height_bytes + instance_.top_slack_bytes[size(t)], unit);
    s.left = remainder_of(t);
    s.firsts = 0;
    s.weight = kWeightOne + (s.weight - kWeightOne) / 20 * 19;  // old failures count for less
    touch(t);
  }
  bool fits = true;
  for (size_t i = 0; i < list_.size(); ++i) {
    const Item& x = instance_.items[i];
    most_[i] = std::min(x.most, floor_div(height_bytes - x.bytes, unit));
    least_[i] = x.least;
    base_[i] = x.least;
    fits = fits && least_[i] <= most_[i];
  }
  for (size_t i = 0; fits && i < list_.size(); ++i) {
    const int after = twin_after_[i];
    if (after >= 0) fits = raise(after, least_[i] + instance_.items[i].size);
  }
  return fits && raise_tops();
}

// Something of a section ends at its sum or above. Where sizes are no multiples of the alignment,
// only an item that rounding made so much larger may be able to: it stands on top.
bool Search::raise_tops() {
  for (const Section& s : sections_) {
    if (!s.plain || s.open == 0) continue;
    int candidates = 0, top = -1;
    for (int i = 0; i < s.open; ++i) {
      const int u = s.slots[size(i)].item;
      if (most_[size(u)] + item(u).size < s.left) continue;
      ++candidates;
      top = u;
    }
    if (candidates == 0) return false;
    if (candidates == 1 && !raise(top, s.left - item(top).size)) return false;
  }
  return true;
}

bool Search::excluded(int u, int t) const {
  for (const int p : item(u).pairs) {
    const OverlapPair& pair = instance_.pairs[size(p)];
    if (pair.section == t && placed_[size(pair.a == u ? pair.b : pair.a)]) return true;
  }
  return false;
}

int64_t Search::remainder_of(int t) const {
  const Section& s = sections_[size(t)];
  int64_t sum = 0;
  for (int i = 0; i < s.open; ++i) {
    const int u = s.slots[size(i)].item;
    if (s.pairs.empty() || !excluded(u, t)) sum += item(u).size;
  }
  for (const int p : s.pairs) {
    const OverlapPair& pair = instance_.pairs[size(p)];
    if (placed_[size(pair.a)] || placed_[size(pair.b)]) continue;
    if (!excluded(pair.a, t) && !excluded(pair.b, t)) sum -= pair.saving;
  }
  return sum;
}

void Search::touch(int t) {
  Section& s = sections_[size(t)];
  if (s.waiting) return;
  s.waiting = true;
  queue_.push_back(t);
}

void Search::set_firsts(int t, int count) {
  Section& s = sections_[size(t)];
  if (s.firsts == count) return;
  trail_.push_back({What::kFirsts, t, s.firsts});
  s.firsts = count;
}

bool Search::raise(int u, int64_t least) {
  for (; u >= 0 && !placed_[size(u)]; u = twin_after_[size(u)]) {
    if (least <= least_[size(u)]) return true;
    trail_.push_back({What::kLeast, u, least_[size(u)]});
    least_[size(u)] = settle(item(u), least);
    if (least_[size(u)] > most_[size(u)]) return false;
    for (int i = first_incidence_[size(u)]; i < first_incidence_[size(u) + 1]; ++i) {
      touch(incidences_[size(i)].first);
    }
    least = least_[size(u)] + item(u).size;
  }
  return true;
}

void Search::take_out(int u) {
  for (int i = first_incidence_[size(u)]; i < first_incidence_[size(u) + 1]; ++i) {
    auto& [t, at] = incidences_[size(i)];
    Section& s = sections_[size(t)];
    Slot& last = s.slots[size(--s.open)];
    std::swap(last, s.slots[size(at)]);
    incidences_[size(s.slots[size(at)].incidence)].second = at;
    at = s.open;
    s.left -= item(u).size;
    touch(t);
  }
  count_pairs(u);
}

void Search::put_back(int u) {
  for (int i = first_incidence_[size(u)]; i < first_incidence_[size(u) + 1]; ++i) {
    Section& s = sections_[size(incidences_[size(i)].first)];
    ++s.open;
    s.left += item(u).size;
  }
  count_pairs(u);
}

void Search::count_pairs(int u) {
  for (const int p : item(u).pairs) {
    const int t = instance_.pairs[size(p)].section;
    sections_[size(t)].left = remainder_of(t);
  }
}

bool Search::place(int u) {
  const int64_t at = least_[size(u)];
  offset_[size(u)] = at;
  placed_[size(u)] = 1;
  trail_.push_back({What::kPlaced, u, 0});
  take_out(u);
  for (const Arc& arc : instance_.arcs[size(u)]) {
    const int v = arc.other;
    if (placed_[size(v)]) continue;
    const int64_t above = at + arc.distance;
    if (above > base_[size(v)]) {
      trail_.push_back({What::kBase, v, base_[size(v)]});
      base_[size(v)] = settle(item(v), above);
    }
    if (above > least_[size(v)] && !raise(v, above)) return fail_queue();
  }
  return true;
}

void Search::restore(size_t mark) {
  while (trail_.size() > mark) {
    const Change change = trail_.back();
    trail_.pop_back();
    switch (change.what) {
      case What::kLeast:
        least_[size(change.index)] = change.old;
        break;
      case What::kBase:
        base_[size(change.index)] = change.old;
        break;
      case What::kFirsts:
        sections_[size(change.index)].firsts = static_cast<int>(change.old);
        break;
      case What::kPlaced:
        placed_[size(change.index)] = 0;
        put_back(change.index);
        break;
    }
  }
}

}  // namespace netkit::plan
