// SPDX-License-Identifier: MIT
// The verbs of the driver as functions; reports become dicts.
#include <pybind11/stl.h>

#include "cli/cli.h"
#include "compiler/driver/cases/test_cases.h"
#include "compiler/driver/verbs/build.h"
#include "compiler/driver/verbs/emit_model.h"
#include "compiler/driver/verbs/inspect.h"
#include "compiler/driver/verbs/plan_file.h"
#include "compiler/plan/io/json.h"
#include "model.h"
#include "netkit.h"
#include "netkit/version.h"

namespace netkit::python {
namespace {

using namespace py::literals;  // "key"_a

std::optional<int64_t> limit_of(const py::dict& options) {
  const int64_t bytes = arena_of(options);
  return bytes == 0 ? std::nullopt : std::optional<int64_t>(bytes);
}

std::string text_of(const py::dict& options, const char* name) {
  return options.contains(name) ? options[name].cast<std::string>() : std::string();
}

// netkit-plan/1 text.
std::string plan(const std::string& path, const py::dict& options) {
  driver::CompileOptions compile = compile_options(options);
  if (options.contains("--ram")) {
    compile.plan.ram_bytes = value_of(cli::parse_size(text_of(options, "--ram"), "ram"));
  }
  return unlocked([&]() -> Result<std::string> {
    NK_ASSIGN(const driver::Planned planned, driver::plan_file(path, compile));
    NK_TRY(driver::fits_arena(planned.layout.arena_bytes, compile.plan.ram_bytes, path));
    return plan::plan_json(planned.problem, planned.layout, planned.gaps);
  });
}

py::dict compile(const std::string& path, const py::dict& options) {
  const driver::CompileOptions compile = compile_options(options);
  driver::BuildOptions build;
  build.output = text_of(options, "--output");
  build.arena_limit_bytes = limit_of(options);
  const driver::BuildReport report =
      unlocked([&] { return driver::build_nk(path, compile, build); });
  py::dict answer("file"_a = report.path, "file_bytes"_a = report.file_bytes,
                  "arena_bytes"_a = report.arena_bytes,
                  "lower_bound_bytes"_a = report.lower_bound_bytes,
                  "proven_minimal"_a = report.proven_minimal, "plan_class"_a = report.plan_class,
                  "tests"_a = report.tests, "warnings"_a = report.warnings);
  if (report.quant) answer["quant"] = driver::report_json(*report.quant);  // text, for the caller
  return answer;
}

py::dict emit(const std::string& path, const std::string& folder, const py::dict& options) {
  const driver::CompileOptions compile = compile_options(options);
  driver::EmitOptions emit;
  emit.folder = folder;
  emit.name = text_of(options, "--name");
  emit.language = value_of(driver::language_named(text_of(options, "--language")));
  emit.caller_io = value_of(driver::is_caller_io(text_of(options, "--io")));
  emit.standalone = !options.contains("--lib");
  emit.lowered = !options.contains("--no-lower");
  emit.specialize = options.contains("--specialize");
  emit.arena_limit_bytes = limit_of(options);
  if (options.contains("--strict-lower") && !emit.lowered) {
    raise(
        {ErrorCode::kUsage, "strict_lower excludes lower=False", {}, "leave one of them out", {}});
  }
  const driver::EmitReport report =
      unlocked([&] { return driver::emit_model(path, compile, emit); });
  return py::dict("name"_a = report.name, "files"_a = report.files,
                  "arena_bytes"_a = report.arena_bytes, "weight_bytes"_a = report.weight_bytes,
                  "parameter_bytes"_a = report.parameter_bytes, "macs"_a = report.macs,
                  "proven_minimal"_a = report.proven_minimal, "plan_class"_a = report.plan_class,
                  "warnings"_a = report.warnings);
}

// Text of the verb's JSON.
std::string inspect(const std::string& path, const py::dict& options) {
  const driver::CompileOptions compile = compile_options(options);
  return unlocked([&]() -> Result<std::string> {
    NK_ASSIGN(const driver::Inspection inspection, driver::inspect_file(path, compile));
    return driver::to_json(inspection);
  });
}

py::dict test(const std::string& path, const py::dict& options) {
  const auto arena_bytes = static_cast<size_t>(arena_of(options));
  const driver::TestReport report =
      unlocked([&] { return driver::run_test_cases(path, arena_bytes); });
  py::list failures;
  for (const driver::CaseFailure& failure : report.failures) {
    failures.append(py::dict("case"_a = failure.name, "output"_a = failure.output,
                             "element"_a = failure.element, "argmax"_a = failure.is_argmax,
                             "expected"_a = failure.expected, "got"_a = failure.got));
  }
  return py::dict("file"_a = report.file, "passed"_a = report.passed, "failed"_a = report.failed,
                  "failures"_a = failures);
}

// The command line, words without the program's name; its exit code.
int run_command_line(std::vector<std::string> words) {
  words.insert(words.begin(), "netkit");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const py::gil_scoped_release release;
  cli::open_streams();
  return cli::close_stdout(nk_cli_run(static_cast<int>(words.size()), argv.data()));
}

}  // namespace

void add_verbs(py::module_& module) {
  module.attr("version") = NETKIT_VERSION_STRING;
  module.def("plan", plan);
  module.def("compile", compile);
  module.def("emit", emit);
  module.def("inspect", inspect);
  module.def("test", test);
  module.def("main", run_command_line);
}

}  // namespace netkit::python

PYBIND11_MODULE(_netkit, module) {
  netkit::python::add_model(module);
  netkit::python::add_verbs(module);
}
