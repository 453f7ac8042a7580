// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "compiler/driver/verbs/build.h"

namespace netkit::cli {
namespace {

struct CompileArgs {
  ModelOptions model;
  driver::BuildOptions build;
  std::string dump, stop_after;
};

Result<driver::Phase> phase_named(const std::string& name, const char* option) {
  if (const driver::Phase* phase = driver::phase_from_name(name)) return *phase;
  return fail(ErrorCode::kUsage, fmt::format("unknown phase '{}'", name), option,
              "import, lower, passes, select or plan");
}

void print_answer(const driver::BuildReport& report, const Globals& globals) {
  if (globals.json) {
    const nlohmann::json object = {{"format", "netkit-compile/1"},
                                   {"file", report.path},
                                   {"file_bytes", report.file_bytes},
                                   {"arena_bytes", report.arena_bytes},
                                   {"lower_bound_bytes", report.lower_bound_bytes},
                                   {"proven_minimal", report.proven_minimal},
                                   {"class", report.plan_class},
                                   {"tests", report.tests}};
    std::puts(object.dump().c_str());
    return;
  }
  fmt::print("{}: {}, arena {}, {} in class {}{}\n", report.path, size_text(report.file_bytes),
             size_text(report.arena_bytes),
             report.proven_minimal ? "proven minimal" : "not proven minimal", report.plan_class,
             report.tests > 0 ? fmt::format(", {} test cases", report.tests) : "");
}

Result<int> compile(CompileArgs args, const Globals& globals) {
  NK_ASSIGN(driver::CompileOptions options, compile_options(args.model));
  if (!args.dump.empty() || !args.stop_after.empty()) {
    const bool dumps = !args.dump.empty();
    NK_ASSIGN(options.last,
              phase_named(dumps ? args.dump : args.stop_after, dumps ? "--dump" : "--stop-after"));
    NK_ASSIGN(const driver::Compilation made, compile_file(args.model.model, options));
    print_warnings(made.warnings);
    if (dumps) std::fputs(driver::dump(made, options.last).c_str(), stdout);
    return 0;
  }
  NK_ASSIGN(const driver::BuildReport report,
            driver::build_nk(args.model.model, options, args.build));
  print_warnings(report.warnings);
  print_answer(report, globals);
  return 0;
}

}  // namespace

void add_compile(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("compile", "model into a .nk file");
  verb->alias("convert");
  auto args = std::make_shared<CompileArgs>();
  add_model_options(*verb, args->model);
  verb->add_option("-o,--output", args->build.output, "the .nk file; default: the model's name");
  verb->add_option("--dump", args->dump, "print what a phase made and stop after it");
  verb->add_option("--stop-after", args->stop_after, "run no phase after this one");
  verb->add_option("--case-inputs", args->build.case_inputs,
                   "raw inputs of test cases, one case after the other");
  verb->add_option("--case-outputs", args->build.case_outputs, "their expected outputs");
  verb->add_option("--cases", args->build.cases, "how many cases to embed; default: all");
  verb->add_option("--case-tolerance", args->build.case_tolerance,
                   "absolute, of real values; 0: the very bytes");
  verb->callback([&context, args] {
    context.work = [&context, args] { return compile(*args, context.globals); };
  });
}

}  // namespace netkit::cli
