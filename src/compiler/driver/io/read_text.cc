// SPDX-License-Identifier: MIT
#include "compiler/driver/io/read_text.h"

#include "compiler/import/import.h"

namespace netkit::driver {

Result<std::string> read_text(const std::string& path) {
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace netkit::driver
