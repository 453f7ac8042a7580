// SPDX-License-Identifier: MIT
// Search: branching and its bookkeeping. The bounds stand in tighten.cc, the changes that are
// undone in state.cc.
#include "compiler/plan/offsets/search/search.h"

#include <algorithm>
#include <numeric>

namespace netkit::plan {
namespace {

constexpr uint64_t kNodesPerClockRead = 256;

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Search::Outcome Search::run(int64_t height_bytes, const TryOrder& order, uint64_t node_limit,
                            const Deadline& deadline) {
  if (height_bytes < instance_.bound_bytes || !reset(height_bytes, order)) return Outcome::kNone;
  stopped_ = false;
  circular_ = false;
  node_limit_ = nodes_ + node_limit;
  deadline_ = &deadline;
  if (tighten() && visit(0, static_cast<int>(list_.size()))) return Outcome::kFound;
  return stopped_ || circular_ ? Outcome::kStopped : Outcome::kNone;
}

// list_[begin, end) stays sorted by first section, so parts apart in time are runs of it.
bool Search::visit(int begin, int end) {
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
    solved = visit_connected(a, b);
  }
  parts_.resize(first);
  return solved;
}

bool Search::visit_connected(int begin, int end) {
  if (end - begin == 1) {
    const int u = list_[size(begin)];
    offset_[size(u)] = base_[size(u)];
    return supported(u);
  }
  const size_t mark = trail_.size(), first_key = open_keys_.size();
  const bool solved = branch(begin, end);
  restore(mark);
  if (!solved && !stopped_ && !circular_) {
    for (size_t k = first_key; k < open_keys_.size(); ++k) failed_.insert(open_keys_[k]);
  }
  open_keys_.resize(first_key);
  return solved;
}

bool Search::stop_here() {
  if (nodes_ >= node_limit_ || (nodes_ % kNodesPerClockRead == 0 && deadline_->passed())) {
    stopped_ = true;
  }
  ++nodes_;
  return stopped_;
}

// Places the chosen item at its lowest offset, or else lifts it and chooses again.
bool Search::branch(int begin, int end) {
  for (;;) {
    if (stop_here()) return false;
    const FailedStates::Key key = fingerprint(begin, end);
    if (failed_.contains(key)) return false;
    open_keys_.push_back(key);
    const int u = choose(begin, end);
    // Unsupported, it would float: a lower placement has been or will be looked at.
    if (supported(u) && try_lowest(begin, end, u)) return true;
    if (stopped_ || !lift(u) || !tighten()) return false;
  }
}

bool Search::try_lowest(int begin, int end, int u) {
  const auto from = list_.begin() + begin, to = list_.begin() + end;
  const auto at = std::find(from, to, u);
  std::rotate(at, at + 1, to);
  const size_t mark = trail_.size();
  const bool solved = place(u) && tighten() && visit(begin, end - 1);
  // Undone after success too: another part may still fail. offset_ keeps what was found.
  restore(mark);
  std::rotate(at, to - 1, to);
  return solved;
}

// The section with the fewest items that can come first, for its weight; -1: none.
int Search::most_urgent(int begin, int end) const {
  int from = instance_.sections, to = 0, best = -1;
  for (int i = begin; i < end; ++i) {
    from = std::min(from, item(list_[size(i)]).first_section);
    to = std::max(to, item(list_[size(i)]).end_section);
  }
  uint64_t best_count = 0, best_weight = 0;
  for (int t = from; t < to; ++t) {
    const Section& s = sections_[size(t)];
    if (s.open == 0) continue;
    // A forced choice goes before any other: ten times (firsts - 0.9).
    const uint64_t count = s.firsts > 0 ? static_cast<uint64_t>(s.firsts) * 10 - 9 : 1;
    if (best >= 0 && count * best_weight >= best_count * s.weight) continue;
    best = t;
    best_count = count;
    best_weight = s.weight;
  }
  return best;
}

bool Search::is_beneath(const Arc& arc, int u) const {
  if (placed_[size(arc.other)]) return false;
  const int64_t least = least_[size(arc.other)];
  return least + arc.back <= least_[size(u)] || (lowest_first_ && least < least_[size(u)]);
}

// An item that no unplaced one can be beneath, at the most urgent section or on the way down.
int Search::choose(int begin, int end) {
  int u = -1;
  const int t = most_urgent(begin, end);
  if (t >= 0) {
    const Section& s = sections_[size(t)];
    for (int i = 0; i < s.open; ++i) {
      const int v = s.slots[size(i)].item;
      if (least_[size(v)] > s.room - s.left) continue;
      if (u < 0 || rank_[size(v)] < rank_[size(u)]) u = v;
    }
  }
  if (u < 0)
    u = *std::min_element(list_.begin() + begin, list_.begin() + end,
                          [&](int x, int y) { return least_[size(x)] < least_[size(y)]; });
  for (int steps = 0; steps <= end - begin; ++steps) {
    int below = -1;
    for (const Arc& arc : instance_.arcs[size(u)]) {
      if (!is_beneath(arc, u)) continue;
      const int v = arc.other;
      if (below < 0 || least_[size(v)] < least_[size(below)] ||
          (least_[size(v)] == least_[size(below)] && rank_[size(v)] < rank_[size(below)])) {
        below = v;
      }
    }
    if (below < 0) return u;
    u = below;
  }
  circular_ = true;
  return u;
}

// A remainder is its items, their lowest offsets and whether these rest on what is placed: how it
// came about does not matter.
FailedStates::Key Search::fingerprint(int begin, int end) const {
  FailedStates::Key key;
  for (int i = begin; i < end; ++i) {
    const int u = list_[size(i)];
    const uint64_t state = static_cast<uint64_t>(least_[size(u)]) * 2 + (supported(u) ? 1 : 0);
    const uint64_t x =
        mix(state * 0x9e3779b97f4a7c15ULL + static_cast<uint64_t>(u) * 0xd1342543de82ef95ULL + 1);
    key.a += x;
    key.b += (x ^ (x >> 29)) * 0xff51afd7ed558ccdULL;
  }
  return key;
}

}  // namespace netkit::plan
