// SPDX-License-Identifier: MIT
// Test cases from C: the verb test without the command line.
#include <fmt/format.h>

#include <cstdio>

#include "compiler/driver/capi/network.h"
#include "compiler/driver/cases/test_cases.h"
#include "netkit/nk_regression.hpp"

using namespace netkit;
using namespace netkit::driver;

namespace {

void add(nk_test_summary_t& summary, const driver::TestReport& report) {
  summary.passed += static_cast<uint32_t>(report.passed);
  summary.failed += static_cast<uint32_t>(report.failed);
  std::printf("%s: %d passed, %d failed\n", report.file.c_str(), report.passed, report.failed);
}

size_t regression_capacity = 0;  // 0: as each model plans

// `arena_bytes` as in run_test_cases.
nk_test_summary_t run_file(const char* nk_path, size_t arena_bytes) {
  nk_test_summary_t summary = {0, 0};
  const nk_status_t status = guarded([&] {
    if (nk_path == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no path");
    const auto report = run_test_cases(nk_path, arena_bytes);
    if (!report) return refuse(report.error(), NK_ERR_MODEL_PARSE);
    add(summary, *report);
    return NK_OK;
  });
  if (status != NK_OK) ++summary.failed;
  return summary;
}

}  // namespace

namespace netkit::NkRegression {

RunSummary RunModelTests(const char* nk_path) {
  const nk_test_summary_t summary = run_file(nk_path, regression_capacity);
  return {summary.passed, summary.failed};
}

bool BeginRegressionArena(std::size_t capacity) {
  if (capacity == 0 || regression_capacity != 0) return false;
  regression_capacity = capacity;
  return true;
}

void EndRegressionArena() {
  regression_capacity = 0;
}

}  // namespace netkit::NkRegression

extern "C" {

nk_test_summary_t nk_run_model_tests(const char* nk_path) {
  return run_file(nk_path, 0);
}

nk_test_summary_t nk_run_all_tests(void) {
  nk_test_summary_t summary = {0, 0};
  const nk_status_t status = guarded([&] {
    const auto reports = run_bundled_cases("models", 0);
    if (!reports) return refuse(reports.error(), NK_ERR_MODEL_OPEN);
    for (const driver::TestReport& report : *reports) add(summary, report);
    return NK_OK;
  });
  if (status != NK_OK) ++summary.failed;
  return summary;
}

}  // extern "C"
