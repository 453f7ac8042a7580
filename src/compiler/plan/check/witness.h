// SPDX-License-Identifier: MIT
// For a bound, the simplest witness that shows it, as text (docs/certificate.md).
#pragma once

#include <string>

#include "compiler/plan/layout.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// One object of JSON for the lower bound of a layout that plan() gave for this problem under
// `options`. Where none was found, that of a search, which the checker has to repeat.
std::string witness_json(const Problem& problem, const PlanOptions& options, const Layout& layout);

}  // namespace netkit::plan
