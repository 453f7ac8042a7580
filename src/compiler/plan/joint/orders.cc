// SPDX-License-Identifier: MIT
// From the order question to a placed answer.
#include "compiler/plan/joint/orders.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/plan/order/search.h"

namespace netkit::plan {
namespace {

constexpr int kMaxJointSteps = 24;  // beyond, orders and places are not enumerated together
constexpr int kBeamWidth = 16;
constexpr int kMaxBeamSteps = 4000;
constexpr uint64_t kFirstNodes = 20'000;
constexpr uint64_t kQuickPlaceNodes = 10'000;
constexpr double kGreedyPart = 0.25, kOrderPart = 0.6;  // of the time that is left
constexpr uint64_t kSlackNodes = 50'000;  // per question about bytes below the alignment

// No order needs less for any one step, in whole multiples of the alignment and as sizes stand.
struct StepBounds {
  int64_t rounded = 0, exact = 0;
};
// What the step itself needs, whatever else is alive.
int64_t own_bytes(const OrderModel& model, int step) {
  int64_t extra = model.scratch[step];
  for (const OrderMode& m : model.modes[step]) extra = std::min(extra, m.scratch - m.saving);
  for (const int b : model.step_buffers[step]) extra += model.buffers[b].bytes;
  return extra;
}

// What any step needs that an order may begin with, inputs that nothing reads included.
StepBounds bounds_of_first(const OrderModel& model) {
  const Words none(model.words(), 0);
  StepBounds least{INT64_MAX, INT64_MAX};
  for (int s = 0; s < model.step_count(); ++s) {
    if (!model.preds[s].empty()) continue;
    const int64_t need = step_effect(model, none.data(), start_bytes(model), s).need;
    least.rounded = std::min(least.rounded, need);
    least.exact = std::min(least.exact, need - live_slack(model, none.data(), s));
  }
  return least;
}

StepBounds bounds_of_steps(const OrderModel& model, const Deadline& deadline) {
  StepBounds bounds;
  if (model.unread_bytes > 0) bounds = bounds_of_first(model);
  SetCut cut(model, deadline);
  for (int s = 0; s < model.step_count(); ++s) {
    const bool cheap = model.step_count() > kMaxCutSteps || deadline.passed();
    const int64_t need = cheap ? own_bytes(model, s) : cut.step_bound(s);
    bounds.rounded = std::max(bounds.rounded, need);
    if (need > bounds.exact) {
      bounds.exact = std::max(bounds.exact, need - possible_slack(model, s));
    }
  }
  return bounds;
}

// All slacks through `change`.
template <typename Change>
OrderModel with_slacks(OrderModel model, Change change) {
  for (OrderBuffer& b : model.buffers) b.slack = change(b.slack);
  for (int64_t& slack : model.scratch_slack) slack = change(slack);
  for (auto& modes : model.modes) {
    for (OrderMode& m : modes) m.scratch_slack = change(m.scratch_slack);
  }
  sort_by_slack(model);
  return model;
}

// The same question in whole multiples of the alignment.
OrderModel without_slack(const OrderModel& model) {
  OrderModel rounded = with_slacks(model, [](int64_t) { return int64_t{0}; });
  rounded.has_slack = false;
  return rounded;
}

// Every slack there is, the largest first.
std::set<int64_t, std::greater<>> slacks_of(const OrderModel& model) {
  std::set<int64_t, std::greater<>> found;
  with_slacks(model, [&](int64_t slack) {
    found.insert(slack);
    return slack;
  });
  return found;
}

struct Orders {
  std::vector<std::vector<int>> candidates;  // best first
  int64_t bound = 0;                         // no order needs less
};

// Forward and backward search in turns, each continued where it stopped; false: unfinished.
// Budgets above `ceiling` are of no interest. The backward search does not see inputs that nothing
// reads: with these it decides only where its order needs no more for them.
bool search_both_ways(const OrderModel& model, int64_t start, int64_t ceiling,
                      uint64_t nodes_allowed, const Deadline& deadline, Orders& found) {
  const OrderModel mirrored = reversed(model);
  OrderSearch forward(model, start, deadline), backward(mirrored, start, deadline);
  std::vector<int> other;
  const auto over = [&] {
    return deadline.passed() || forward.nodes() + backward.nodes() >= nodes_allowed ||
           (forward.full() && (backward.full() || !other.empty())) ||
           std::max(forward.bound(), backward.bound()) > ceiling;
  };
  bool done = false;
  for (uint64_t nodes = kFirstNodes; !done && !over();
       nodes = std::min(2 * nodes, 50 * kFirstNodes)) {
    done = forward.run(nodes);
    if (done || over() || !other.empty() || !backward.run(nodes)) continue;
    other.assign(backward.order().rbegin(), backward.order().rend());
    done = model.unread_bytes == 0 || order_bound(model, other) <= backward.bound();
  }
  // Every budget that was passed over is proven to be too small.
  found.bound = std::max(forward.bound(), backward.bound());
  if (done) found.bound = forward.order().empty() ? backward.bound() : forward.bound();
  if (!other.empty()) found.candidates.insert(found.candidates.begin(), other);
  if (!forward.order().empty()) {
    found.candidates.insert(found.candidates.begin(), forward.order());
  }
  return done;
}

// `orders` is best in multiples of the alignment, `rounded` its need. What its fullest steps need
// below that depends on the slack of what lies on top: is there an order whose every step of that
// need has at least so much? Asked from the largest slack down.
void search_slack(const OrderModel& model, int64_t rounded, const Deadline& deadline,
                  Orders& orders) {
  int64_t best = rounded;
  for (const auto& order : orders.candidates) best = std::min(best, order_bound(model, order));
  for (const int64_t slack : slacks_of(model)) {
    const int64_t aim = rounded - slack;
    if (aim >= best) break;
    if (aim < orders.bound) continue;
    OrderModel asked =
        with_slacks(model, [&](int64_t s) { return s >= slack ? int64_t{1} : int64_t{0}; });
    Orders found;
    const bool done =
        search_both_ways(asked, rounded - 1, rounded - 1, kSlackNodes, deadline, found);
    orders.bound = std::max(orders.bound, aim);
    if (done && found.bound < rounded) {
      orders.candidates.insert(orders.candidates.begin(), found.candidates.begin(),
                               found.candidates.end());
      return;
    }
    if (found.bound < rounded) return;  // neither found nor excluded
  }
  orders.bound = std::max(orders.bound, best);
}

Orders search_orders(const OrderModel& model, const ClassLimits& limits, const Deadline& deadline,
                     Effort& effort) {
  Orders orders;
  const auto [least, bound] = bounds_of_steps(model, deadline);
  // From what no rounded order goes below: the search has no need to exclude it once more.
  const int64_t start = std::max(least, limits.enough_bytes);
  const OrderModel rounded = without_slack(model);
  const int64_t most_slack = model.has_slack ? *slacks_of(model).begin() : 0;
  const bool done =
      search_both_ways(rounded, start, INT64_MAX, limits.order_nodes, deadline, orders);
  const int64_t searched = orders.bound;
  orders.bound = bound;
  // A search that began above the bound proves something only where it went on from there.
  if (searched > start || limits.enough_bytes <= least) {
    orders.bound = std::max(bound, searched - most_slack);
  }
  if (model.has_slack && done && limits.enough_bytes <= bound) {
    int64_t need = INT64_MAX;
    for (const auto& order : orders.candidates) need = std::min(need, order_bound(rounded, order));
    search_slack(model, std::max(need, searched), deadline, orders);
  }
  effort.time_limited |= deadline.passed();
  return orders;
}

void improve(const OrderModel& model, const std::vector<int>& order, int64_t enough, Effort& effort,
             ClassAnswer& answer) {
  if (effort.spent()) return;
  std::optional<int64_t> capacity;
  if (answer.placed.found) capacity = answer.placed.height_bytes - 1;
  if (capacity && order_bound(model, order) > *capacity) return;
  OrderVerdict verdict = place_order(model, order, capacity, enough, effort);
  if (verdict.placed.found) answer.placed = std::move(verdict.placed);
}

std::vector<int> first_to_last(const OrderModel& model) {
  std::vector<int> given(model.step_count());
  std::iota(given.begin(), given.end(), 0);
  return given;
}

// Empty where that would take too long.
std::vector<int> greedy_order(const OrderModel& model, const Deadline& deadline) {
  if (model.step_count() > kMaxBeamSteps) return {};
  return beam_order(model, kBeamWidth, deadline);
}

void keep_lower(PlacedOrder&& placed, ClassAnswer& answer) {
  const bool lower =
      placed.found && (!answer.placed.found || placed.height_bytes < answer.placed.height_bytes);
  if (lower) answer.placed = std::move(placed);
}

}  // namespace

std::vector<int> search_order(const OrderModel& model, const ClassLimits& limits, Effort& effort,
                              int64_t& lower_bound_bytes) {
  OrderModel twins = model;
  order_twins(twins);
  Orders orders = search_orders(twins, limits, effort.deadline, effort);
  lower_bound_bytes = orders.bound;
  if (orders.candidates.empty()) {
    orders.candidates = {quick_order(model), topological_order(*model.problem)};
    const std::vector<int> greedy = greedy_order(model, effort.deadline);
    if (!greedy.empty()) orders.candidates.push_back(greedy);
  }
  const auto better = [&](const std::vector<int>& a, const std::vector<int>& b) {
    return order_bound(model, a) < order_bound(model, b);
  };
  return *std::min_element(orders.candidates.begin(), orders.candidates.end(), better);
}

int64_t class_bound(const OrderModel& model, const ClassLimits& limits, Effort& effort) {
  if (!limits.fixed_order) {
    OrderModel twins = model;
    order_twins(twins);
    return search_orders(twins, limits, effort.deadline, effort).bound;
  }
  Effort none;
  const std::vector<int> given = first_to_last(model);
  return std::max(order_bound(model, given),
                  place_order(model, given, std::nullopt, 0, none).lower_bound_bytes);
}

ClassAnswer solve_class(const OrderModel& model, const ClassLimits& limits, Effort& effort) {
  ClassAnswer answer;
  if (limits.fixed_order) {
    const std::vector<int> given = first_to_last(model);
    const int64_t bound = order_bound(model, given);
    OrderVerdict verdict =
        place_order(model, given, std::nullopt, std::max(bound, limits.enough_bytes), effort);
    answer.placed = std::move(verdict.placed);
    if (!answer.placed.found) answer.placed = place_greedily(model, given);
    answer.lower_bound_bytes = std::max(bound, verdict.lower_bound_bytes);
    return answer;
  }
  const std::vector<int> given = topological_order(*model.problem);
  std::vector<int> greedy, quick;
  if (effort.deadline.set()) {  // what there is when time is up
    quick = quick_order(model);
    keep_lower(place_greedily(model, quick), answer);
    greedy = greedy_order(model, effort.deadline.after_part(kGreedyPart));
    keep_lower(place_greedily(model, given), answer);
    if (!greedy.empty()) keep_lower(place_greedily(model, greedy), answer);
  }
  OrderModel twins = model;
  order_twins(twins);
  Orders orders = search_orders(twins, limits, effort.deadline.after_part(kOrderPart), effort);
  answer.lower_bound_bytes = orders.bound;
  const int64_t enough = std::max(orders.bound, limits.enough_bytes);
  if (orders.candidates.empty()) {
    if (greedy.empty()) greedy = greedy_order(model, effort.deadline);
    if (quick.empty()) quick = quick_order(model);
    if (greedy.empty() || order_bound(model, quick) < order_bound(model, greedy)) {
      orders.candidates.push_back(quick);
    }
    if (!greedy.empty()) orders.candidates.push_back(greedy);
  }
  orders.candidates.push_back(given);
  // An order that is hard to place may stand beside one that is easy.
  const uint64_t all_nodes = effort.place_nodes;
  for (const uint64_t nodes : {std::min(all_nodes, kQuickPlaceNodes), all_nodes}) {
    effort.place_nodes = nodes;
    for (const auto& order : orders.candidates) {
      if (answer.placed.found && answer.placed.height_bytes <= enough) break;
      improve(model, order, enough, effort, answer);
    }
  }
  if (!answer.placed.found) keep_lower(place_greedily(model, orders.candidates[0]), answer);
  if (answer.placed.height_bytes > enough && model.step_count() <= kMaxJointSteps) {
    search_orders_and_places(twins, limits, effort, answer);
  }
  return answer;
}

}  // namespace netkit::plan
