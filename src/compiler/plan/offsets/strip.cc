// SPDX-License-Identifier: MIT
// place_large: first fit and best fit over a blocked, sorted strip.
#include "compiler/plan/offsets/strip.h"

#include <algorithm>
#include <numeric>

#include "compiler/plan/offsets/orders.h"

namespace netkit::plan {
namespace {

constexpr size_t kBlockEntries = 512;

struct GreedyStyle {
  bool by_area;   // else by size
  bool best_fit;  // else first fit
  int rounds;
};
constexpr GreedyStyle kGreedyStyles[] = {{false, false, 3}, {false, true, 2}, {true, false, 3}};

// A step forward in the order for what stood too high: a factor of sixteen in size.
constexpr int64_t kPromotion = int64_t{4} << kLogBits;

std::vector<int64_t> place_in_order(const Instance& instance, const std::vector<int64_t>& score,
                                    bool best_fit) {
  std::vector<int> order(instance.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return score[static_cast<size_t>(a)] > score[static_cast<size_t>(b)];
  });
  Strip strip;
  std::vector<int64_t> offsets(order.size());
  for (const int u : order) {
    const Item& item = instance.items[static_cast<size_t>(u)];
    const int64_t at = strip.find(item, best_fit);
    offsets[static_cast<size_t>(u)] = at;
    strip.insert({at, at + item.size, item.first_section, item.end_section});
  }
  return offsets;
}

bool inside_ranges(const Instance& instance, const std::vector<int64_t>& offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] > instance.items[i].most) return false;
  }
  return true;
}

std::vector<int64_t> first_scores(const Instance& instance, bool by_area) {
  std::vector<int64_t> score;
  for (const Item& item : instance.items) {
    const auto width = static_cast<uint64_t>(item.end_section - item.first_section);
    const int64_t size = log2_fixed(static_cast<uint64_t>(item.size));
    score.push_back(by_area ? size + log2_fixed(width) : size);
  }
  return score;
}

}  // namespace

void Strip::insert(const Entry& entry) {
  if (blocks_.empty()) blocks_.emplace_back();
  size_t b = 0;
  while (b + 1 < blocks_.size() && blocks_[b + 1].front().offset <= entry.offset) ++b;
  std::vector<Entry>& block = blocks_[b];
  const auto at =
      std::upper_bound(block.begin(), block.end(), entry,
                       [](const Entry& x, const Entry& y) { return x.offset < y.offset; });
  block.insert(at, entry);
  if (block.size() < 2 * kBlockEntries) return;
  std::vector<Entry> tail(block.begin() + kBlockEntries, block.end());
  block.resize(kBlockEntries);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(b) + 1, std::move(tail));
}

int64_t Strip::find(const Item& item, bool best) const {
  int64_t place = item.least, best_gap = INT64_MAX, best_place = 0;
  for (const std::vector<Entry>& block : blocks_) {
    for (const Entry& e : block) {
      if (e.first_section >= item.end_section || e.end_section <= item.first_section) continue;
      if (e.offset - place >= item.size) {
        if (!best) return place;
        if (e.offset - place < best_gap) {
          best_gap = e.offset - place;
          best_place = place;
        }
      }
      if (e.end > place) place = settle(item, e.end);
    }
  }
  return best_gap == INT64_MAX ? place : best_place;
}

ComponentPlan place_large(const Instance& instance, const ComponentGoal& goal,
                          const Deadline& deadline) {
  ComponentPlan plan;
  plan.lower_bound_bytes = instance.bound_bytes;
  const int64_t wanted = std::max(goal.enough_bytes, instance.bound_bytes);
  for (const GreedyStyle& style : kGreedyStyles) {
    std::vector<int64_t> score = first_scores(instance, style.by_area);
    for (int round = 0; round < style.rounds; ++round) {
      if (plan.placed && (plan.height_bytes <= wanted || deadline.passed())) return plan;
      if ((goal.greedy || plan.nodes >= goal.node_budget) && plan.nodes > 0) return plan;
      const std::vector<int64_t> offsets = place_in_order(instance, score, style.best_fit);
      plan.nodes += offsets.size();
      const int64_t height = height_of(instance, offsets);
      const bool counts =
          inside_ranges(instance, offsets) && (!goal.capacity || height <= *goal.capacity);
      if (counts && (!plan.placed || height < plan.height_bytes)) {
        plan.placed = true;
        plan.offsets = offsets;
        plan.height_bytes = height;
      }
      for (size_t i = 0; i < offsets.size(); ++i) {
        const Item& item = instance.items[i];
        if (offsets[i] * instance.unit + item.bytes > wanted) score[i] += kPromotion;
      }
    }
  }
  return plan;
}

}  // namespace netkit::plan
