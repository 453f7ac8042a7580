// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
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
  std::string dump, stop_after, cases;
  const CLI::Option *count = nullptr, *tolerance = nullptr;
};

Result<driver::Phase> phase_named(const std::string& name, const char* option) {
  if (const driver::Phase* phase = driver::phase_from_name(name)) return *phase;
  return fail(ErrorCode::kUsage, fmt::format("unknown phase '{}'", name), option,
              "import, lower, quantise, passes, select or plan");
}

void print_answer(const driver::BuildReport& report, const Globals& globals) {
  if (globals.json) {
    nlohmann::json object = {{"format", "netkit-compile/1"},
                             {"file", report.path},
                             {"file_bytes", report.file_bytes},
                             {"arena_bytes", report.arena_bytes},
                             {"lower_bound_bytes", report.lower_bound_bytes},
                             {"proven_minimal", report.proven_minimal},
                             {"class", report.plan_class},
                             {"tests", report.tests}};
    if (report.quant) object["quant"] = nlohmann::json::parse(driver::report_json(*report.quant));
    std::puts(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  if (report.quant) {
    for (const std::string& line : driver::report_lines(*report.quant)) {
      fmt::print("{}\n", printable(line));
    }
  }
  fmt::print("{}: {}, arena {}, {} in class {}{}\n", printable(report.path),
             size_text(report.file_bytes), size_text(report.arena_bytes),
             report.proven_minimal ? "proven minimal" : "not proven minimal", report.plan_class,
             report.tests > 0 ? fmt::format(", {} test cases", report.tests) : "");
}

// --dump and --stop-after: no file is made.
Result<int> up_to_phase(const CompileArgs& args, driver::CompileOptions options,
                        const Globals& globals) {
  const bool dumps = !args.dump.empty();
  const char* option = dumps ? "--dump" : "--stop-after";
  NK_TRY(no_arena(globals, option));
  NK_ASSIGN(options.last, phase_named(dumps ? args.dump : args.stop_after, option));
  NK_ASSIGN(const driver::Compilation made, compile_file(args.model.model, options));
  print_warnings(made.warnings);
  const std::string text = dumps ? driver::dump(made, options.last) : "";
  if (globals.json) {
    const nlohmann::json object = {{"format", "netkit-dump/1"},
                                   {"phase", dumps ? args.dump : args.stop_after},
                                   {"text", text}};
    std::puts(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    std::fputs(text.c_str(), stdout);
    if (!dumps) {
      fmt::print("{}: the phases up to {} pass\n", printable(args.model.model), args.stop_after);
    }
  }
  return 0;
}

Result<void> check_case_options(const driver::BuildOptions& build, bool count_given,
                                bool tolerance_given) {
  if (!std::isfinite(build.case_tolerance) || build.case_tolerance < 0) {
    return fail(ErrorCode::kUsage, "not a finite number of at least 0", "--case-tolerance",
                "give an absolute difference of real values, as 0.001");
  }
  if ((count_given || tolerance_given) && build.case_inputs.empty()) {
    return fail(ErrorCode::kUsage, "there are no test cases",
                count_given ? "--cases" : "--case-tolerance",
                "give --case-inputs FILE --case-outputs FILE");
  }
  return {};
}

Result<int> compile(CompileArgs args, const Globals& globals) {
  NK_ASSIGN(const driver::CompileOptions options, compile_options(args.model));
  if (!args.cases.empty()) {
    NK_ASSIGN(args.build.cases, parse_count(args.cases, "--cases"));
  }
  if (!args.build.quant_report.empty() && !options.quant) {
    return fail(ErrorCode::kUsage, "says nothing without --int8", "--quant-report", "add --int8");
  }
  NK_TRY(check_case_options(args.build, args.count->count() > 0, args.tolerance->count() > 0));
  if (!args.dump.empty() || !args.stop_after.empty()) return up_to_phase(args, options, globals);
  args.build.arena_limit_bytes = globals.arena_bytes;
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
  verb->add_option("-o,--output", args->build.output,
                   "the .nk file; default: beside the model, its name with .nk");
  verb->add_option("--memory-map", args->build.memory_map,
                   "netkit-memory/1: nothing is written unless the arena fits into one region");
  verb->add_option("--quant-report", args->build.quant_report,
                   "with --int8: what became of each layer, as netkit-quant/1");
  CLI::Option* dump =
      verb->add_option("--dump", args->dump, "print what a phase made and stop after it");
  CLI::Option* stop =
      verb->add_option("--stop-after", args->stop_after, "run no phase after this one");
  verb->add_option("--case-inputs", args->build.case_inputs,
                   "raw inputs of test cases, one case after the other");
  verb->add_option("--case-outputs", args->build.case_outputs, "their expected outputs");
  args->count = verb->add_option("--cases", args->cases, "how many cases to embed; default: all");
  args->tolerance = verb->add_option("--case-tolerance", args->build.case_tolerance,
                                     "absolute, of real values; 0: the very bytes");
  // No file is made: what says something about one says nothing here.
  for (const char* name : {"--output", "--memory-map", "--quant-report", "--case-inputs",
                           "--case-outputs", "--cases", "--case-tolerance"}) {
    dump->excludes(verb->get_option(name));
    stop->excludes(verb->get_option(name));
  }
  dump->excludes(stop);
  verb->footer(
      "\nExamples:\n"
      "  netkit compile model.onnx -o model.nk\n"
      "  netkit compile model.tflite --case-inputs in.bin --case-outputs out.bin --cases 10\n"
      "  netkit compile model.onnx --int8 --calibrate samples/\n"
      "  netkit compile model.tflite --dump passes\n");
  verb->callback([&context, args] {
    context.work = [&context, args] { return compile(*args, context.globals); };
  });
}

}  // namespace netkit::cli
