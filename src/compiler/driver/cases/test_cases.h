// SPDX-License-Identifier: MIT
// The verb test: runs the test cases that a .nk file carries.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::driver {

struct CaseFailure {
  std::string name, output;
  size_t element = 0;
  double expected = 0, got = 0;  // real values for quantised outputs
  bool is_argmax = false;        // the values agree; expected and got are places of the greatest
};

struct TestReport {
  std::string file;
  int passed = 0, failed = 0;
  std::vector<CaseFailure> failures;  // the first difference of each failed case
};

// `arena_bytes` 0: as the file says. Errors: not a .nk file, no cases inside. An older file
// (version 3 or 4) is compiled first (legacy_cases.h).
Result<TestReport> run_test_cases(const std::string& path, size_t arena_bytes);

// The same of the bytes of a .nk file; `path` names it.
Result<TestReport> run_test_cases_of(Bytes file, const std::string& path, size_t arena_bytes);

// The folder models/ of netkit's sources: every NAME.tflite or .onnx that has a NAME.expected.bin
// is compiled in memory and run on the digits beside it (models/README.md), sorted by name; int8 to
// the very bytes, floats within 1e-5. Errors: no such model there, a file that is cut short.
Result<std::vector<TestReport>> run_bundled_cases(const std::string& folder, size_t arena_bytes);

}  // namespace netkit::driver
