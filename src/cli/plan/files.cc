// SPDX-License-Identifier: MIT
// plan -o FILE, --graph FILE, --certificate FILE: the plan, its problem and its proof as JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/plan/plan_group.h"
#include "compiler/driver/plan/plan_buffer_list.h"
#include "compiler/plan/check/certificate.h"
#include "compiler/plan/check/checker.h"
#include "compiler/plan/io/json.h"

namespace netkit::cli {
namespace {

class FilesGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_option("-o,--output", output_, "write the plan as netkit-plan/1 JSON");
    verb.add_option("--graph", graph_output_, "write the problem as netkit-graph/1 JSON");
    verb.add_option("--certificate", certificate_,
                    "write plans, bounds and their witnesses for netkit check-plan");
  }

  Files files() const override { return {{output_, graph_output_, certificate_}, {}}; }

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    if (!graph_output_.empty()) NK_TRY(demand_problem(request, planned, "--graph"));
    if (!certificate_.empty() && !planned.list) {
      NK_TRY(demand_problem(request, planned, "--certificate"));
    }
    if (!output_.empty()) {
      answer.files.push_back(
          {output_, plan::plan_json(planned.problem, planned.layout, planned.gaps) + "\n"});
    }
    if (!graph_output_.empty()) {
      answer.files.push_back({graph_output_, plan::graph_json(planned.problem) + "\n"});
    }
    if (!certificate_.empty()) {
      NK_ASSIGN(const std::string text, certificate(request, planned));
      answer.files.push_back({certificate_, text + "\n"});
      NK_TRY(tell_unverified(text, answer));
    }
    return {};
  }

 private:
  // What check-plan will say of it, where that is less than the plan does.
  static Result<void> tell_unverified(const std::string& text, PlanAnswer& answer) {
    NK_ASSIGN(const std::vector<plan::PlanVerdict> verdicts, plan::check_certificate(text));
    for (const plan::PlanVerdict& v : verdicts) {
      if (v.valid && v.bound_verified) continue;
      answer.text += fmt::format(
          "certificate, class {}: bound {} B proven by the planner, not re-verified: {}\n",
          v.plan_class, v.lower_bound_bytes,
          printable(v.valid || !v.unchecked.empty() ? v.how : v.invalid_reason));
    }
    return {};
  }

  // The lives of a list are those of a graph in its given order.
  static Result<std::string> certificate(const PlanRequest& request,
                                         const driver::Planned& planned) {
    if (!planned.list) {
      return plan::certificate_json(planned.problem, request.compile.plan, planned.class_layouts);
    }
    NK_TRY(driver::demand_bare_lives(*planned.list, "a certificate"));
    if (!planned.pictured) {
      return fail(ErrorCode::kUsage, "the list is too long for a certificate", request.model.model,
                  "leave --certificate out, or give a part of the list");
    }
    plan::PlanOptions given = request.compile.plan;
    given.order = plan::OrderChoice::kGiven;
    return plan::certificate_json(planned.pictured->problem, given, {planned.pictured->layout});
  }

  std::string output_, graph_output_, certificate_;
};

}  // namespace

PlanGroupPtr files_group() {
  return std::make_unique<FilesGroup>();
}

}  // namespace netkit::cli
