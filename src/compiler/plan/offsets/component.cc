// SPDX-License-Identifier: MIT
// Greedy incumbents, then searches with restarts: at the bound first, then between bound and best.
#include "compiler/plan/offsets/component.h"

#include <algorithm>

#include "compiler/plan/offsets/orders.h"
#include "compiler/plan/offsets/strip.h"
#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

using Outcome = Search::Outcome;

constexpr size_t kMostExact = 3000;  // members; pairs grow with the square
constexpr uint64_t kGreedyOrders = 5;
constexpr uint64_t kRestartNodes = 512;
constexpr uint64_t kLongEvery = 32;

class Solver {
 public:
  Solver(const Instance& instance, const ComponentGoal& goal, const Deadline& deadline)
      : instance_(instance),
        goal_(goal),
        deadline_(deadline),
        search_(instance),
        bound_(instance.bound_bytes) {}

  void solve();
  ComponentPlan result() const;

 private:
  void keep(const std::vector<int64_t>& offsets);
  Outcome attempt(int64_t height_bytes, uint64_t budget);
  void raise_bound(int64_t failed_height);
  void bisect();
  bool done() const {
    if (bound_ >= ceiling()) return true;
    return placed_ && height_ <= goal_.enough_bytes;
  }
  bool spent() const { return search_.nodes() >= goal_.node_budget || deadline_.passed(); }
  uint64_t rest() const { return goal_.node_budget - search_.nodes(); }
  // The lowest height worth asking for.
  int64_t lowest() const { return std::max(bound_, goal_.enough_bytes); }
  // One past the highest height that would be an answer or an improvement.
  int64_t ceiling() const {
    if (placed_) return height_;
    return goal_.capacity ? *goal_.capacity + 1 : instance_total() + 1;
  }
  int64_t instance_total() const;

  const Instance& instance_;
  const ComponentGoal& goal_;
  const Deadline& deadline_;
  Search search_;
  int64_t bound_;
  bool placed_ = false;
  std::vector<int64_t> best_;
  int64_t height_ = 0;
  uint64_t draw_ = kGreedyOrders;
};

// A height at which everything can be stacked, obstacles included.
int64_t Solver::instance_total() const {
  int64_t total = 0, highest = 0;
  for (const Item& x : instance_.items) {
    total += x.size + x.alignment;
    highest = std::max(highest, x.least);
    if (!x.obstacles.empty()) highest = std::max(highest, x.obstacles.back().end);
  }
  return std::max((total + highest) * instance_.unit, instance_.bound_bytes);
}

void Solver::keep(const std::vector<int64_t>& offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] > instance_.items[i].most) return;
  }
  const int64_t height = height_of(instance_, offsets);
  if (placed_ && height >= height_) return;
  if (goal_.capacity && height > *goal_.capacity) return;
  placed_ = true;
  best_ = offsets;
  height_ = height;
}

// The next height at which one more offset of some item becomes legal.
void Solver::raise_bound(int64_t failed_height) {
  if (!instance_.exact) return;
  int64_t next = INT64_MAX;
  for (const Item& x : instance_.items) {
    const int64_t steps = ceil_div(failed_height + 1 - x.bytes, instance_.unit);
    next = std::min(next, x.bytes + std::max<int64_t>(0, steps) * instance_.unit);
  }
  bound_ = std::max(bound_, next);
}

Outcome Solver::attempt(int64_t height_bytes, uint64_t budget) {
  const uint64_t start = search_.nodes(), stop = start + std::min(budget, rest());
  for (uint64_t restart = 0; search_.nodes() < stop && !deadline_.passed(); ++restart) {
    uint64_t nodes = luby(restart) * kRestartNodes;
    // Luck comes early or not at all; now and then a long run, which may exhaust the space.
    if (restart % kLongEvery == kLongEvery - 1) {
      nodes = std::max(nodes, (search_.nodes() - start) / 2);
    }
    nodes = std::min(nodes, stop - search_.nodes());
    const TryOrder order = {draw_rank(instance_, draw_), draw_ % 2 == 0};
    ++draw_;
    const Outcome outcome = search_.run(height_bytes, order, nodes, deadline_);
    if (outcome == Outcome::kStopped) continue;
    if (outcome == Outcome::kFound) keep(search_.offsets());
    if (outcome == Outcome::kNone) raise_bound(height_bytes);
    return outcome;
  }
  return Outcome::kStopped;
}

void Solver::bisect() {
  int64_t low = lowest();
  while (!done() && !spent() && ceiling() - low > instance_.unit) {
    const int64_t middle = low + (ceiling() - low) / 2;
    const Outcome outcome = attempt(middle, std::max<uint64_t>(rest() / 8, 1024));
    if (outcome == Outcome::kNone && !instance_.exact) return;
    if (outcome != Outcome::kFound) low = middle;
  }
}

void Solver::solve() {
  for (uint64_t i = 0; i < kGreedyOrders && !done(); ++i) {
    if (i > 0 && deadline_.passed()) return;
    keep(first_fit(instance_, draw_rank(instance_, i)));
  }
  // Heights from the bound upward, as long as each is decided quickly.
  while (!done() && !spent()) {
    if (attempt(std::min(lowest(), ceiling() - 1), rest() / 4) != Outcome::kNone) break;
    if (!instance_.exact) break;
  }
  bisect();
  while (!done() && !spent()) {
    const Outcome outcome = attempt(std::min(lowest(), ceiling() - 1), rest());
    if (outcome == Outcome::kNone && !instance_.exact) break;
  }
}

ComponentPlan Solver::result() const {
  ComponentPlan plan;
  plan.placed = placed_;
  plan.impossible = !placed_ && !goal_.capacity && bound_ >= ceiling();
  plan.lower_bound_bytes = bound_;
  plan.nodes = search_.nodes();
  plan.offsets = best_;
  plan.height_bytes = height_;
  return plan;
}

ComponentPlan place_items(const Instance& instance, const ComponentGoal& goal,
                          const Deadline& deadline) {
  if (instance.arcs.empty() && !instance.items.empty()) {
    return place_large(instance, goal, deadline);
  }
  Solver solver(instance, goal, deadline);
  solver.solve();
  return solver.result();
}

// From units per item to bytes per member, fixed ones included.
void spread(const PlacementProblem& problem, const std::vector<int>& members,
            const Instance& instance, ComponentPlan* plan) {
  std::vector<std::pair<int, int64_t>> by_buffer;
  for (size_t i = 0; i < plan->offsets.size(); ++i) {
    by_buffer.emplace_back(instance.items[i].buffer, plan->offsets[i] * instance.unit);
  }
  std::sort(by_buffer.begin(), by_buffer.end());
  std::vector<int64_t> offsets;
  auto next = by_buffer.begin();
  for (const int m : members) {
    const PlacementBuffer& b = problem.buffers[static_cast<size_t>(m)];
    offsets.push_back(b.fixed_offset ? *b.fixed_offset : (next++)->second);
    plan->height_bytes = std::max(plan->height_bytes, offsets.back() + b.bytes);
  }
  plan->offsets = std::move(offsets);
}

}  // namespace

ComponentPlan place_component(const PlacementProblem& problem, const std::vector<int>& members,
                              const ComponentGoal& goal, const Deadline& deadline) {
  const bool large = goal.greedy || members.size() > kMostExact;
  const Detail detail = large ? Detail::kLoads : Detail::kAll;
  const Instance instance = make_instance(problem, members, detail);
  ComponentPlan plan = place_items(instance, goal, deadline);
  if (plan.placed) spread(problem, members, instance, &plan);
  return plan;
}

}  // namespace netkit::plan
