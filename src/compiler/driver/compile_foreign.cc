// SPDX-License-Identifier: MIT
// The line from an imported network on: it needs none of the importers, so that a program which
// builds its networks by hand links none.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/assemble.h"
#include "compiler/driver/compile.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/io/json.h"
#include "compiler/select/select.h"
#include "netkit/version.h"

namespace netkit::driver {
namespace {

std::vector<std::pair<std::string, std::string>> provenance(const Compilation& c,
                                                            const CompileOptions& options) {
  std::string used = fmt::format("target={}", options.target);
  if (options.plan.order == plan::OrderChoice::kGiven) used += " order=given";
  if (options.plan.class_limit == plan::PlanClass::kPlain) used += " class=plain";
  if (options.plan.in_out == plan::InOut::kCallerOwned) used += " io=caller";
  for (const auto& [name, dims] : options.shapes) {
    used += fmt::format(" shape:{}={}", name, dims_text(dims));
  }
  for (const auto& pass : options.disabled_passes) used += fmt::format(" without:{}", pass);
  const std::string& path = c.foreign.file;
  return {{"source", path.substr(path.find_last_of('/') + 1)},
          {"sha256", c.foreign.sha256},
          {"version", NETKIT_VERSION_STRING},
          {"options", used}};
}

// passes, select and plan, as far as options.last says.
Result<void> compile_lowered(const Target& target, const CompileOptions& options, Compilation& c) {
  PassOptions pass_options;
  pass_options.disabled = options.disabled_passes;
  NK_ASSIGN(c.graph, optimise(c.lowered, pass_options));
  if (options.last == Phase::kPasses) return {};
  NK_ASSIGN(c.schedule, select(c.graph, target));
  if (options.last == Phase::kSelect) return {};
  c.problem = to_problem(c.schedule, target.arena_alignment);
  NK_ASSIGN(c.class_layouts, plan::plan_classes(c.problem, options.plan));
  c.layout = plan::best_layout(c.class_layouts, options.plan);
  return {};
}

bool any_parts(const Graph& graph) {
  return std::ranges::any_of(graph.nodes,
                             [](const Node& node) { return node.op.ends_with("_parts"); });
}

// Steps whose kernel is made for the target.
int64_t special_kernels(const Schedule& schedule) {
  return std::ranges::count_if(
      schedule.steps, [](const ScheduleStep& step) { return step.row->arch != "generic"; });
}

// The same net with its concatenations made, where that takes less memory, or no more
// and has kernels of the target that do not read parts; `options` then says so.
Result<void> plan_joined(const Target& target, CompileOptions& options, Compilation& c) {
  if (!any_parts(c.graph) || c.layout.verdict == plan::Verdict::kFits) return {};
  CompileOptions joined_options = options;
  joined_options.disabled_passes.emplace_back(kReadParts);
  Compilation joined;
  joined.lowered = c.lowered;
  NK_TRY(compile_lowered(target, joined_options, joined));
  const bool smaller = joined.layout.arena_bytes < c.layout.arena_bytes ||
                       (joined.layout.arena_bytes == c.layout.arena_bytes &&
                        special_kernels(joined.schedule) > special_kernels(c.schedule));
  const bool proven = c.layout.verdict == plan::Verdict::kProvenNoFit &&
                      joined.layout.verdict == plan::Verdict::kProvenNoFit;
  if (smaller) {
    c.graph = std::move(joined.graph);
    c.schedule = std::move(joined.schedule);
    c.problem = std::move(joined.problem);
    c.class_layouts = std::move(joined.class_layouts);
    c.layout = std::move(joined.layout);
    options = std::move(joined_options);
  }
  if (c.layout.verdict == plan::Verdict::kProvenNoFit && !proven) {
    c.layout.verdict = plan::Verdict::kNotFound;
  }
  return {};
}

}  // namespace

Result<const Target*> target_named(const std::string& name) {
  if (const Target* target = find_target(name)) return target;
  std::string known;
  for (const Target& t : all_targets()) known += (known.empty() ? "" : " ") + std::string(t.name);
  return fail(ErrorCode::kUsage, fmt::format("unknown target '{}'", name), "--target",
              fmt::format("known: {}", known));
}

Result<Compilation> compile_foreign(ForeignGraph foreign, const CompileOptions& asked) {
  CompileOptions options = asked;
  Compilation c;
  NK_ASSIGN(const Target* target, target_named(options.target));
  c.foreign = std::move(foreign);
  c.warnings = c.foreign.warnings;  // lower repeats them before its own
  if (options.last == Phase::kImport) return c;

  LowerOptions lower_options;
  lower_options.shapes = options.shapes;
  NK_ASSIGN(Lowered lowered, lower(c.foreign, lower_options));
  c.lowered = std::move(lowered.graph);
  c.warnings = std::move(lowered.warnings);
  if (options.last == Phase::kLower) return c;

  NK_TRY(compile_lowered(*target, options, c));
  if (options.last != Phase::kPlan) return c;
  NK_TRY(plan_joined(*target, options, c));
  c.program = assemble(c.schedule, c.layout, options.plan.in_out == plan::InOut::kCallerOwned);
  plan::Layout kept = c.layout;
  kept.seconds = 0;  // the same input gives the same bytes
  c.program.plan_json = plan::plan_json(c.problem, kept);
  c.program.metadata = provenance(c, options);
  return c;
}

}  // namespace netkit::driver
