// SPDX-License-Identifier: MIT
// Writing a file for the command line: whole or not at all.
#pragma once

#include <string>

#include "base/result.h"

namespace netkit::driver {

Result<void> write_text(const std::string& path, const std::string& text);

}  // namespace netkit::driver
