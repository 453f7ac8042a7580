// SPDX-License-Identifier: MIT
// plan A B … --exclusive|--concurrent: several models in one arena.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/plan/plan_group.h"

namespace netkit::cli {
namespace {

class SharedGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_option("more", more_, "further models for the same arena");
    verb.add_flag("--exclusive", exclusive_, "the models run one at a time; states live on");
    verb.add_flag("--concurrent", concurrent_, "the models may run at the same time");
  }

  Files files() const override { return {{}, more_}; }

  Result<void> prepare(PlanRequest& request) override {
    if (exclusive_ && concurrent_) {
      return fail(ErrorCode::kUsage, "exclude each other", "--exclusive, --concurrent",
                  "give the one that says how the models run");
    }
    const bool asked = exclusive_ || concurrent_;
    if (more_.empty() == !asked) {
      request.more = more_;
      request.sharing = concurrent_ ? plan::Sharing::kConcurrent : plan::Sharing::kExclusive;
      return {};
    }
    if (more_.empty())
      return fail(ErrorCode::kUsage, "one model shares with nobody",
                  concurrent_ ? "--concurrent" : "--exclusive", "name a second model");
    return fail(ErrorCode::kUsage, "several models need to know how they share the arena", {},
                "add --exclusive (one runs at a time) or --concurrent");
  }

 private:
  std::vector<std::string> more_;
  bool exclusive_ = false, concurrent_ = false;
};

}  // namespace

Result<void> demand_problem(const PlanRequest& request, const driver::Planned& planned,
                            const char* option) {
  if (!request.more.empty()) {
    return fail(ErrorCode::kUsage, "is of one model, and several are given", option,
                "ask for each model alone");
  }
  if (planned.list) {
    return fail(ErrorCode::kUsage, "a buffer list has no operators", option,
                "leave it out, or give the model or graph");
  }
  if (planned.class_layouts.empty()) {
    return fail(ErrorCode::kUsage,
                fmt::format("{} holds a finished plan, without operators", request.model.model),
                option, "give the model or graph that it was made from");
  }
  return {};
}

PlanGroupPtr shared_group() {
  return std::make_unique<SharedGroup>();
}

}  // namespace netkit::cli
