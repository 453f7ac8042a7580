// SPDX-License-Identifier: MIT
// NkRegression: the test cases inside .nk files. Desktop class; C++17 and newer.
#ifndef NETKIT_NK_REGRESSION_HPP
#define NETKIT_NK_REGRESSION_HPP

#include <cstdint>

#include "netkit.h"

namespace netkit::NkRegression {

struct RunSummary {
  std::uint32_t passed = 0;
  std::uint32_t failed = 0;
};

// A file that cannot be read counts as one failed case; nk_last_error says why.
inline RunSummary RunModelTests(const char* nk_path) {
  const nk_test_summary_t summary = nk_run_model_tests(nk_path);
  return {summary.passed, summary.failed};
}

}  // namespace netkit::NkRegression

#endif
