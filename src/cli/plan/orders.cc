// SPDX-License-Identifier: MIT
// plan --list-orders: every valid order of a small graph in place of a plan.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/plan/plan_group.h"
#include "compiler/plan/io/json.h"

namespace netkit::cli {
namespace {

void print_orders(const plan::Problem& problem, const std::vector<plan::OrderListing>& orders) {
  for (const plan::OrderListing& order : orders) {
    std::string names;
    for (const int step : order.order) {
      names += (names.empty() ? "" : "-") + problem.steps[static_cast<size_t>(step)].name;
    }
    fmt::print("{}: live {} B, peak {} B\n", printable(names), fmt::join(order.live_bytes, " "),
               order.peak_bytes);
  }
  fmt::print("{} orders\n", orders.size());
}

class OrdersGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_flag("--list-orders", list_orders_,
                  "every valid order of a graph of at most 12 steps");
  }

  Result<std::optional<int>> instead(const PlanRequest& request) override {
    if (!list_orders_) return std::nullopt;
    NK_TRY(no_arena(request.globals, "--list-orders"));
    NK_ASSIGN(const driver::Planned planned,
              driver::problem_of_file(request.model.model, request.compile));
    auto listed = plan::list_orders(planned.problem);
    if (!listed) {
      std::string& where = listed.error().where;
      where = where.empty() ? request.model.model : request.model.model + ": " + where;
    }
    NK_ASSIGN(const auto orders, std::move(listed));
    if (request.globals.json) {
      std::puts(plan::orders_json(planned.problem, orders).c_str());
    } else {
      print_orders(planned.problem, orders);
    }
    return 0;
  }

 private:
  bool list_orders_ = false;
};

}  // namespace

PlanGroupPtr orders_group() {
  return std::make_unique<OrdersGroup>();
}

}  // namespace netkit::cli
