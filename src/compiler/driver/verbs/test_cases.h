// SPDX-License-Identifier: MIT
// The verb test: runs the test cases that a .nk file carries.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace netkit::driver {

struct CaseFailure {
  std::string name, output;
  size_t element = 0;
  double expected = 0, got = 0;  // real values for quantised outputs
};

struct TestReport {
  std::string file;
  int passed = 0, failed = 0;
  std::vector<CaseFailure> failures;  // the first difference of each failed case
};

// `arena_bytes` 0: as the file says. Errors: not a .nk file, no cases inside.
Result<TestReport> run_test_cases(const std::string& path, size_t arena_bytes);

// The .nk files of a folder, sorted by name.
std::vector<std::string> nk_files_in(const std::string& folder);

}  // namespace netkit::driver
