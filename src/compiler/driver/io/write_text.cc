// SPDX-License-Identifier: MIT
#include "compiler/driver/io/write_text.h"

#include "compiler/emit/output_files.h"

namespace netkit::driver {

Result<void> write_text(const std::string& path, const std::string& text) {
  return emit::write_file(path, text);
}

}  // namespace netkit::driver
