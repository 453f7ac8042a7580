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

int64_t bound_of_steps(const OrderModel& model) {
  int64_t bound = 0;
  SetCut cut(model);
  int64_t slack = 0;
  for (const OrderBuffer& b : model.buffers) slack = std::max(slack, b.slack);
  if (model.has_slack) slack = std::max(slack, model.alignment - 1);
  for (int s = 0; s < model.step_count(); ++s) {
    if (model.step_count() > kMaxCutSteps) {
      int64_t own = model.scratch[s];
      for (const int b : model.step_buffers[s]) own += model.buffers[b].bytes;
      for (const OrderMode& mode : model.modes[s]) {
        own = std::min(own, own - model.scratch[s] - mode.saving + mode.scratch);
      }
      bound = std::max(bound, own);
    } else {
      bound = std::max(bound, cut.step_bound(s));
    }
  }
  return std::max<int64_t>(0, bound - slack);
}

struct Orders {
  std::vector<std::vector<int>> candidates;  // best first
  int64_t bound = 0;                         // no order needs less
};

// Forward and backward search in turns, each continued where it stopped.
Orders search_orders(const OrderModel& model, const ClassLimits& limits, Effort& effort) {
  Orders found;
  found.bound = bound_of_steps(model);
  const int64_t start = std::max(found.bound, limits.enough_bytes);
  const OrderModel mirrored = reversed(model);
  OrderSearch forward(model, start), backward(mirrored, start);
  const auto over = [&] {
    effort.time_limited |= effort.deadline && now_seconds() > *effort.deadline;
    return effort.time_limited ||
           forward.nodes() + backward.nodes() >= limits.order_nodes;
  };
  bool done = false;
  const uint64_t slice = effort.deadline ? 2'000 : kFirstNodes;
  for (uint64_t nodes = slice; !done && !over(); nodes = std::min(2 * nodes, 50 * slice)) {
    done = forward.run(nodes) || (!over() && backward.run(nodes));
  }
  if (done && limits.enough_bytes <= found.bound) {
    found.bound = forward.order().empty() ? backward.bound() : forward.bound();
  } else {
    // A budget that was raised past the target says that nothing at the target works.
    const int64_t reached = std::max(forward.bound(), backward.bound());
    if (reached > start) found.bound = std::max(found.bound, reached);
  }
  if (!forward.order().empty()) found.candidates.push_back(forward.order());
  if (!backward.order().empty()) {
    found.candidates.emplace_back(backward.order().rbegin(), backward.order().rend());
  }
  return found;
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
