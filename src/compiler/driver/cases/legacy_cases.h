// SPDX-License-Identifier: MIT
// The test cases of older .nk files: real values that were expected of one output.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/cases/test_cases.h"
#include "compiler/import/nk_legacy/cases.h"
#include "compiler/select/program.h"

namespace netkit::driver {

// As cases of a new file, whose outputs have `output`'s type: expected values of a quantised output
// become its nearest steps, and the tolerance is at least one of them.
std::vector<TestCase> embedded_cases(const LegacyCases& cases, const TensorType& output);

// Compiles an older .nk file and runs its cases. Every output lies within the file's tolerance (of
// a quantised output: or one step) of the expected real value; the greatest output is the stated
// label, and for a quantised model the greatest expected one. Errors: no cases inside.
Result<TestReport> run_legacy_cases(std::span<const std::byte> bytes, const std::string& path,
                                    size_t arena_bytes);

}  // namespace netkit::driver
