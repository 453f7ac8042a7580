// SPDX-License-Identifier: MIT
// The text of netkit-certificate/1 → JSON with the documented fields and no others. What they say
// is the checker's business.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/result.h"
#include "compiler/plan/check/checker.h"

namespace netkit::plan {

// Every field is there, of its kind; one plan at least, one per class, and what the plans say of
// each other is so. Witnesses are not looked at. Errors (kInput) name the field.
Result<nlohmann::json> read_certificate(std::string_view text);

// What a plan of such a certificate says; and that it is too large to be checked, where the graph
// or the plan has more operators.
PlanVerdict begin_verdict(const nlohmann::json& root, const nlohmann::json& plan, size_t most_ops);

// Throws (json_access.h) at a field of the witness itself; those of the cases in it are left aside.
void demand_witness_fields(const nlohmann::json& witness);

}  // namespace netkit::plan
