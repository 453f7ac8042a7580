// SPDX-License-Identifier: MIT
// Every order of a small graph, with what is alive at each step.
#include <algorithm>

#include "compiler/plan/order/model.h"
#include "compiler/plan/plan.h"

namespace netkit::plan {
namespace {

constexpr int kMaxSteps = 12;
constexpr size_t kMaxOrders = 100'000;

class Lister {
 public:
  explicit Lister(const OrderModel& model) : model_(model), executed_(model.words(), 0) {}

  // False: there are too many.
  bool list(int64_t alive) {
    if (static_cast<int>(at_.order.size()) == model_.step_count()) {
      if (found_.size() == kMaxOrders) return false;
      found_.push_back(at_);
      found_.back().peak_bytes = *std::max_element(at_.live_bytes.begin(), at_.live_bytes.end());
      return true;
    }
    for (int s = 0; s < model_.step_count(); ++s) {
      const auto done = [&](int p) { return has_bit(executed_.data(), p); };
      const auto& preds = model_.preds[s];
      if (done(s) || !std::all_of(preds.begin(), preds.end(), done)) continue;
      const StepEffect e = step_effect(model_, executed_.data(), alive, s);
      at_.order.push_back(s);
      at_.live_bytes.push_back(e.need);
      set_bit(executed_.data(), s);
      const bool more = list(e.after);
      executed_[0] &= ~(uint64_t{1} << s);
      at_.order.pop_back();
      at_.live_bytes.pop_back();
      if (!more) return false;
    }
    return true;
  }

  std::vector<OrderListing> found_;

 private:
  const OrderModel& model_;
  Words executed_;
  OrderListing at_;
};

}  // namespace

Result<std::vector<OrderListing>> list_orders(const Problem& problem) {
  constexpr const char* kHint =
      "plan without --list-orders searches all orders; with it, give a part of the graph";
  NK_TRY(check_problem(problem));
  if (problem.steps.size() > kMaxSteps) {
    return fail(ErrorCode::kUsage,
                "orders are listed for at most 12 operators; this graph has " +
                    std::to_string(problem.steps.size()),
                {}, kHint);
  }
  Problem bytewise = problem;
  bytewise.alignment = 1;
  const OrderModel model = make_order_model(bytewise, {});
  Lister lister(model);
  if (!lister.list(start_bytes(model))) {
    return fail(ErrorCode::kUsage, "the graph has more than 100000 orders", {}, kHint);
  }
  return std::move(lister.found_);
}

}  // namespace netkit::plan
