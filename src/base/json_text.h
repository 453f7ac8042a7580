// SPDX-License-Identifier: MIT
// JSON from outside → a value: one reader for graphs, plans, maps, certificates and metadata.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace netkit {

// Errors (kInput): not JSON, with the byte, line and column at which it ends to be, bytes after the
// value and zero bytes included; a field twice in one object; nested deeper than kMaxJsonDepth (the
// library copies and prints values by recursion).
inline constexpr int kMaxJsonDepth = 64;
Result<nlohmann::ordered_json> parse_json(std::string_view text);

// Holds a value against a table of objects and fields.
// `shape` is the name of an object in `shapes`, a list of one shape, or one of: "s" text, "=a|b"
// one of these texts, "n" a whole number from 0 to 2^53, "d" that or null, "a" anything. An object
// in `shapes` has the shape of each field; a field whose name ends in ? there may be absent, and
// there are no others. Errors (kInput) name the place, `where` and on: "plans[0].steps[2].op".
Result<void> check_shape(const nlohmann::json& value, const nlohmann::json& shapes,
                         const nlohmann::json& shape, const std::string& where);

}  // namespace netkit
