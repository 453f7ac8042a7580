// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "compiler/driver/verbs/test_cases.h"

namespace netkit::cli {
namespace {

constexpr char kBundled[] = "models";

void print_text(const driver::TestReport& report) {
  fmt::print("{}: {} passed, {} failed\n", printable(report.file), report.passed, report.failed);
  for (const driver::CaseFailure& failure : report.failures) {
    fmt::print("  {}: output '{}' element {}: expected {}, got {}\n", printable(failure.name),
               printable(failure.output), failure.element, failure.expected, failure.got);
  }
}

nlohmann::json to_json(const driver::TestReport& report) {
  nlohmann::json failures = nlohmann::json::array();
  for (const driver::CaseFailure& failure : report.failures) {
    failures.push_back({{"case", failure.name},
                        {"output", failure.output},
                        {"element", failure.element},
                        {"expected", failure.expected},
                        {"got", failure.got}});
  }
  return {{"file", report.file},
          {"passed", report.passed},
          {"failed", report.failed},
          {"failures", failures}};
}

Result<int> test(std::vector<std::string> files, const Globals& globals) {
  if (files.empty()) files = driver::nk_files_in(kBundled);
  if (files.empty()) {
    return fail(ErrorCode::kUsage, "no .nk file given and none in models/", {},
                "netkit test FILE.nk …");
  }
  size_t arena_bytes = 0;
  if (!globals.arena.empty()) {
    NK_ASSIGN(const int64_t bytes, parse_size(globals.arena, "--arena"));
    arena_bytes = static_cast<size_t>(bytes);
  }
  int passed = 0, failed = 0;
  nlohmann::json reports = nlohmann::json::array();
  for (const std::string& file : files) {
    NK_ASSIGN(const driver::TestReport report, driver::run_test_cases(file, arena_bytes));
    passed += report.passed;
    failed += report.failed;
    if (globals.json) {
      reports.push_back(to_json(report));
    } else {
      print_text(report);
    }
  }
  if (globals.json) {
    const nlohmann::json object = {
        {"format", "netkit-test/1"}, {"passed", passed}, {"failed", failed}, {"files", reports}};
    std::puts(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    fmt::print("{} passed, {} failed\n", passed, failed);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_test(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("test", "the test cases inside .nk files");
  auto files = std::make_shared<std::vector<std::string>>();
  verb->add_option("files", *files, ".nk files; default: those of models/");
  verb->callback([&context, files] {
    context.work = [&context, files] { return test(*files, context.globals); };
  });
}

}  // namespace netkit::cli
