// SPDX-License-Identifier: MIT
// Writing certificates: for each bound the simplest witness that shows it.
#include "compiler/plan/check/certificate.h"

#include <nlohmann/json.hpp>

#include "compiler/plan/io/json.h"
#include "compiler/plan/order/bare.h"
#include "compiler/plan/order/flow.h"

namespace netkit::plan {
namespace {

using Json = nlohmann::ordered_json;

// The step whose minimum cut is the bound, with the chains that show the cut; else a search.
Json witness(const Problem& problem, const PlanOptions& options, const Layout& layout) {
  const Problem bare = without_views(problem);  // as the checker counts
  const OrderModel model =
      make_order_model(bare, model_options(problem, options, layout.plan_class));
  SetCut cut(model);
  const Json none = {{"kind", "search"}};
  if (model.step_count() > kMaxCutSteps) return none;
  for (int s = 0; s < model.step_count(); ++s) {
    if (cut.step_bound(s) - possible_slack(model, s) < layout.lower_bound_bytes) continue;
    Json chains = Json::array();
    for (const SetCut::Chain& chain : cut.chains(s)) {
      Json names = Json::array();
      for (const int b : chain.buffers) {
        names.push_back(problem.tensors[model.buffers[b].tensor].name);
      }
      chains.push_back({{"bytes", chain.bytes}, {"tensors", names}});
    }
    Json found = {{"kind", "step"}, {"op", problem.steps[s].name}};
    if (!chains.empty()) found["chains"] = chains;
    return found;
  }
  return none;
}

// With its steps in an order in which they can be executed.
Problem executable(const Problem& problem) {
  Problem sorted = problem;
  sorted.steps.clear();
  for (const int s : topological_order(problem)) sorted.steps.push_back(problem.steps[s]);
  return sorted;
}

const char* in_out_name(InOut in_out) {
  return in_out == InOut::kInside        ? "inside"
         : in_out == InOut::kCallerOwned ? "caller"
                                         : "keep_inputs";
}

}  // namespace

std::string certificate_json(const Problem& problem, const PlanOptions& options,
                             const std::vector<Layout>& layouts) {
  Json root = {{"format", "netkit-certificate/1"},
               {"order", options.order == OrderChoice::kGiven ? "given" : "best"},
               {"in_out", in_out_name(options.in_out)},
               {"graph", Json::parse(graph_json(executable(problem)))},
               {"plans", Json::array()}};
  for (const Layout& layout : layouts) {
    Json plan = Json::parse(plan_json(problem, layout));
    for (const char* key : {"seconds", "time_limited", "given_order_peak_bytes", "tensor_sum_bytes",
                            "largest_tensor_bytes"}) {
      plan.erase(key);  // how it was found, and what only sums up the rest
    }
    for (Json& step : plan["steps"]) {
      step.erase("live");
      step.erase("live_bytes");
    }
    for (Json& buffer : plan["buffers"]) buffer.erase("overlaps");
    plan["witness"] = witness(problem, options, layout);
    root["plans"].push_back(plan);
  }
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> certify(const Problem& problem, const PlanOptions& options) {
  NK_ASSIGN(const std::vector<Layout> layouts, plan_classes(problem, options));
  return certificate_json(problem, options, layouts);
}

}  // namespace netkit::plan
