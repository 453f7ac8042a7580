// SPDX-License-Identifier: MIT
// The verb compile: model → .nk file, with test cases inside when they are given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"

namespace netkit::driver {

struct BuildOptions {
  std::string output;                     // "": the model's name with .nk
  std::string case_inputs, case_outputs;  // files of raw tensors, case after case
  int cases = 0;                          // 0: as many as the files hold
  float case_tolerance = 0;
  std::optional<int64_t> arena_limit_bytes;  // a model that needs more is refused (kNo)
  std::string memory_map;                    // "", or netkit-memory/1: the same by its regions
  std::string quant_report;                  // "", or where netkit-quant/1 goes
};

struct BuildReport {
  std::string path;
  int64_t file_bytes = 0, arena_bytes = 0, lower_bound_bytes = 0;
  bool proven_minimal = false;
  std::string plan_class;
  int tests = 0;
  std::optional<quant::Report> quant;
  std::vector<std::string> warnings;
};

Result<BuildReport> build_nk(const std::string& path, const CompileOptions& options,
                             const BuildOptions& build);

// Cuts the two files into cases. Errors: a size that is no multiple, counts that differ.
Result<std::vector<TestCase>> read_cases(const Schedule& schedule, const BuildOptions& build);

}  // namespace netkit::driver
