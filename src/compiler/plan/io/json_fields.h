// SPDX-License-Identifier: MIT
// Fields of the JSON shapes that come from outside, each with the place that a refusal names.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"

namespace netkit::plan {

using Json = nlohmann::ordered_json;

// `value` as a whole number in [0, 2^bits], bits at most 53; 3.0 is one, true is none.
Result<int64_t> whole_number(const Json& value, const std::string& where, int bits = 53);

// The same of object[key], which has to be there; a refusal names `where`.key.
Result<int64_t> whole_field(const Json& object, const char* key, const std::string& where,
                            int bits = 53);

// object[key], which has to be there, as text.
Result<std::string> text_field(const Json& object, const char* key, const std::string& where);

}  // namespace netkit::plan
