// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/plan_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/driver/assemble.h"
#include "compiler/import/import.h"
#include "compiler/plan/io/json.h"
#include "compiler/select/target.h"

namespace netkit::driver {

Result<Planned> problem_of_file(const std::string& path, CompileOptions options) {
  Planned planned;
  if (path.ends_with(".json")) {
    NK_ASSIGN(const Bytes bytes, read_model_file(path));
    auto problem = plan::parse_graph({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!problem) {
      Error error = std::move(problem.error());
      error.where = error.where.empty() ? path : path + ": " + error.where;
      return std::unexpected(std::move(error));
    }
    planned.problem = std::move(*problem);
    return planned;
  }
  options.last = Phase::kSelect;
  NK_ASSIGN(Compilation made, compile_file(path, options));
  planned.problem = to_problem(made.schedule, find_target(options.target)->arena_alignment);
  planned.warnings = std::move(made.warnings);
  return planned;
}

Result<Planned> plan_file(const std::string& path, const CompileOptions& options) {
  NK_ASSIGN(Planned planned, problem_of_file(path, options));
  NK_ASSIGN(planned.class_layouts, plan::plan_classes(planned.problem, options.plan));
  planned.layout = plan::best_layout(planned.class_layouts, options.plan);
  return planned;
}

Result<std::vector<plan::PlanVerdict>> check_plan_file(const std::string& path) {
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  auto verdicts =
      plan::check_certificate({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (verdicts) return verdicts;
  Error error = std::move(verdicts.error());
  error.where = path;
  error.hint = "a certificate comes from netkit plan MODEL --certificate FILE";
  return std::unexpected(std::move(error));
}

std::string check_plan_json(const std::vector<plan::PlanVerdict>& verdicts) {
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  for (const plan::PlanVerdict& v : verdicts) {
    plans.push_back({{"class", v.plan_class},
                     {"arena_bytes", v.arena_bytes},
                     {"lower_bound_bytes", v.lower_bound_bytes},
                     {"valid", v.valid},
                     {"reason", v.invalid_reason},
                     {"bound_verified", v.bound_verified},
                     {"how", v.how}});
  }
  const nlohmann::ordered_json root = {
      {"format", "netkit-check/1"}, {"accepted", accepted(verdicts)}, {"plans", plans}};
  return root.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool accepted(const std::vector<plan::PlanVerdict>& verdicts) {
  return std::ranges::all_of(
      verdicts, [](const plan::PlanVerdict& v) { return v.valid && v.bound_verified; });
}

}  // namespace netkit::driver
