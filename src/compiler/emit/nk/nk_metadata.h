// SPDX-License-Identifier: MIT
// The metadata section of a .nk file: one JSON object whose values are strings.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace netkit {

using Metadata = std::vector<std::pair<std::string, std::string>>;

// Keys in the given order; bytes that are not UTF-8 become U+FFFD.
std::string metadata_to_json(const Metadata& metadata);

// Values that are not strings come back as their JSON text. Empty where the text is no object.
Metadata metadata_from_json(std::string_view json);

}  // namespace netkit
