// SPDX-License-Identifier: MIT
// For tests: is there any plan of at most so many bytes? Runs a small graph step by step in every
// order, at each step trying every mode and every aligned address of what the step begins, except
// where the bytes alone are too many. Shares nothing with the planner; view sets one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/plan/problem.h"
#include "compiler/plan/testing/brute_items.h"

namespace netkit::plan::testing {

class Brute {
 public:
  // overlaps: may an output overwrite what its step has read.
  Brute(const Problem& problem, bool overlaps) : p_(problem), overlaps_(overlaps) {}

  bool exists(int64_t bytes) {
    height_ = bytes;
    std::vector<std::pair<int, int>> views;  // step, view
    for (size_t s = 0; s < p_.steps.size(); ++s) {
      for (size_t v = 0; v < p_.steps[s].views.size(); ++v) {
        views.push_back({static_cast<int>(s), static_cast<int>(v)});
      }
    }
    for (size_t taken = 0; taken < (size_t{1} << views.size()); ++taken) {
      if (!make_items(p_, views, taken, items_, item_of_)) continue;
      seen_.clear();
      hope_.assign(size_t{1} << p_.steps.size(), -1);
      if (!hope(0)) continue;
      offsets_.assign(items_.size(), -1);
      std::vector<int> start;
      for (int i = 0; i < count(); ++i) {
        if (items_[i].from_start && items_[i].used) start.push_back(i);
      }
      if (place(start, 0, -1, -1, [&] { return run(0); })) return true;
    }
    return false;
  }

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  struct Hash {
    size_t operator()(const Key& k) const {
      return ((k.first ^ (k.second * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu) >> 20;
    }
  };
  int count() const { return static_cast<int>(items_.size()); }
  int steps() const { return static_cast<int>(p_.steps.size()); }
  uint32_t all() const { return (1u << steps()) - 1; }

  bool open(int s, uint32_t done) const {
    if (((done >> s) & 1) != 0) return false;
    for (int w = 0; w < steps(); ++w) {
      for (const int t : p_.steps[w].outputs) {
        const auto& ins = p_.steps[s].inputs;
        if (((done >> w) & 1) == 0 && std::count(ins.begin(), ins.end(), t) > 0) return false;
      }
    }
    return true;
  }

  bool dies(int i, uint32_t done) const {
    return !items_[i].to_end && (items_[i].touches & ~done) == 0;
  }

  // Can the bytes alone end well from here? What is alive has rounded sizes, but for what lies on
  // top. Two that overlap reach over the input and the distance at least, or stand apart.
  bool hope(uint32_t done) {
    if (done == all()) return true;
    if (hope_[done] >= 0) return hope_[done] != 0;
    bool good = false;
    for (int s = 0; s < steps() && !good; ++s) {
      good = open(s, done) && least(s, done) <= height_ && hope(done | (1u << s));
    }
    hope_[done] = good;
    return good;
  }

  int64_t rounded(int64_t bytes) const {
    return (bytes + p_.alignment - 1) / p_.alignment * p_.alignment;
  }

  int64_t least(int s, uint32_t done) const {
    int64_t sum = 0, slack = 0;
    for (int i = 0; i < count(); ++i) {
      const BruteItem& x = items_[i];
      const bool begun = x.from_start || (x.touches & (done | (1u << s))) != 0;
      if (!x.used || !begun || dies(i, done)) continue;
      sum += rounded(x.bytes);
      slack = std::max(slack, rounded(x.bytes) - x.bytes);
    }
    const auto with = [&](int64_t scratch) {
      return sum + rounded(scratch) - std::max(slack, rounded(scratch) - scratch);
    };
    const Step& step = p_.steps[s];
    int64_t best = with(step.scratch_bytes);
    for (const Overlap& o : step.overlaps) {
      if (!overlaps_) break;
      const int64_t in = items_[item_of_[step.inputs[o.input]]].bytes;
      const int64_t out = items_[item_of_[step.outputs[o.output]]].bytes;
      const int64_t far = int64_t{1} << 40;
      const int64_t reach =
          in + std::min(o.forward_bytes.value_or(far), o.backward_bytes.value_or(far));
      const int64_t span = std::min(rounded(in) + rounded(out), rounded(std::max(out, reach)));
      best = std::min(best, sum + rounded(o.scratch_bytes) - rounded(in) - rounded(out) + span -
                                (p_.alignment - 1));
    }
    return best;
  }

  bool run(uint32_t done) {
    if (done == all()) return true;
    Key key{done, 0};  // a byte per item, of which there are at most 14
    for (int i = 0; i < count(); ++i) {
      const int64_t place = offsets_[i] < 0 ? 0 : 1 + offsets_[i] / p_.alignment;
      (i < 6 ? key.first : key.second) |= static_cast<uint64_t>(place)
                                          << (i < 6 ? 16 + 8 * i : 8 * (i - 6));
    }
    if (!seen_.insert(key).second) return false;
    for (int s = 0; s < steps(); ++s) {
      if (!open(s, done) || least(s, done) > height_ || !hope(done | (1u << s))) continue;
      if (execute(s, done)) return true;
    }
    return false;
  }

  bool execute(int s, uint32_t done) {
    const Step& step = p_.steps[s];
    const uint32_t after = done | (1u << s);
    std::vector<int> fresh;
    for (int i = 0; i < count(); ++i) {
      if (((items_[i].touches >> s) & 1) != 0 && offsets_[i] < 0) fresh.push_back(i);
    }
    const auto with_mode = [&](int mode) {
      const int64_t scratch = mode < 0 ? step.scratch_bytes : step.overlaps[mode].scratch_bytes;
      return place(fresh, 0, s, mode, [&] {
        if (!scratch_fits(scratch)) return false;
        const std::vector<int64_t> during = offsets_;
        for (int i = 0; i < count(); ++i) {
          if (offsets_[i] >= 0 && dies(i, after)) offsets_[i] = -1;
        }
        const bool found = run(after);
        offsets_ = during;
        return found;
      });
    };
    if (with_mode(-1)) return true;
    for (int k = 0; overlaps_ && k < static_cast<int>(step.overlaps.size()); ++k) {
      const int in = item_of_[step.inputs[step.overlaps[k].input]];
      const int out = item_of_[step.outputs[step.overlaps[k].output]];
      const bool alone = items_[in].tensors == 1 && items_[out].tensors == 1 && in != out;
      const bool begins = std::count(fresh.begin(), fresh.end(), out) > 0;
      if (alone && begins && dies(in, after) && with_mode(k)) return true;
    }
    return false;
  }

  // Gives items[at …] every combination of free addresses and calls `next` for each.
  bool place(const std::vector<int>& items, size_t at, int s, int mode,
             const std::function<bool()>& next) {
    if (at == items.size()) return next();
    const int i = items[at];
    for (int64_t offset = 0; offset + items_[i].bytes <= height_; offset += p_.alignment) {
      if (!free_for(i, offset, s, mode)) continue;
      offsets_[i] = offset;
      const bool found = place(items, at + 1, s, mode, next);
      offsets_[i] = -1;
      if (found) return true;
      if (items_[i].bytes == 0) break;
    }
    return false;
  }

  bool free_for(int i, int64_t offset, int s, int mode) const {
    for (size_t j = 0; j < items_.size(); ++j) {
      if (offsets_[j] < 0 || apart(offset, items_[i].bytes, offsets_[j], items_[j].bytes)) continue;
      if (mode < 0) return false;
      const Overlap& o = p_.steps[s].overlaps[mode];
      if (item_of_[p_.steps[s].outputs[o.output]] != i) return false;
      if (item_of_[p_.steps[s].inputs[o.input]] != static_cast<int>(j)) return false;
      const bool forward = o.forward_bytes && offset <= offsets_[j] - *o.forward_bytes;
      const int64_t in_end = offsets_[j] + items_[j].bytes, end = offset + items_[i].bytes;
      const bool backward = o.backward_bytes && end >= in_end + *o.backward_bytes;
      if (!forward && !backward) return false;
    }
    return true;
  }

  bool scratch_fits(int64_t bytes) const {
    if (bytes == 0) return true;
    for (int64_t offset = 0; offset + bytes <= height_; offset += p_.alignment) {
      bool good = true;
      for (size_t j = 0; j < items_.size() && good; ++j) {
        good = offsets_[j] < 0 || apart(offset, bytes, offsets_[j], items_[j].bytes);
      }
      if (good) return true;
    }
    return false;
  }

  static bool apart(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes) {
    return a_bytes == 0 || b_bytes == 0 || a + a_bytes <= b || b + b_bytes <= a;
  }

  const Problem& p_;
  bool overlaps_;
  int64_t height_ = 0;
  std::vector<BruteItem> items_;  // by tensor; only roots of blocks are used
  std::vector<int> item_of_;
  std::vector<signed char> hope_;  // per executed set; -1: not asked
  std::vector<int64_t> offsets_;   // per item; -1: not alive
  std::unordered_set<Key, Hash> seen_;
};

}  // namespace netkit::plan::testing
