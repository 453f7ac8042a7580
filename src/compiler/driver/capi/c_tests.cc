// SPDX-License-Identifier: MIT
// Test cases from C: the verb test without the command line.
#include <fmt/format.h>

#include <cstdio>

#include "compiler/driver/capi/network.h"
#include "compiler/driver/cases/test_cases.h"

using namespace netkit;
using namespace netkit::driver;

namespace {

void add(nk_test_summary_t& summary, const driver::TestReport& report) {
  summary.passed += static_cast<uint32_t>(report.passed);
  summary.failed += static_cast<uint32_t>(report.failed);
  std::printf("%s: %d passed, %d failed\n", report.file.c_str(), report.passed, report.failed);
}

}  // namespace

extern "C" {

nk_test_summary_t nk_run_model_tests(const char* nk_path) {
  nk_test_summary_t summary = {0, 0};
  const nk_status_t status = guarded([&] {
    if (nk_path == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no path");
    const auto report = run_test_cases(nk_path, 0);
    if (!report) return refuse(report.error(), NK_ERR_MODEL_PARSE);
    add(summary, *report);
    return NK_OK;
  });
  if (status != NK_OK) ++summary.failed;
  return summary;
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
