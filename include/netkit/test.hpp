// SPDX-License-Identifier: MIT
// The models of the folder models/ on their digits. Desktop class; C++17 and newer.
#ifndef NETKIT_TEST_HPP
#define NETKIT_TEST_HPP

#include "netkit.h"
#include "netkit/nk_regression.hpp"

namespace netkit {

inline NkRegression::RunSummary run_all_tests() {
  const nk_test_summary_t summary = nk_run_all_tests();
  return {summary.passed, summary.failed};
}

}  // namespace netkit

#endif
