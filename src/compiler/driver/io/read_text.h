// SPDX-License-Identifier: MIT
// Reading a text file for the command line, with the checks of model files.
#pragma once

#include <string>

#include "base/result.h"

namespace netkit::driver {

Result<std::string> read_text(const std::string& path);

}  // namespace netkit::driver
