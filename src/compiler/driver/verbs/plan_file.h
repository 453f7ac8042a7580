// SPDX-License-Identifier: MIT
// The verb plan: the memory plan of a model or of an abstract graph.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/problem.h"

namespace netkit::driver {

struct Planned {
  plan::Problem problem;
  plan::Layout layout;
  std::vector<std::string> warnings;
};

// `path` is a model, or netkit-graph/1 JSON (a name that ends in .json).
Result<Planned> plan_file(const std::string& path, const CompileOptions& options);

// The problem alone, without a search.
Result<Planned> problem_of_file(const std::string& path, CompileOptions options);

}  // namespace netkit::driver
