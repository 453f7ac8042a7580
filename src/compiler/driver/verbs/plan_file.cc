// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/driver/aligned_block.h"
#include "compiler/driver/assemble.h"
#include "compiler/driver/io/read_text.h"
#include "compiler/driver/plan/plan_buffer_list.h"
#include "compiler/emit/c/c_emitter.h"
#include "compiler/emit/nk/nk_reader.h"
#include "compiler/import/import.h"
#include "compiler/plan/io/json.h"
#include "compiler/select/target.h"

namespace netkit::driver {
namespace {

// `hint`: where the place of the fault knew none.
std::unexpected<Error> in_file(Error error, const std::string& path, const char* hint = "") {
  if (error.hint.empty()) error.hint = hint;
  error.where = error.where.empty() ? path : path + ": " + error.where;
  return std::unexpected(std::move(error));
}

bool ends_in(std::string_view path, std::string_view ending) {
  return path.size() >= ending.size() &&
         std::ranges::equal(path.substr(path.size() - ending.size()), ending, {}, [](char c) {
           return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
         });
}

std::unexpected<Error> planned_already(const std::string& path) {
  return fail(ErrorCode::kUsage, "holds a finished plan", path,
              "give the model or graph that it was made from");
}

constexpr char kGraphHint[] =
    "correct that field: docs/plan-format.md says what netkit-graph/1 holds";

enum class PlanSource { kModel, kNk, kJson, kList };

// By what the file holds, as every verb does; text that is not JSON by its name.
PlanSource source_of(const std::string& path, std::span<const std::byte> bytes) {
  switch (sniff_format(bytes)) {
    case ModelFormat::kNk:
      return PlanSource::kNk;
    case ModelFormat::kNkLegacy:
    case ModelFormat::kTflite:
      return PlanSource::kModel;
    default:
      break;  // that of ONNX is a guess
  }
  const std::string_view text =
      without_mark({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool object = first != std::string_view::npos && text[first] == '{';
  if (object || ends_in(path, ".json")) return PlanSource::kJson;
  return ends_in(path, ".csv") ? PlanSource::kList : PlanSource::kModel;
}

struct SourceFile {
  PlanSource source = PlanSource::kModel;
  Bytes bytes;
  std::string_view text() const {
    return without_mark({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
};

Result<SourceFile> read_source(const std::string& path) {
  SourceFile file;
  NK_ASSIGN(file.bytes, read_model_file(path));
  file.source = source_of(path, file.bytes);
  return file;
}

// No search: a stored plan fits, or the bound of its widest class says whether another one can, as
// a plan of a class is one of every wider class.
void set_verdict(plan::Layout& layout, const plan::PlanOptions& options) {
  if (!options.ram_bytes) return;
  const bool fits = layout.arena_bytes <= *options.ram_bytes;
  int64_t bound = layout.lower_bound_bytes;
  for (const plan::ClassSummary& c : layout.classes) bound = std::min(bound, c.lower_bound_bytes);
  const bool none = bound > *options.ram_bytes;
  layout.verdict = fits   ? plan::Verdict::kFits
                   : none ? plan::Verdict::kProvenNoFit
                          : plan::Verdict::kNotFound;
}

// A model, as far as `options.last` says.
Result<Planned> plan_model(const SourceFile& file, const std::string& path,
                           const CompileOptions& options) {
  Planned planned;
  NK_TRY(target_named(options.target));
  NK_ASSIGN(Compilation made, compile_bytes(file.bytes, path, options));
  planned.problem = to_problem(made.schedule, find_target(options.target)->arena_alignment);
  planned.layout = std::move(made.layout);
  planned.class_layouts = std::move(made.class_layouts);
  if (options.last == Phase::kPlan) planned.flash_bytes = emit::model_flash_bytes(made.program);
  planned.warnings = std::move(made.warnings);
  return planned;
}

Result<Planned> graph_problem(const SourceFile& file, const std::string& path,
                              const CompileOptions& options) {
  NK_TRY(hears_options(options, path, "an abstract graph", "leave it out",
                       {"--order", "--class", "--time-limit"}));
  auto problem = plan::parse_graph(file.text());
  if (!problem) return in_file(std::move(problem.error()), path, kGraphHint);
  Planned planned;
  planned.problem = std::move(*problem);
  return planned;
}

Result<Planned> plan_graph(const SourceFile& file, const std::string& path,
                           const CompileOptions& options) {
  NK_ASSIGN(Planned planned, graph_problem(file, path, options));
  auto layouts = plan::plan_classes(planned.problem, options.plan);
  if (!layouts) return in_file(std::move(layouts.error()), path);
  planned.class_layouts = std::move(*layouts);
  planned.layout = plan::best_layout(planned.class_layouts, options.plan);
  return planned;
}

// A plan as it was stored; `flash_bytes` as in Planned.
Planned stored_plan(plan::SavedPlan saved, int64_t flash_bytes, const CompileOptions& options) {
  Planned planned;
  planned.problem = std::move(saved.problem);
  planned.layout = std::move(saved.layout);
  planned.gaps = std::move(saved.gaps);
  planned.stored = true;
  planned.flash_bytes = flash_bytes;
  if (planned.layout.steps.empty()) planned.pictured = plan::stepped(planned.layout);
  set_verdict(planned.layout, options.plan);
  return planned;
}

Result<Planned> plan_of_nk(const SourceFile& file, const std::string& path,
                           const CompileOptions& options) {
  NK_TRY(hears_no_options(options, path));
  const AlignedBlock block = AlignedBlock::copy_of(file.bytes);
  NK_ASSIGN(const NkInfo info, read_nk({block.data(), block.size()}, path));
  if (info.plan_json.empty()) {
    return bad_input("holds no plan", path, "compile it again from its model");
  }
  NK_ASSIGN(plan::SavedPlan saved, plan_inside(info, path));
  return stored_plan(std::move(saved), static_cast<int64_t>(info.file_bytes), options);
}

Result<Planned> plan_of_json(const SourceFile& file, const std::string& path,
                             const CompileOptions& options) {
  if (!plan::is_plan_json(file.text())) return plan_graph(file, path, options);
  NK_TRY(hears_no_options(options, path));
  auto saved = plan::parse_plan(file.text());
  if (!saved) {
    return in_file(std::move(saved.error()), path, "make the plan again from its model or graph");
  }
  return stored_plan(std::move(*saved), -1, options);
}

}  // namespace

Result<plan::SavedPlan> plan_inside(const NkInfo& info, const std::string& path) {
  auto saved = plan::parse_plan(info.plan_json);
  if (!saved) return in_file(std::move(saved.error()), path + ": the plan inside");
  if (saved->layout.arena_bytes == static_cast<int64_t>(info.arena_bytes)) return saved;
  return bad_input(
      fmt::format("is {}, the file's arena is {}", saved->layout.arena_bytes, info.arena_bytes),
      path + ": the plan inside: plan.arena_bytes", "compile it again from its model");
}

Result<bool> is_model_file(const std::string& path) {
  NK_ASSIGN(const SourceFile file, read_source(path));
  return file.source == PlanSource::kModel;
}

Result<Planned> problem_of_file(const std::string& path, CompileOptions options) {
  NK_ASSIGN(const SourceFile file, read_source(path));
  switch (file.source) {
    case PlanSource::kList:
      return fail(ErrorCode::kUsage, "a buffer list has lives, but no steps", path,
                  "give the model or graph whose steps they are");
    case PlanSource::kJson:
      if (plan::is_plan_json(file.text())) return planned_already(path);
      return graph_problem(file, path, options);
    case PlanSource::kNk:
      return planned_already(path);
    case PlanSource::kModel:
      break;
  }
  options.last = Phase::kSelect;
  return plan_model(file, path, options);
}

Result<Planned> plan_file(const std::string& path, const CompileOptions& options) {
  NK_ASSIGN(const SourceFile file, read_source(path));
  switch (file.source) {
    case PlanSource::kList:
      NK_TRY(
          hears_options(options, path, "a list of given lives", "leave it out", {"--time-limit"}));
      return plan_buffer_list(path, options.plan);
    case PlanSource::kNk:
      return plan_of_nk(file, path, options);
    case PlanSource::kJson:
      return plan_of_json(file, path, options);
    case PlanSource::kModel:
      break;
  }
  return plan_model(file, path, options);
}

Result<Planned> plan_together(const std::vector<std::string>& paths, const CompileOptions& options,
                              plan::Sharing sharing) {
  CompileOptions each = options;
  each.plan.ram_bytes.reset();
  std::vector<Planned> plans;
  for (const std::string& path : paths) {
    NK_ASSIGN(Planned planned, plan_file(path, each));
    if (planned.layout.steps.empty() && !planned.layout.buffers.empty()) {
      return fail(ErrorCode::kUsage, "a buffer list has no steps to run beside another plan's",
                  path, "give models, graphs or plans with steps");
    }
    plans.push_back(std::move(planned));
  }
  for (size_t i = 1; i < plans.size(); ++i) {
    const int64_t first = plans[0].layout.alignment, here = plans[i].layout.alignment;
    if (first == here) continue;
    return fail(ErrorCode::kUsage,
                fmt::format("is planned with alignment {}, {} with {}", here, paths[0], first),
                paths[i], "plan all with one alignment: a graph states its own");
  }
  Planned together;
  std::vector<plan::SharedPart> parts;
  together.flash_bytes = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    std::string name = paths[i].substr(paths[i].find_last_of('/') + 1);
    for (size_t k = 0; k < i; ++k) {
      if (parts[k].name == name) name += "#" + std::to_string(i + 1);
    }
    parts.push_back({name, &plans[i].problem, &plans[i].layout});
    std::ranges::move(plans[i].warnings, std::back_inserter(together.warnings));
    const bool known = together.flash_bytes >= 0 && plans[i].flash_bytes >= 0;
    together.flash_bytes = known ? together.flash_bytes + plans[i].flash_bytes : -1;
  }
  NK_ASSIGN(plan::SharedPlan shared, plan::share_arena(parts, sharing));
  together.problem = std::move(shared.problem);
  together.layout = std::move(shared.layout);
  set_verdict(together.layout, options.plan);
  return together;
}

Result<std::vector<plan::PlanVerdict>> check_plan_file(const std::string& path) {
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  auto verdicts =
      plan::check_certificate({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (verdicts) return verdicts;
  return in_file(std::move(verdicts.error()), path);
}

std::string check_plan_json(const std::vector<plan::PlanVerdict>& verdicts) {
  using Json = nlohmann::ordered_json;
  Json plans = Json::array();
  for (const plan::PlanVerdict& v : verdicts) {
    plans.push_back({{"class", v.plan_class},
                     {"arena_bytes", v.arena_bytes},
                     {"lower_bound_bytes", v.lower_bound_bytes},
                     {"valid", v.unchecked.empty() ? Json(v.valid) : Json()},
                     {"reason", v.unchecked.empty() ? v.invalid_reason : v.unchecked},
                     {"bound_verified", v.bound_verified},
                     {"how", v.how}});
  }
  Json root = {{"format", "netkit-check/1"}, {"accepted", accepted(verdicts)}};
  if (!verdicts.empty()) {
    root["order"] = verdicts[0].order;
    root["in_out"] = verdicts[0].in_out;
  }
  root["plans"] = plans;
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool accepted(const std::vector<plan::PlanVerdict>& verdicts) {
  return std::ranges::all_of(
      verdicts, [](const plan::PlanVerdict& v) { return v.valid && v.bound_verified; });
}

}  // namespace netkit::driver
