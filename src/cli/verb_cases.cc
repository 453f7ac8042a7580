// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "compiler/driver/cases/test_cases.h"

namespace netkit::cli {
namespace {

constexpr char kBundled[] = "models";

void print_text(const driver::TestReport& report) {
  fmt::print("{}: {} passed, {} failed\n", printable(report.file), report.passed, report.failed);
  for (const driver::CaseFailure& failure : report.failures) {
    const std::string place =
        failure.is_argmax ? "greatest element" : fmt::format("element {}", failure.element);
    fmt::print("  {}: output '{}' {}: expected {}, got {}\n", printable(failure.name),
               printable(failure.output), place, failure.expected, failure.got);
  }
}

nlohmann::json to_json(const driver::TestReport& report) {
  nlohmann::json failures = nlohmann::json::array();
  for (const driver::CaseFailure& failure : report.failures) {
    failures.push_back({{"case", failure.name},
                        {"output", failure.output},
                        {"element", failure.element},
                        {"argmax", failure.is_argmax},
                        {"expected", failure.expected},
                        {"got", failure.got}});
  }
  return {{"file", report.file},
          {"passed", report.passed},
          {"failed", report.failed},
          {"failures", failures}};
}

Result<std::vector<driver::TestReport>> run_cases(const std::vector<std::string>& files,
                                                  size_t arena_bytes) {
  if (files.empty()) return driver::run_bundled_cases(kBundled, arena_bytes);
  std::vector<driver::TestReport> reports;
  for (const std::string& file : files) {
    NK_ASSIGN(driver::TestReport report, driver::run_test_cases(file, arena_bytes));
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<int> test(const std::vector<std::string>& files, const Globals& globals) {
  const auto arena_bytes = static_cast<size_t>(globals.arena_bytes.value_or(0));
  NK_ASSIGN(const auto reports, run_cases(files, arena_bytes));
  int passed = 0, failed = 0;
  nlohmann::json all = nlohmann::json::array();
  for (const driver::TestReport& report : reports) {
    passed += report.passed;
    failed += report.failed;
    if (globals.json) {
      all.push_back(to_json(report));
    } else {
      print_text(report);
    }
  }
  if (globals.json) {
    const nlohmann::json object = {
        {"format", "netkit-test/1"}, {"passed", passed}, {"failed", failed}, {"files", all}};
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
  verb->add_option("files", *files, ".nk files; default: the models of models/ on their digits");
  verb->footer(
      "\nExamples:\n  netkit test model.nk\n  netkit test            the bundled models\n");
  verb->callback([&context, files] {
    context.work = [&context, files] { return test(*files, context.globals); };
  });
}

}  // namespace netkit::cli
