// SPDX-License-Identifier: MIT
// Orders made at once, without a search: least bytes next, and depth-first; both also from the end.
#include <algorithm>
#include <queue>
#include <tuple>

#include "compiler/plan/order/search.h"

namespace netkit::plan {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 60;  // of an estimate, which may count twice

// The question from the start or from the end, as in reversed().
struct Side {
  const OrderModel& model;
  bool from_end;
  const std::vector<std::vector<int>>& before() const {
    return from_end ? model.succs : model.preds;
  }
  const std::vector<std::vector<int>>& after() const {
    return from_end ? model.preds : model.succs;
  }
  bool starts(const OrderBuffer& b) const { return from_end ? b.to_end : b.from_start; }
  bool stays(const OrderBuffer& b) const { return from_end ? b.from_start : b.to_end; }
  std::vector<int> order(std::vector<int> found) const {
    if (from_end) std::reverse(found.begin(), found.end());
    return found;
  }
};

std::vector<int> waiting_of(const Side& side) {
  std::vector<int> waiting;
  for (const auto& before : side.before()) waiting.push_back(static_cast<int>(before.size()));
  return waiting;
}

// Of the steps that are ready, always one that leaves the fewest bytes alive. What a step adds
// falls when a buffer of it is begun by another one, and when it is the last to touch one.
class LeastNext {
 public:
  explicit LeastNext(const Side& side) : side_(side), m_(side.model), waiting_(waiting_of(side)) {
    opened_.assign(m_.step_count(), 0);
    closed_.assign(m_.step_count(), 0);
    done_.assign(m_.step_count(), 0);
    for (const OrderBuffer& b : m_.buffers) {
      begun_.push_back(side.starts(b));
      left_.push_back(b.touches.size());
      for (const int s : b.touches) {
        if (!begun_.back()) opened_[s] += b.bytes;
      }
      if (b.touches.size() == 1 && !side.stays(b)) closed_[b.touches[0]] += b.bytes;
    }
  }

  std::vector<int> run() {
    for (int s = 0; s < m_.step_count(); ++s) offer(s);
    std::vector<int> order;
    while (!ready_.empty()) {
      const auto [added, need, step] = ready_.top();
      ready_.pop();
      if (done_[step] || added != opened_[step] - closed_[step]) continue;  // offered anew since
      done_[step] = 1;
      order.push_back(step);
      for (const int id : m_.step_buffers[step]) touch(id);
      for (const int to : side_.after()[step]) {
        --waiting_[to];
        offer(to);
      }
    }
    return order;
  }

 private:
  void offer(int step) {
    if (waiting_[step] > 0 || done_[step]) return;
    ready_.push({opened_[step] - closed_[step], opened_[step] + m_.scratch[step], step});
  }

  void touch(int id) {
    const OrderBuffer& b = m_.buffers[id];
    const bool begins = !begun_[id], last = --left_[id] == 1 && !side_.stays(b);
    begun_[id] = 1;
    if (!begins && !last) return;
    for (const int s : b.touches) {
      if (done_[s]) continue;
      if (begins) opened_[s] -= b.bytes;
      if (last) closed_[s] += b.bytes;
      offer(s);
    }
  }

  const Side& side_;
  const OrderModel& m_;
  std::vector<int> waiting_;
  std::vector<int64_t> opened_, closed_;  // per step, if it came next
  std::vector<char> begun_, done_;        // per buffer; per step
  std::vector<size_t> left_;              // per buffer: touches to come
  using Offer = std::tuple<int64_t, int64_t, int>;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> ready_;
};

// What a step makes, bytes that its readers find; a buffer of many makers is a part of each.
std::vector<int64_t> made_bytes(const Side& side) {
  std::vector<int64_t> made(side.model.step_count(), 0);
  for (const OrderBuffer& b : side.model.buffers) {
    if (side.starts(b)) continue;
    const auto makes = [&](int s) { return b.writer < 0 || (s == b.writer) != side.from_end; };
    const int64_t makers = std::max<int64_t>(1, std::ranges::count_if(b.touches, makes));
    for (const int s : b.touches) {
      if (makes(s)) made[s] += b.bytes / makers;
    }
  }
  return made;
}

// Each step right after all that it needs, which is made piece by piece, first what takes most
// beyond what it leaves: for trees of growing bytes that is best (Sethi and Ullman, 1970).
std::vector<int> depth_first(const Side& side) {
  const int n = side.model.step_count();
  const std::vector<int64_t> made = made_bytes(side);
  std::vector<int64_t> most = made;  // while a step and all that it needs run
  std::vector<std::vector<int>> before = side.before();
  const auto earlier = [&](int a, int b) { return most[a] - made[a] > most[b] - made[b]; };
  std::vector<int> waiting = waiting_of(side), sorted, last;
  for (int s = 0; s < n; ++s) {
    if (waiting[s] == 0) sorted.push_back(s);
    if (side.after()[s].empty()) last.push_back(s);
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    const int s = sorted[i];
    std::stable_sort(before[s].begin(), before[s].end(), earlier);
    int64_t alive = 0;
    for (const int p : before[s]) {
      most[s] = std::max(most[s], alive + most[p]);
      alive += made[p];
    }
    most[s] = std::min(kMostBytes, std::max(most[s], alive + made[s] + side.model.scratch[s]));
    for (const int to : side.after()[s]) {
      if (--waiting[to] == 0) sorted.push_back(to);
    }
  }
  std::stable_sort(last.begin(), last.end(), earlier);
  std::vector<char> entered(n, 0);
  std::vector<std::pair<int, size_t>> open;  // steps, and how much of what they need was looked at
  std::vector<int> order;
  for (const int root : last) {
    open.push_back({root, 0});
    entered[root] = 1;
    while (!open.empty()) {
      auto& [step, next] = open.back();
      if (next == before[step].size()) {
        order.push_back(step);
        open.pop_back();
        continue;
      }
      const int p = before[step][next++];
      if (!entered[p]) open.push_back({p, 0});
      entered[p] = 1;
    }
  }
  return order;
}

}  // namespace

std::vector<int> quick_order(const OrderModel& model) {
  std::vector<int> best;
  int64_t least = INT64_MAX;
  for (const bool from_end : {false, true}) {
    const Side side{model, from_end};
    for (std::vector<int>& found : std::vector{LeastNext(side).run(), depth_first(side)}) {
      std::vector<int> order = side.order(std::move(found));
      const int64_t need = order_bound(model, order);
      if (need >= least) continue;
      least = need;
      best = std::move(order);
    }
  }
  return best;
}

}  // namespace netkit::plan
