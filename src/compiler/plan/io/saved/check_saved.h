// SPDX-License-Identifier: MIT
// The check of a plan that was read back, from the plan alone: there is no problem beside it.
#pragma once

#include "base/result.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"

namespace netkit::plan {

// `plan` holds what the file states first-hand: alignment, bound, steps, buffers, the classes'
// figures; indices in range, lives inside the steps. Sets what follows from it (arena, sums,
// proofs, the figures of its own class, the peak of given lives) and refuses (kInput) what
// contradicts: addresses, kinds, views, overlaps and modes against each other, buffers that are
// alive together and share bytes but for a view or a stated overlap at its distance, live lists and
// bytes, and every field of `root`, the file, that follows. The error names field and buffer or
// step, what stands there and what is right. The bound is not provable from a plan: that is what
// certificates are for. Near linear in the size of the file.
Result<void> check_saved(const Json& root, SavedPlan& plan);

}  // namespace netkit::plan
