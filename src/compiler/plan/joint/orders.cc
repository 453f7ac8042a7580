// SPDX-License-Identifier: MIT
// From the order question to a placed answer.
#include "compiler/plan/joint/orders.h"

#include <algorithm>
#include <numeric>

#include "compiler/plan/order/search.h"

namespace netkit::plan {
namespace {

constexpr int kMaxCutSteps = 4000;    // beyond, a minimum cut per step would take too long
constexpr int kMaxJointSteps = 24;    // beyond, orders and places are not enumerated together
constexpr int kBeamWidth = 16;
constexpr int kMaxBeamSteps = 4000;
constexpr uint64_t kFirstNodes = 20'000;
constexpr uint64_t kSlackNodes = 20'000;  // for the last bytes, below the alignment

// The largest slack of any buffer that can be alive at the step: put on top, it saves so much.
int64_t possible_slack(const OrderModel& model, int step) {
  const Step& s = model.problem->steps[step];
  int64_t slack = model.scratch[step] - s.scratch_bytes;
  for (const OrderMode& mode : model.modes[step]) {
    slack = std::max(slack, mode.scratch - s.overlaps[mode.overlap].scratch_bytes);
  }
  const auto before = [&](int t) { return has_bit(model.ancestors[step].data(), t); };
  const auto after = [&](int t) { return has_bit(model.descendants[step].data(), t); };
  for (const OrderBuffer& b : model.buffers) {
    if (b.slack <= slack) continue;
    const bool over = !b.to_end && std::all_of(b.touches.begin(), b.touches.end(), before);
    const bool not_yet = !b.from_start && std::all_of(b.touches.begin(), b.touches.end(), after);
    if (!over && !not_yet) slack = b.slack;
  }
  return slack;
}

int64_t bound_of_steps(const OrderModel& model) {
  int64_t bound = 0;
  SetCut cut(model);
  for (int s = 0; s < model.step_count(); ++s) {
    int64_t need = 0;
    if (model.step_count() > kMaxCutSteps) {
      int64_t extra = model.scratch[s];
      for (const OrderMode& m : model.modes[s]) extra = std::min(extra, m.scratch - m.saving);
      for (const int b : model.step_buffers[s]) need += model.buffers[b].bytes;
      need += extra;
    } else {
      need = cut.step_bound(s);
    }
    if (need > bound) bound = std::max(bound, need - possible_slack(model, s));
  }
  return bound;
}

// The same question in whole multiples of the alignment.
OrderModel without_slack(OrderModel model) {
  model.has_slack = false;
  for (OrderBuffer& b : model.buffers) b.slack = 0;
  return model;
}

int64_t largest_slack(const OrderModel& model) {
  int64_t slack = 0;
  for (int s = 0; s < model.step_count(); ++s) slack = std::max(slack, possible_slack(model, s));
  return slack;
}

struct Orders {
  std::vector<std::vector<int>> candidates;  // best first
  int64_t bound = 0;                         // no order needs less
};

// Forward and backward search in turns, each continued where it stopped.
void search_both_ways(const OrderModel& model, int64_t start, uint64_t nodes_allowed,
                      Effort& effort, Orders& found) {
  const OrderModel mirrored = reversed(model);
  OrderSearch forward(model, start), backward(mirrored, start);
  const auto over = [&] {
    effort.time_limited |= effort.deadline && now_seconds() > *effort.deadline;
    return effort.time_limited || forward.nodes() + backward.nodes() >= nodes_allowed;
  };
  bool done = false;
  const uint64_t slice = effort.deadline ? 2'000 : kFirstNodes;
  for (uint64_t nodes = slice; !done && !over(); nodes = std::min(2 * nodes, 50 * slice)) {
    done = forward.run(nodes) || (!over() && backward.run(nodes));
  }
  // Every budget that was passed over is proven to be too small.
  found.bound = std::max(forward.bound(), backward.bound());
  if (done) found.bound = forward.order().empty() ? backward.bound() : forward.bound();
  if (!backward.order().empty()) {
    found.candidates.emplace(found.candidates.begin(), backward.order().rbegin(),
                             backward.order().rend());
  }
  if (!forward.order().empty()) {
    found.candidates.insert(found.candidates.begin(), forward.order());
  }
}

// First in multiples of the alignment, where the search has the stronger rules; then, if sizes
// are no such multiples and bytes are left to gain or to prove, once more with the very sizes.
Orders search_orders(const OrderModel& model, const ClassLimits& limits, Effort& effort) {
  Orders orders;
  const int64_t bound = bound_of_steps(model);
  const int64_t start = std::max(bound, limits.enough_bytes);
  const auto known = [&](int64_t searched) {  // a search that began above the bound may end there
    return searched > start || limits.enough_bytes <= bound ? std::max(bound, searched) : bound;
  };
  if (!model.has_slack) {
    search_both_ways(model, start, limits.order_nodes, effort, orders);
    orders.bound = known(orders.bound);
    return orders;
  }
  search_both_ways(without_slack(model), start, limits.order_nodes, effort, orders);
  orders.bound = known(orders.bound - largest_slack(model));
  int64_t best = INT64_MAX;
  for (const auto& order : orders.candidates) best = std::min(best, order_bound(model, order));
  if (best <= std::max(orders.bound, limits.enough_bytes)) return orders;
  Orders exact;
  search_both_ways(model, std::max(orders.bound, limits.enough_bytes),
                   std::min(limits.order_nodes, kSlackNodes), effort, exact);
  if (exact.bound > limits.enough_bytes) orders.bound = std::max(orders.bound, exact.bound);
  orders.candidates.insert(orders.candidates.begin(), exact.candidates.begin(),
                           exact.candidates.end());
  return orders;
}

void improve(const OrderModel& model, const std::vector<int>& order, int64_t enough,
             Effort& effort, ClassAnswer& answer) {
  std::optional<int64_t> capacity;
  if (answer.placed.found) capacity = answer.placed.height_bytes - 1;
  if (capacity && order_bound(model, order) > *capacity) return;
  OrderVerdict verdict = place_order(model, order, capacity, enough, effort);
  if (verdict.placed.found) answer.placed = std::move(verdict.placed);
}

}  // namespace

ClassAnswer solve_class(const OrderModel& model, const ClassLimits& limits, Effort& effort) {
  ClassAnswer answer;
  std::vector<int> given(model.step_count());
  std::iota(given.begin(), given.end(), 0);
  if (limits.fixed_order) {
    const int64_t bound = order_bound(model, given);
    OrderVerdict verdict = place_order(model, given, std::nullopt,
                                       std::max(bound, limits.enough_bytes), effort);
    answer.placed = std::move(verdict.placed);
    answer.lower_bound_bytes = std::max(bound, verdict.lower_bound_bytes);
    return answer;
  }
  OrderModel twins = model;
  order_twins(twins);
  Orders orders = search_orders(twins, limits, effort);
  answer.lower_bound_bytes = orders.bound;
  const int64_t enough = std::max(orders.bound, limits.enough_bytes);
  if (orders.candidates.empty() && model.step_count() <= kMaxBeamSteps) {
    orders.candidates.push_back(beam_order(model, kBeamWidth));
  }
  orders.candidates.push_back(topological_order(*model.problem));
  for (const auto& order : orders.candidates) {
    if (answer.placed.found && answer.placed.height_bytes <= enough) break;
    improve(model, order, enough, effort, answer);
  }
  if (answer.placed.height_bytes > enough && model.step_count() <= kMaxJointSteps) {
    search_orders_and_places(twins, limits, effort, answer);
  }
  return answer;
}

}  // namespace netkit::plan
