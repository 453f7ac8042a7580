// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/plan_file.h"

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
  NK_ASSIGN(planned.layout, plan::plan(planned.problem, options.plan));
  return planned;
}

}  // namespace netkit::driver
