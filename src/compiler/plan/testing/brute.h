// SPDX-License-Identifier: MIT
// For tests: the least arena of a small graph by trying every order, every mode and every way to
// stack what is alive together. Follows the definitions; shares nothing with the planner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/plan/problem.h"

namespace netkit::plan::testing {

struct BruteItem {
  int first, last;
  int64_t bytes;
};

// `above` at least so far above `below`: offset(above) >= offset(below) + bytes.
struct BruteEdge {
  int below, above;
  int64_t bytes;
};

// Two items that meet: one of the edges must hold.
using BruteChoice = std::vector<BruteEdge>;

// Tries an edge for every meeting pair; heights are longest paths.
class BruteStack {
 public:
  BruteStack(std::vector<int64_t> sizes, std::vector<BruteChoice> choices, int64_t alignment,
             int64_t best)
      : sizes_(std::move(sizes)), choices_(std::move(choices)), a_(alignment), best_(best) {
    offsets_.assign(sizes_.size(), 0);
  }
  // The least height below `best`, or `best`.
  int64_t solve() {
    descend(0);
    return best_;
  }

 private:
  void descend(size_t next) {
    const auto holds = [&](const BruteEdge& e) {
      return offsets_[e.above] >= offsets_[e.below] + e.bytes;
    };
    // What already holds by itself may stop holding when offsets grow: only a full pass ends.
    size_t open = choices_.size();
    for (size_t k = 0; k < choices_.size() && open == choices_.size(); ++k) {
      if (std::none_of(choices_[k].begin(), choices_[k].end(), holds)) open = k;
    }
    (void)next;
    if (open == choices_.size()) {
      int64_t height = 0;
      for (size_t i = 0; i < sizes_.size(); ++i) {
        height = std::max(height, offsets_[i] + sizes_[i]);
      }
      best_ = std::min(best_, height);
      return;
    }
    for (const BruteEdge& e : choices_[open]) {
      const auto saved = offsets_;
      edges_.push_back(e);
      if (settle()) descend(open + 1);
      edges_.pop_back();
      offsets_ = saved;
    }
  }

  // Least offsets under the chosen edges; false: too high, or a cycle.
  bool settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const BruteEdge& e : edges_) {
        const int64_t need = offsets_[e.below] + e.bytes;
        if (offsets_[e.above] >= need) continue;
        offsets_[e.above] = (need + a_ - 1) / a_ * a_;
        if (offsets_[e.above] + sizes_[e.above] >= best_) return false;
        changed = true;
      }
    }
    for (size_t i = 0; i < sizes_.size(); ++i) {
      if (offsets_[i] + sizes_[i] >= best_) return false;
    }
    return true;
  }

  std::vector<int64_t> sizes_;
  std::vector<BruteChoice> choices_;
  std::vector<BruteEdge> edges_;
  std::vector<int64_t> offsets_;
  int64_t a_, best_;
};

class Brute {
 public:
  Brute(const Problem& problem, bool overlaps) : p_(problem), overlaps_(overlaps) {}

  int64_t arena() {
    best_ = 1;
    for (const Tensor& t : p_.tensors) best_ += t.bytes + p_.alignment;
    for (const Step& s : p_.steps) {
      int64_t most = s.scratch_bytes;
      for (const Overlap& o : s.overlaps) most = std::max(most, o.scratch_bytes);
      best_ += most + p_.alignment;
    }
    writer_.assign(p_.tensors.size(), -1);
    for (size_t s = 0; s < p_.steps.size(); ++s) {
      for (const int t : p_.steps[s].outputs) writer_[t] = static_cast<int>(s);
    }
    at_.assign(p_.steps.size(), -1);
    orders(0);
    return best_;
  }

 private:
  void orders(int depth) {
    if (depth == static_cast<int>(p_.steps.size())) return modes();
    for (size_t s = 0; s < p_.steps.size(); ++s) {
      if (at_[s] >= 0) continue;
      bool ready = true;
      for (const int t : p_.steps[s].inputs) {
        ready &= writer_[t] < 0 || at_[writer_[t]] >= 0;
      }
      if (!ready) continue;
      at_[s] = depth;
      orders(depth + 1);
      at_[s] = -1;
    }
  }

  void modes() {
    const int n = static_cast<int>(p_.steps.size());
    lives_.assign(p_.tensors.size(), {-1, -1, 0});
    for (size_t t = 0; t < p_.tensors.size(); ++t) lives_[t].bytes = p_.tensors[t].bytes;
    const auto touch = [&](int t, int at) {
      if (lives_[t].first < 0 || at < lives_[t].first) lives_[t].first = at;
      lives_[t].last = std::max(lives_[t].last, at);
    };
    for (int s = 0; s < n; ++s) {
      for (const int t : p_.steps[s].inputs) touch(t, at_[s]);
      for (const int t : p_.steps[s].outputs) touch(t, at_[s]);
    }
    for (const int t : p_.inputs) touch(t, 0);
    for (const int t : p_.outputs) touch(t, n - 1);
    chosen_.assign(n, -1);
    choose(0);
  }

  void choose(int s) {
    if (s == static_cast<int>(p_.steps.size())) return place();
    chosen_[s] = -1;
    choose(s + 1);
    for (size_t k = 0; overlaps_ && k < p_.steps[s].overlaps.size(); ++k) {
      const Overlap& o = p_.steps[s].overlaps[k];
      const BruteItem& in = lives_[p_.steps[s].inputs[o.input]];
      const BruteItem& out = lives_[p_.steps[s].outputs[o.output]];
      if (in.last != at_[s] || out.first != at_[s]) continue;
      chosen_[s] = static_cast<int>(k);
      choose(s + 1);
    }
    chosen_[s] = -1;
  }

  void place() {
    std::vector<BruteItem> items = lives_;
    for (size_t s = 0; s < p_.steps.size(); ++s) {
      const Step& step = p_.steps[s];
      const int64_t bytes = chosen_[s] < 0 ? step.scratch_bytes
                                           : step.overlaps[chosen_[s]].scratch_bytes;
      items.push_back({at_[s], at_[s], bytes});
    }
    for (int at = 0; at < static_cast<int>(p_.steps.size()); ++at) {
      if (overlaps_) break;
      int64_t live = 0;
      for (const BruteItem& i : items) live += i.first <= at && at <= i.last ? i.bytes : 0;
      if (live >= best_) return;
    }
    std::vector<int64_t> sizes;
    std::vector<int64_t> key;
    for (const BruteItem& i : items) {
      sizes.push_back(i.bytes);
      key.insert(key.end(), {i.first, i.last, i.bytes});
    }
    std::vector<BruteChoice> choices;
    for (int a = 0; a < static_cast<int>(items.size()); ++a) {
      for (int b = 0; b < a; ++b) {
        const BruteItem &x = items[a], &y = items[b];
        if (x.bytes == 0 || y.bytes == 0 || x.first < 0 || y.first < 0) continue;
        if (x.last < y.first || y.last < x.first) continue;
        choices.push_back({{b, a, y.bytes}, {a, b, x.bytes}});
        relax(a, b, choices.back());
        relax(b, a, choices.back());
      }
    }
    for (const auto& c : choices) {
      for (const auto& e : c) key.insert(key.end(), {e.below, e.above, e.bytes});
    }
    if (!seen_.emplace(key, 0).second) return;
    best_ = std::min(best_, BruteStack(sizes, choices, p_.alignment, best_).solve());
  }

  void relax(int in, int out, BruteChoice& choice) const {
    const int tensors = static_cast<int>(p_.tensors.size());
    if (in >= tensors || out >= tensors || writer_[out] < 0) return;
    const int s = writer_[out];
    if (chosen_[s] < 0) return;
    const Overlap& o = p_.steps[s].overlaps[chosen_[s]];
    if (p_.steps[s].inputs[o.input] != in || p_.steps[s].outputs[o.output] != out) return;
    if (o.forward_bytes) choice.push_back({out, in, *o.forward_bytes});
    if (o.backward_bytes) {
      choice.push_back({in, out, lives_[in].bytes + *o.backward_bytes - lives_[out].bytes});
    }
  }

  const Problem& p_;
  bool overlaps_;
  std::vector<int> writer_, at_, chosen_;
  std::vector<BruteItem> lives_;
  std::map<std::vector<int64_t>, int> seen_;
  int64_t best_ = 0;
};

}  // namespace netkit::plan::testing
