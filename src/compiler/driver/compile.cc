// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/assemble.h"
#include "compiler/driver/cases/legacy_cases.h"
#include "compiler/import/import.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/io/json.h"
#include "compiler/select/select.h"
#include "netkit/version.h"

namespace netkit::driver {
namespace {

struct PhaseName {
  std::string_view name;
  Phase phase;
};
constexpr PhaseName kPhases[] = {{"import", Phase::kImport},
                                 {"lower", Phase::kLower},
                                 {"passes", Phase::kPasses},
                                 {"select", Phase::kSelect},
                                 {"plan", Phase::kPlan}};

Result<const Target*> target_named(const std::string& name) {
  if (const Target* target = find_target(name)) return target;
  std::string known;
  for (const Target& t : all_targets()) known += (known.empty() ? "" : " ") + std::string(t.name);
  return fail(ErrorCode::kUsage, fmt::format("unknown target '{}'", name), "--target",
              fmt::format("known: {}", known));
}

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

}  // namespace

const Phase* phase_from_name(std::string_view name) {
  const auto it = std::ranges::find(kPhases, name, &PhaseName::name);
  return it == std::end(kPhases) ? nullptr : &it->phase;
}

Result<Compilation> compile_file(const std::string& path, const CompileOptions& options) {
  NK_TRY(target_named(options.target));
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  return compile_bytes(bytes, path, options);
}

Result<Compilation> compile_bytes(std::span<const std::byte> bytes, const std::string& path,
                                  const CompileOptions& options) {
  Compilation c;
  NK_ASSIGN(const Target* target, target_named(options.target));
  NK_ASSIGN(c.foreign, import_model(bytes, path));
  c.warnings = c.foreign.warnings;  // lower repeats them before its own
  if (options.last == Phase::kImport) return c;

  LowerOptions lower_options;
  lower_options.shapes = options.shapes;
  NK_ASSIGN(Lowered lowered, lower(c.foreign, lower_options));
  c.lowered = std::move(lowered.graph);
  c.warnings = std::move(lowered.warnings);
  if (options.last == Phase::kLower) return c;

  PassOptions pass_options;
  pass_options.disabled = options.disabled_passes;
  NK_ASSIGN(c.graph, optimise(c.lowered, pass_options));
  if (options.last == Phase::kPasses) return c;

  NK_ASSIGN(c.schedule, select(c.graph, *target));
  if (options.last == Phase::kSelect) return c;

  c.problem = to_problem(c.schedule, target->arena_alignment);
  NK_ASSIGN(c.layout, plan::plan(c.problem, options.plan));
  c.program = assemble(c.schedule, c.layout, options.plan.in_out == plan::InOut::kCallerOwned);
  plan::Layout kept = c.layout;
  kept.seconds = 0;  // the same input gives the same bytes
  c.program.plan_json = plan::plan_json(c.problem, kept);
  c.program.metadata = provenance(c, options);
  if (c.foreign.format == SourceFormat::kNkLegacy) {
    NK_ASSIGN(const LegacyCases cases, legacy_cases(bytes));
    c.program.tests = embedded_cases(cases, c.program.schedule.outputs[0].type);
  }
  return c;
}

Result<void> fits_arena(int64_t needed_bytes, std::optional<int64_t> limit_bytes,
                        const std::string& where) {
  if (!limit_bytes || needed_bytes <= *limit_bytes) return {};
  return fail(
      ErrorCode::kNo,
      fmt::format("does not fit: needs {} B, --arena gives {} B", needed_bytes, *limit_bytes),
      where);
}

}  // namespace netkit::driver
