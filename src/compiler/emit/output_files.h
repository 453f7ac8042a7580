// SPDX-License-Identifier: MIT
// Files that an emitter made, and writing them so that a failure leaves none half done.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace netkit::emit {

struct OutputFile {
  std::string name;  // relative to the output folder
  std::string text;  // may hold any bytes
};

// Writes all files into `folder` (made if missing), each under a temporary name that is renamed at
// the end; on error the temporary files are removed and files from before stay as they were.
Result<void> write_files(const std::string& folder, const std::vector<OutputFile>& files);

// One file by its full path, the same way.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace netkit::emit
