// SPDX-License-Identifier: MIT
// From the planner's inner form to the Layout that everybody else reads.
#pragma once

#include "compiler/plan/joint/order_place.h"
#include "compiler/plan/layout.h"

namespace netkit::plan {

// Order, modes, addresses, lives and live lists; bounds and totals are the caller's to set.
Layout assemble(const OrderModel& model, const PlacedOrder& placed);

}  // namespace netkit::plan
