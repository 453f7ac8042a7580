// SPDX-License-Identifier: MIT
// A model file → bytes.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "compiler/import/import.h"
#include "compiler/ir/files/files_read.h"

namespace netkit {

Result<Bytes> read_model_file(const std::string& path, uint64_t max_bytes) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const bool missing = status.type() == fs::file_type::not_found;
    return bad_input(missing ? "no such file" : "cannot be opened: " + error.message(), path,
                     missing ? "check the name and its folder" : "give a file that can be read");
  }
  if (fs::is_directory(status))
    return bad_input("is a folder, not a file", path, "name a file in it");
  if (!fs::is_regular_file(status))
    return bad_input("is not a regular file", path, "copy its content into a file");
  const uint64_t size = fs::file_size(path, error);
  if (error) return bad_input("cannot be read: " + error.message(), path);
  if (size == 0) return bad_input("the file is empty", path);
  if (size > max_bytes) {
    return bad_input(fmt::format("{} bytes, the limit is {}", size, max_bytes), path,
                     "give a smaller file");
  }
  errno = 0;
  NK_ASSIGN(std::ifstream file, FilesRead::open(path));
  if (!file)
    return bad_input(fmt::format("cannot be opened: {}", std::strerror(errno)), path,
                     "give a file that can be read");
  Bytes bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (static_cast<uint64_t>(file.gcount()) != size) {
    return bad_input("cannot be read to its end", path);
  }
  return bytes;
}

}  // namespace netkit
