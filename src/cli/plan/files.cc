// SPDX-License-Identifier: MIT
// plan -o FILE, --graph FILE, --certificate FILE: the plan, its problem and its proof as JSON.
#include <CLI/CLI.hpp>

#include "cli/plan/plan_group.h"
#include "compiler/plan/check/certificate.h"
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

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    const bool searched = !planned.class_layouts.empty();
    if (!searched && !(graph_output_.empty() && certificate_.empty())) {
      return fail(ErrorCode::kUsage, "a stored or shared plan has no problem to write",
                  request.model.model, "give the one model that it was made from");
    }
    if (!output_.empty()) {
      answer.files.push_back({output_, plan::plan_json(planned.problem, planned.layout) + "\n"});
    }
    if (!graph_output_.empty()) {
      answer.files.push_back({graph_output_, plan::graph_json(planned.problem) + "\n"});
    }
    if (!certificate_.empty()) {
      const std::string text =
          plan::certificate_json(planned.problem, request.compile.plan, planned.class_layouts);
      answer.files.push_back({certificate_, text + "\n"});
    }
    return {};
  }

 private:
  std::string output_, graph_output_, certificate_;
};

}  // namespace

PlanGroupPtr files_group() {
  return std::make_unique<FilesGroup>();
}

}  // namespace netkit::cli
