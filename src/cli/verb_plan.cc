// SPDX-License-Identifier: MIT
// netkit plan: runs the groups of cli/plan/ in the order of one table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "cli/cli.h"
#include "cli/plan/plan_group.h"
#include "compiler/driver/io/write_files.h"
#include "compiler/plan/io/json.h"

namespace netkit::cli {
namespace {

// Those that answer instead of a plan come first; the text is printed in this order.
constexpr PlanGroupPtr (*kGroups[])() = {
    orders_group,   what_if_group, shared_group, text_group, files_group,
    pictures_group, exports_group, memory_group, ram_group,
};

struct PlanVerb {
  PlanRequest request;
  std::vector<PlanGroupPtr> groups;
};

// Answers in place of a plan, and what is asked of a plan: each of the first goes alone.
constexpr const char* kInstead[] = {"--list-orders", "--what-if", "--offline-tflite"};
constexpr const char* kOfPlan[] = {
    "--output", "--graph", "--certificate", "--html",           "--svg",       "--compare",
    "--csv",    "--ram",   "--memory-map",  "--model-explorer", "--exclusive", "--concurrent"};

void exclude_what_is_ignored(CLI::App& verb) {
  for (size_t i = 0; i < std::size(kInstead); ++i) {
    CLI::Option* instead = verb.get_option(kInstead[i]);
    for (const char* name : kOfPlan) instead->excludes(verb.get_option(name));
    for (size_t k = 0; k < i; ++k) instead->excludes(verb.get_option(kInstead[k]));
  }
}

// The plan object with what the groups add to it.
std::string joined_json(std::string json, const PlanAnswer& answer) {
  for (const auto& [key, value] : answer.fields) {
    json.pop_back();  // '}'
    json += ",\"" + key + "\":" + value + "}";
  }
  return json;
}

Result<driver::Planned> planned_for(const PlanRequest& request) {
  if (request.more.empty()) return driver::plan_file(request.model.model, request.compile);
  std::vector<std::string> paths = {request.model.model};
  paths.insert(paths.end(), request.more.begin(), request.more.end());
  return driver::plan_together(paths, request.compile, request.sharing);
}

// An output that would replace an input is refused before the work.
Result<void> declare_files(const PlanVerb& verb) {
  PlanGroup::Files all;
  all.inputs = {verb.request.model.model};
  for (const PlanGroupPtr& group : verb.groups) {
    const PlanGroup::Files files = group->files();
    all.outputs.insert(all.outputs.end(), files.outputs.begin(), files.outputs.end());
    all.inputs.insert(all.inputs.end(), files.inputs.begin(), files.inputs.end());
  }
  return FilesRead::declare(all.outputs, all.inputs);
}

Result<int> run(PlanVerb& verb) {
  PlanRequest& request = verb.request;
  NK_ASSIGN(request.compile, compile_options(request.model));
  NK_TRY(declare_files(verb));
  for (const PlanGroupPtr& group : verb.groups) NK_TRY(group->prepare(request));
  for (const PlanGroupPtr& group : verb.groups) {
    NK_ASSIGN(const std::optional<int> code, group->instead(request));
    if (code) return *code;
  }
  NK_ASSIGN(const driver::Planned planned, planned_for(request));
  print_warnings(planned.warnings);
  PlanAnswer answer;
  int code = 0;
  for (const PlanGroupPtr& group : verb.groups) {
    answer.code = 0;
    NK_TRY(group->act(request, planned, answer));
    code = std::max(code, answer.code);
  }
  if (!answer.files.empty()) NK_TRY(driver::write_all(answer.files));
  const Result<void> fits = driver::fits_arena(planned.layout.arena_bytes,
                                               request.globals.arena_bytes, request.model.model);
  if (request.globals.arena_bytes) {
    answer.fields["arena"] =
        fmt::format(R"({{"bytes":{},"fits":{}}})", *request.globals.arena_bytes, fits.has_value());
  }
  if (request.globals.json) {
    answer.text =
        joined_json(plan::plan_json(planned.problem, planned.layout, planned.gaps), answer) + "\n";
  }
  std::fputs(answer.text.c_str(), stdout);
  return fits ? code : std::max(code, report_on_stderr(fits.error()));
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("plan", "the least RAM, with its bound and proof");
  auto state = std::make_shared<PlanVerb>();
  add_model_options(*verb, state->request.model);
  for (const auto make : kGroups) {
    state->groups.push_back(make());
    state->groups.back()->add(*verb);
  }
  exclude_what_is_ignored(*verb);
  verb->footer(
      "\nExamples:\n"
      "  netkit plan model.tflite              the memory it needs, with proof\n"
      "  netkit plan model.tflite --ram 64K    does it fit?\n"
      "  netkit plan graph.json --html plan.html --certificate proof.json\n");
  verb->callback([&context, state] {
    context.work = [&context, state] {
      state->request.globals = context.globals;
      return run(*state);
    };
  });
}

}  // namespace netkit::cli
