// SPDX-License-Identifier: MIT
// Words of C++, which cannot name a namespace.
#pragma once

#include <string_view>

namespace netkit::emit {

// Keywords up to C++26, and std.
bool is_cpp_word(std::string_view name);

}  // namespace netkit::emit
