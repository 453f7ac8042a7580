// SPDX-License-Identifier: MIT
// JSON from outside → a value: one reader for graphs, plans, maps, certificates and metadata.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/result.h"

namespace netkit {

// Errors: not JSON, with the byte at which it ends to be; nested deeper than kMaxJsonDepth (the
// library copies and prints values by recursion).
inline constexpr int kMaxJsonDepth = 64;
Result<nlohmann::ordered_json> parse_json(std::string_view text);

}  // namespace netkit
