// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.h"
#include "compiler/driver/verbs/plan_file.h"

namespace netkit::cli {
namespace {

void print_verdict(const plan::PlanVerdict& v) {
  fmt::print("class {}: arena {}, {}\n", printable(v.plan_class), size_text(v.arena_bytes),
             v.valid ? "plan valid" : "plan NOT valid: " + printable(v.invalid_reason));
  fmt::print(
      "  lower bound {} {}\n", size_text(v.lower_bound_bytes),
      v.bound_verified ? "verified by: " + printable(v.how) : "NOT verified: " + printable(v.how));
  if (!v.valid || v.arena_bytes != v.lower_bound_bytes) return;
  fmt::print("  {}\n", v.bound_verified
                           ? "no plan of this class is smaller"
                           : "that no plan of this class is smaller is the planner's word alone");
}

Result<int> check_plan(const std::string& file, const Globals& globals) {
  NK_TRY(no_arena(globals, "check-plan"));
  NK_ASSIGN(const auto verdicts, driver::check_plan_file(file));
  if (globals.json) {
    std::puts(driver::check_plan_json(verdicts).c_str());
  } else {
    for (const plan::PlanVerdict& v : verdicts) print_verdict(v);
  }
  return driver::accepted(verdicts) ? 0 : static_cast<int>(ErrorCode::kNo);
}

}  // namespace

void add_check_plan(CLI::App& app, Context& context) {
  CLI::App* verb =
      app.add_subcommand("check-plan", "the independent checker on a plan and its certificate");
  auto file = std::make_shared<std::string>();
  verb->add_option("file", *file, "netkit-certificate/1, as plan --certificate writes it")
      ->required();
  verb->footer(
      "\nExample:\n"
      "  netkit plan model.tflite --certificate proof.json && netkit check-plan proof.json\n");
  verb->callback([&context, file] {
    context.work = [&context, file] { return check_plan(*file, context.globals); };
  });
}

}  // namespace netkit::cli
