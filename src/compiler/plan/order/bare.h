// SPDX-License-Identifier: MIT
// The order question with every view for nothing: its bounds hold whichever views are taken.
#pragma once

#include "compiler/plan/order/model.h"
#include "compiler/plan/plan.h"

namespace netkit::plan {

// What may lie within another tensor has no bytes; there are no views.
Problem without_views(const Problem& problem);

// Of a class, without views: what stands outside, what is kept, whether the order is given.
ModelOptions model_options(const Problem& problem, const PlanOptions& options, PlanClass of);

}  // namespace netkit::plan
