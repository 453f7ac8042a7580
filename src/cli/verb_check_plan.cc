// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.h"
#include "compiler/driver/verbs/plan_file.h"

namespace netkit::cli {
namespace {

// Of which plans the bound is one.
std::string scope(const plan::PlanVerdict& v) {
  std::string text = v.order == "given" ? " in this order" : "";
  if (v.in_out == "caller") text += " with inputs and outputs elsewhere (in_out caller)";
  if (v.in_out == "keep_inputs") text += " with inputs kept to the end (in_out keep_inputs)";
  return text;
}

std::string bound_text(const plan::PlanVerdict& v) {
  if (!v.bound_verified) return "NOT verified: " + printable(v.how);
  if (v.lower_bound_bytes == 0 && v.arena_bytes > 0) return "says nothing: no plan has less";
  return "verified by: " + printable(v.how);
}

void print_verdict(const plan::PlanVerdict& v) {
  const std::string arena =
      fmt::format("class {}: arena {}", printable(v.plan_class), size_text(v.arena_bytes));
  if (!v.unchecked.empty()) {
    fmt::print("{}, plan and lower bound {} NOT verified: {}\n", arena,
               size_text(v.lower_bound_bytes), v.unchecked);
    return;
  }
  fmt::print("{}, {}\n  lower bound {} {}\n", arena,
             v.valid ? "plan valid" : "plan NOT valid: " + printable(v.invalid_reason),
             size_text(v.lower_bound_bytes), bound_text(v));
  if (!v.valid || v.arena_bytes != v.lower_bound_bytes) return;
  fmt::print("  {}no plan of this class is smaller{}{}\n", v.bound_verified ? "" : "that ",
             scope(v), v.bound_verified ? "" : " is the planner's word alone");
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
