// SPDX-License-Identifier: MIT
// netkit-certificate/1: a problem, its plans, and for each a witness of its bound
// (docs/certificate.md). check_certificate reads it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// One line of JSON for layouts that plan() gave for this problem under `options` (its order and
// in_out; class_limit aside), one per class.
std::string certificate_json(const Problem& problem, const PlanOptions& options,
                             const std::vector<Layout>& layouts);

// Plans the problem in every class that options.class_limit allows and certifies the results.
Result<std::string> certify(const Problem& problem, const PlanOptions& options);

}  // namespace netkit::plan
