// SPDX-License-Identifier: MIT
#include "compiler/driver/io/read_text.h"

#include "compiler/import/import.h"

namespace netkit::driver {

Result<std::string> read_text(const std::string& path) {
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  return std::string(without_mark({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

}  // namespace netkit::driver
