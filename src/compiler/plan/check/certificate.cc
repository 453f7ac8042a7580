// SPDX-License-Identifier: MIT
// Writing certificates.
#include "compiler/plan/check/certificate.h"

#include <nlohmann/json.hpp>

#include "compiler/plan/check/witness.h"
#include "compiler/plan/io/json.h"

namespace netkit::plan {
namespace {

using Json = nlohmann::ordered_json;

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
    plan["witness"] = Json::parse(witness_json(problem, options, layout));
    root["plans"].push_back(plan);
  }
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> certify(const Problem& problem, const PlanOptions& options) {
  NK_ASSIGN(const std::vector<Layout> layouts, plan_classes(problem, options));
  return certificate_json(problem, options, layouts);
}

}  // namespace netkit::plan
