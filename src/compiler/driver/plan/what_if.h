// SPDX-License-Identifier: MIT
// plan --what-if: the plan again after each single change and after changes together. Every row is
// a plan of its own; no saving is added to another.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"

namespace netkit::driver {

struct WhatIfRow {
  std::string change;    // "as asked", "given order", "given order + no overlap"
  bool possible = true;  // false: `note` says why there is no plan
  std::string note;
  std::string plan_class;
  int64_t arena_bytes = 0, lower_bound_bytes = 0;
  bool proven_minimal = false;
};

// The first row is the plan as the options ask for it. `path` is a model or netkit-graph/1 JSON.
Result<std::vector<WhatIfRow>> what_if(const std::string& path, const CompileOptions& options);

// {"format":"netkit-what-if/1","rows":[{"change":…,"arena_bytes":n,"lower_bound_bytes":n,
// "proven_minimal":true,"class":…}|{"change":…,"note":…},…]}
std::string what_if_json(const std::vector<WhatIfRow>& rows);

}  // namespace netkit::driver
