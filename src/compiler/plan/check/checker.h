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
  std::string plan_class;  // "plain", "overlap"
  int64_t arena_bytes = 0, lower_bound_bytes = 0;
  bool valid = false;
  std::string invalid_reason = {};  // empty when valid
  bool bound_verified = false;      // no plan of the class is lower than lower_bound_bytes
  // "live set", "cut", "search over executed sets", "views decided by cases"; else why not.
  std::string how = "the plan is wrong";
};

// Errors (kInput): text that is no certificate, or is too large to check. A certificate with
// wrong plans is no error: its verdicts say so.
Result<std::vector<PlanVerdict>> check_certificate(std::string_view text);

}  // namespace netkit::plan
