// SPDX-License-Identifier: MIT
// The independent checker of netkit-certificate/1 (docs/certificate.md). Written apart from the
// planner, with which it shares no code: it reads the certificate's text and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace netkit::plan {

// The verdict on one plan of the certificate.
struct PlanVerdict {
  std::string plan_class;     // "plain", "overlap"
  std::string order, in_out;  // what it is said of, as the certificate has it
  int64_t arena_bytes = 0, lower_bound_bytes = 0;
  std::string unchecked = {};  // why nothing was checked; empty: it was
  bool valid = false;
  std::string invalid_reason = {};  // empty when valid
  bool bound_verified = false;      // no plan of the class is lower than lower_bound_bytes
  // "live set", "cut", "search over executed sets", "views decided by cases"; else why not.
  std::string how = "the plan is wrong";
};

// Errors (kInput): text that is no certificate. A certificate with wrong plans, or of a graph that
// is too large to check, is no error: its verdicts say so.
Result<std::vector<PlanVerdict>> check_certificate(std::string_view text);

}  // namespace netkit::plan
