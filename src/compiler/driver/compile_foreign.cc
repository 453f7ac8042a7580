// SPDX-License-Identifier: MIT
// The line from an imported network on: it needs none of the importers, so that a program which
// builds its networks by hand links none.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/assemble.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/concats.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/omit_softmax.h"
#include "compiler/passes/fuse/fuse.h"
#include "compiler/plan/io/json.h"
#include "netkit/version.h"

namespace netkit::driver {
namespace {

std::vector<std::pair<std::string, std::string>> provenance(const Compilation& c,
                                                            const CompileOptions& options) {
  std::string used = fmt::format("target={}", options.target);
  if (options.plan.order == plan::OrderChoice::kGiven) used += " order=given";
  if (options.plan.class_limit == plan::PlanClass::kPlain) used += " class=plain";
  if (options.plan.in_out == plan::InOut::kCallerOwned) used += " io=caller";
  if (options.omit_final_softmax) used += " omit-final-softmax";
  for (const auto& [name, dims] : options.shapes) {
    used += fmt::format(" shape:{}={}", name, dims_text(dims));
  }
  for (const auto& [name, what] : options.fixed) used += " fix:" + name;
  if (options.quant) {
    used += fmt::format(" int8={}", quant::name_of(options.quant->options.method));
  }
  for (const auto& pass : options.disabled_passes) used += fmt::format(" without:{}", pass);
  const std::string& path = c.foreign.file;
  return {{"source", path.substr(path.find_last_of('/') + 1)},
          {"sha256", c.foreign.sha256},
          {"version", NETKIT_VERSION_STRING},
          {"options", used}};
}

// No float32 in a quantised model that nobody was told of.
void warn_of_float(Compilation& c) {
  constexpr size_t kNamed = 5;
  std::vector<std::string> places = float_between_integers(c.graph);
  if (places.empty()) return;
  const size_t more = places.size() - std::min(places.size(), kNamed);
  places.resize(places.size() - more);
  c.warnings.push_back(fmt::format(
      "runs in float32 between quantised values, as no integer kernel takes these types: {}{}",
      fmt::join(places, ", "), more == 0 ? "" : fmt::format(" and {} more", more)));
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
  if (options.omit_final_softmax) NK_TRY(omit_final_softmax(c.lowered));
  c.warnings = std::move(lowered.warnings);
  if (options.last == Phase::kLower) return c;
  if (options.quant) {
    NK_ASSIGN(Quantisation made,
              quantise_lowered(c.lowered, *options.quant, options.disabled_passes));
    c.lowered = std::move(made.graph);
    c.quant = std::move(made.report);
  }
  if (options.last == Phase::kQuantise) return c;

  NK_TRY(compile_lowered(*target, options, c));
  warn_of_float(c);
  if (options.last != Phase::kPlan) return c;
  NK_TRY(choose_concats(*target, options, c));
  c.program = assemble(c.schedule, c.layout, options.plan.in_out == plan::InOut::kCallerOwned);
  plan::Layout kept = c.layout;
  kept.seconds = 0;  // the same input gives the same bytes
  c.program.plan_json = plan::plan_json(c.problem, kept);
  c.program.metadata = provenance(c, options);
  return c;
}

}  // namespace netkit::driver
