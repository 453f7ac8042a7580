// SPDX-License-Identifier: MIT
// Search: branching, placing and undoing. The bounds stand in tighten.cc.
#include "compiler/plan/offsets/search/search.h"

#include <algorithm>
#include <numeric>

namespace netkit::plan {
namespace {

constexpr uint64_t kNodesPerClockRead = 256;

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool same_range(const Item& x, const Item& y) {
  return x.first_section == y.first_section && x.end_section == y.end_section &&
         x.bytes == y.bytes && x.alignment == y.alignment && x.least == y.least &&
         x.most == y.most && x.key == y.key;
}

// Two items that can be exchanged in any placement.
bool equal_items(const Item& x, const Item& y) {
  return same_range(x, y) && x.segments.size() == 1 && y.segments.size() == 1 &&
         x.segments[0].begin == y.segments[0].begin && x.segments[0].end == y.segments[0].end &&
         x.obstacles.empty() && y.obstacles.empty() && x.pairs.empty() && y.pairs.empty();
}

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Search::Search(const Instance& instance) : instance_(instance) {
  const size_t n = instance.items.size(), sections = size(instance.sections);
  in_section_.resize(sections);
  pairs_at_.resize(sections);
  for (size_t i = 0; i < n; ++i) {
    for (const Interval& s : instance.items[i].segments) {
      for (int64_t t = s.begin; t < s.end; ++t) {
        in_section_[static_cast<size_t>(t)].push_back(static_cast<int>(i));
      }
    }
  }
  for (size_t p = 0; p < instance.pairs.size(); ++p) {
    pairs_at_[size(instance.pairs[p].section)].push_back(static_cast<int>(p));
  }
  for (std::vector<int64_t>* v : {&least_, &most_, &offset_}) v->resize(n);
  for (std::vector<int64_t>* v : {&room_, &left_}) v->resize(sections);
  floor_.resize(sections);
  placed_.resize(n);
  list_.resize(n);
  failures_.resize(sections);
  follows_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    for (const Arc& arc : instance.arcs[i]) {
      if (arc.distance + item(arc.other).key == instance.items[i].key) {
        follows_[size(arc.other)] = 1;
      }
    }
  }
  find_twins();
}

void Search::find_twins() {
  twin_.assign(instance_.items.size(), -1);
  for (size_t i = 0; i < twin_.size(); ++i) {
    for (size_t j = i; j-- > 0;) {
      if (instance_.items[j].first_section != instance_.items[i].first_section) break;
      if (equal_items(instance_.items[i], instance_.items[j])) {
        twin_[i] = static_cast<int>(j);
        break;
      }
    }
  }
}

// False when the height is below what a single item needs.
bool Search::reset(int64_t height_bytes, const std::vector<int>& rank) {
  if (height_bytes > height_bytes_) failed_.clear();  // what failed lower may fit higher
  height_bytes_ = height_bytes;
  rank_ = rank;
  std::iota(list_.begin(), list_.end(), 0);
  std::fill(placed_.begin(), placed_.end(), 0);
  trail_.clear();
  candidates_.clear();
  parts_.clear();
  const int64_t unit = instance_.unit;
  for (int t = 0; t < instance_.sections; ++t) {
    room_[size(t)] = floor_div(height_bytes + instance_.top_slack_bytes[size(t)], unit);
    left_[size(t)] = remainder_of(t);
  }
  for (size_t i = 0; i < list_.size(); ++i) {
    const Item& x = instance_.items[i];
    most_[i] = std::min(x.most, floor_div(height_bytes - x.bytes, unit));
    least_[i] = x.least;
    if (least_[i] > most_[i]) return false;
  }
  return true;
}

Search::Outcome Search::run(int64_t height_bytes, const std::vector<int>& rank,
                            uint64_t node_limit, const Deadline& deadline) {
  if (height_bytes < instance_.bound_bytes || !reset(height_bytes, rank)) return Outcome::kNone;
  stopped_ = false;
  node_limit_ = nodes_ + node_limit;
  deadline_ = &deadline;
  if (visit(0, static_cast<int>(list_.size()), {-1, -1})) return Outcome::kFound;
  return stopped_ ? Outcome::kStopped : Outcome::kNone;
}

// list_[begin, end) stays sorted by first section, so parts apart in time are runs of it.
bool Search::visit(int begin, int end, Step last) {
  const size_t first = parts_.size();
  int from = begin, until = -1;
  for (int i = begin; i < end; ++i) {
    const Item& x = item(list_[size(i)]);
    if (i > from && x.first_section >= until) {
      parts_.emplace_back(from, i);
      from = i;
    }
    until = std::max(until, x.end_section);
  }
  if (from < end) parts_.emplace_back(from, end);
  if (parts_.size() > first + 1) {
    std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(first), parts_.end(),
              [](const auto& x, const auto& y) {
                const int x_count = x.second - x.first, y_count = y.second - y.first;
                return x_count != y_count ? x_count < y_count : x.first < y.first;
              });
  }
  bool solved = true;
  for (size_t p = first; solved && p < parts_.size(); ++p) {
    const auto [a, b] = parts_[p];
    solved = visit_connected(a, b, last);
  }
  parts_.resize(first);
  return solved;
}

bool Search::visit_connected(int begin, int end, Step last) {
  if (stopped_) return false;
  if (nodes_ >= node_limit_ ||
      (nodes_ % kNodesPerClockRead == 0 && deadline_->passed())) {
    stopped_ = true;
    return false;
  }
  ++nodes_;
  if (end - begin == 1) {
    const int u = list_[size(begin)];
    offset_[size(u)] = least_[size(u)];
    return !skipped(u, last);
  }
  const size_t mark = trail_.size();
  if (!tighten(begin, end, last)) {
    restore(mark);
    return false;
  }
  const FailedStates::Key key = fingerprint(begin, end);
  if (failed_.contains(key)) {
    restore(mark);
    return false;
  }
  const size_t first = candidates_.size();
  collect(begin, end);
  const bool solved = try_candidates(begin, end, first);
  candidates_.resize(first);
  restore(mark);
  if (!solved && !stopped_) failed_.insert(key);
  return solved;
}

bool Search::try_candidates(int begin, int end, size_t first_candidate) {
  for (size_t c = first_candidate; c < candidates_.size(); ++c) {
    const Candidate chosen = candidates_[c];
    const auto from = list_.begin() + begin, to = list_.begin() + end;
    const auto at = std::find(from, to, chosen.item);
    std::rotate(at, at + 1, to);
    const size_t mark = trail_.size();
    const bool solved =
        place(chosen.item) && visit(begin, end - 1, {chosen.level, chosen.rank});
    // Undone after success too: another part may still fail. offset_ keeps what was found.
    restore(mark);
    unplace(chosen.item);
    std::rotate(at, to - 1, to);
    if (solved || stopped_) return solved;
  }
  return false;
}

// Those that may come next, lowest first. One above which another would fit wholly below could be
// exchanged for a lower placement.
void Search::collect(int begin, int end) {
  int64_t lowest_reach = INT64_MAX;
  for (int i = begin; i < end; ++i) {
    const int u = list_[size(i)];
    lowest_reach = std::min(lowest_reach, least_[size(u)] + item(u).reach);
  }
  const size_t first = candidates_.size();
  for (int i = begin; i < end; ++i) {
    const int u = list_[size(i)];
    const int64_t level = least_[size(u)] + item(u).key;
    if (level >= lowest_reach) continue;
    if (twin_[size(u)] >= 0 && !placed_[size(twin_[size(u)])]) continue;
    candidates_.push_back({level, rank_[size(u)], u});
  }
  std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
            [](const Candidate& x, const Candidate& y) {
              return x.level != y.level ? x.level < y.level : x.rank < y.rank;
            });
}

// A remainder is its items and their lowest offsets: after lift_skipped, what was placed, in what
// order and under which ranks, matters only through these.
FailedStates::Key Search::fingerprint(int begin, int end) const {
  FailedStates::Key key;
  for (int i = begin; i < end; ++i) {
    const int u = list_[size(i)];
    const uint64_t x = mix(static_cast<uint64_t>(least_[size(u)]) * 0x9e3779b97f4a7c15ULL +
                           static_cast<uint64_t>(u) * 0xd1342543de82ef95ULL + 1);
    key.a += x;
    key.b += (x ^ (x >> 29)) * 0xff51afd7ed558ccdULL;
  }
  return key;
}

bool Search::excluded(int u, int t) const {
  for (const int p : item(u).pairs) {
    const OverlapPair& pair = instance_.pairs[size(p)];
    if (pair.section == t && placed_[size(pair.a == u ? pair.b : pair.a)]) return true;
  }
  return false;
}

int64_t Search::remainder_of(int t) const {
  int64_t sum = 0;
  for (const int u : in_section_[size(t)]) {
    if (!placed_[size(u)] && !excluded(u, t)) sum += item(u).size;
  }
  for (const int p : pairs_at_[size(t)]) {
    const OverlapPair& pair = instance_.pairs[size(p)];
    if (placed_[size(pair.a)] || placed_[size(pair.b)]) continue;
    if (!excluded(pair.a, t) && !excluded(pair.b, t)) sum -= pair.saving;
  }
  return sum;
}

void Search::count_room(int u, int64_t sign) {
  const Item& x = item(u);
  for (const Interval& s : x.segments) {
    for (int64_t t = s.begin; t < s.end; ++t) left_[static_cast<size_t>(t)] += sign * x.size;
  }
  for (const int p : x.pairs) {
    const int t = instance_.pairs[size(p)].section;
    left_[size(t)] = remainder_of(t);
  }
}

bool Search::place(int u) {
  const int64_t at = least_[size(u)];
  offset_[size(u)] = at;
  placed_[size(u)] = 1;
  count_room(u, -1);
  for (const Arc& arc : instance_.arcs[size(u)]) {
    if (!placed_[size(arc.other)] && least_[size(arc.other)] < at + arc.distance &&
        !raise(arc.other, at + arc.distance)) {
      return false;
    }
  }
  return true;
}

void Search::unplace(int u) {
  placed_[size(u)] = 0;
  count_room(u, 1);
}

void Search::restore(size_t mark) {
  while (trail_.size() > mark) {
    least_[size(trail_.back().item)] = trail_.back().old_least;
    trail_.pop_back();
  }
}

}  // namespace netkit::plan
