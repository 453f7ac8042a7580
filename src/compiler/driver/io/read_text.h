// SPDX-License-Identifier: MIT
// Reading a text file for the command line, with the checks of model files.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace netkit::driver {

// Without the mark that some programs put before UTF-8.
Result<std::string> read_text(const std::string& path);
std::string_view without_mark(std::string_view text);

}  // namespace netkit::driver
