// SPDX-License-Identifier: MIT
// Orders and places of small graphs together: depth-first over orders, each beginning of an order
// placed before it is continued.
#include <algorithm>
#include <set>

#include "compiler/plan/joint/orders.h"

namespace netkit::plan {
namespace {

class Enumeration {
 public:
  Enumeration(const OrderModel& model, int64_t enough, Effort& effort, ClassAnswer& answer)
      : model_(model), enough_(enough), effort_(effort), answer_(answer) {
    executed_.assign(model.words(), 0);
    meetings_.assign(model.buffers.size() * model.buffers.size(), 0);
  }

  // True: every order was placed or excluded.
  bool run() {
    descend(start_bytes(model_));
    return !effort_.spent() && !stopped_;
  }

 private:
  int64_t capacity() const { return answer_.placed.height_bytes - 1; }

  void descend(int64_t alive) {
    if (stopped_ || effort_.spent()) return;
    if (static_cast<int>(order_.size()) == model_.step_count()) return place_whole();
    for (int s = 0; s < model_.step_count(); ++s) {
      if (has_bit(executed_.data(), s) || !ready(s)) continue;
      const StepEffect e = step_effect(model_, executed_.data(), alive, s);
      const int64_t slack = model_.has_slack ? live_slack(model_, executed_.data(), s) : 0;
      if (e.need - slack > capacity()) continue;
      const auto saved = meetings_;
      meet(s);
      set_bit(executed_.data(), s);
      order_.push_back(s);
      if (seen_.emplace(executed_, meetings_).second && promising()) descend(e.after);
      order_.pop_back();
      executed_[s >> 6] &= ~(uint64_t{1} << (s & 63));
      meetings_ = saved;
    }
  }

  bool ready(int step) const {
    return std::all_of(model_.preds[step].begin(), model_.preds[step].end(),
                       [&](int p) { return has_bit(executed_.data(), p); });
  }

  bool promising() {
    if (order_.size() < 3 || static_cast<int>(order_.size()) == model_.step_count()) return true;
    return prefix_bound(model_, order_, capacity(), effort_) <= capacity();
  }

  // Who has met whom, and at which step a dying buffer met a newborn one: two beginnings with
  // the same sets and meetings have the same continuations.
  void meet(int step) {
    std::vector<int> alive;
    const bool first = order_.empty();  // what starts is there, also what no step touches
    std::vector<char> dying(model_.buffers.size(), 0), fresh(model_.buffers.size(), 0);
    for (size_t b = 0; b < model_.buffers.size(); ++b) {
      const OrderBuffer& buffer = model_.buffers[b];
      const auto done = [&](int t) { return has_bit(executed_.data(), t); };
      const bool before =
          buffer.from_start || std::any_of(buffer.touches.begin(), buffer.touches.end(), done);
      const bool own = std::count(buffer.touches.begin(), buffer.touches.end(), step) > 0;
      const bool over = !buffer.to_end && !first &&
                        std::all_of(buffer.touches.begin(), buffer.touches.end(), done);
      if (over || (!before && !own)) continue;
      fresh[b] = !before;
      dying[b] = !buffer.to_end && std::all_of(buffer.touches.begin(), buffer.touches.end(),
                                               [&](int t) { return t == step || done(t); });
      alive.push_back(static_cast<int>(b));
    }
    const size_t n = model_.buffers.size();
    for (const int a : alive) {
      for (const int b : alive) {
        const bool soft = dying[a] && fresh[b];
        meetings_[a * n + b] = std::max<char>(meetings_[a * n + b], soft ? 1 : 2);
      }
    }
    if (model_.scratch[step] > 0 || !model_.modes[step].empty()) {
      scratch_meetings(step, alive);
    }
  }

  // Scratch meets what is alive at its step; which modes are open is seen from the soft meetings.
  void scratch_meetings(int step, const std::vector<int>& alive) {
    meetings_.push_back(static_cast<char>(-1));
    meetings_.push_back(static_cast<char>(step));
    std::vector<char> row(model_.buffers.size(), 0);
    for (const int b : alive) row[b] = 1;
    meetings_.insert(meetings_.end(), row.begin(), row.end());
  }

  void place_whole() {
    OrderVerdict verdict = place_order(model_, order_, capacity(), enough_, effort_);
    if (verdict.placed.found) {
      answer_.placed = std::move(verdict.placed);
      stopped_ = answer_.placed.height_bytes <= enough_;
    } else if (verdict.lower_bound_bytes <= capacity()) {
      unproven_ = std::min(unproven_, verdict.lower_bound_bytes);
    }
    if (verdict.placed.found && verdict.lower_bound_bytes < answer_.placed.height_bytes) {
      unproven_ = std::min(unproven_, verdict.lower_bound_bytes);
    }
  }

 public:
  int64_t unproven() const { return unproven_; }

 private:
  const OrderModel& model_;
  int64_t enough_;
  Effort& effort_;
  ClassAnswer& answer_;
  Words executed_;
  std::vector<int> order_;
  std::vector<char> meetings_;
  std::set<std::pair<Words, std::vector<char>>> seen_;
  int64_t unproven_ = INT64_MAX;
  bool stopped_ = false;
};

}  // namespace

void search_orders_and_places(const OrderModel& model, const ClassLimits& limits, Effort& effort,
                              ClassAnswer& answer) {
  const int64_t enough = std::max(answer.lower_bound_bytes, limits.enough_bytes);
  Enumeration enumeration(model, enough, effort, answer);
  if (enumeration.run()) {
    const int64_t bound = std::min(enumeration.unproven(), answer.placed.height_bytes);
    answer.lower_bound_bytes = std::max(answer.lower_bound_bytes, bound);
  }
}

}  // namespace netkit::plan
