// SPDX-License-Identifier: MIT
// The parts of check_saved: buffers, views, overlaps and addresses of a plan that was read back.
#pragma once

#include <string>

#include "base/result.h"
#include "compiler/plan/io/json.h"

namespace netkit::plan {

// A refusal that says what to do about any plan that is not what netkit wrote.
std::unexpected<Error> saved_wrong(std::string message, const std::string& where);

// "step 'f'", "buffer 'F'": what a refusal names.
std::string saved_step(const SavedPlan& plan, int at);
std::string saved_buffer(const LayoutBuffer& buffer);

// Alignment, kinds, views, overlaps and the steps' modes, each against the others.
Result<void> check_saved_parts(const SavedPlan& plan);

// No two buffers of the step's live list share bytes but for a stated overlap at its distance.
Result<void> check_saved_pairs(const SavedPlan& plan, int at);

// Of a plan without steps: no two buffers share bytes at one time; the most bytes at one time.
Result<void> check_given_lives(const Layout& layout, const BufferGaps& gaps);
int64_t peak_of_given_lives(const Layout& layout, const BufferGaps& gaps);

}  // namespace netkit::plan
