// SPDX-License-Identifier: MIT
#include "compiler/emit/output_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace netkit::emit {
namespace {

namespace fs = std::filesystem;

Result<void> write_temporary(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out.good()) return {};
  const std::string why = errno != 0 ? std::strerror(errno) : "write failed";
  return fail(ErrorCode::kUsage, fmt::format("cannot write: {}", why), path.string(),
              "choose a folder that exists and can be written");
}

}  // namespace

Result<void> write_files(const std::string& folder, const std::vector<OutputFile>& files) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::kUsage, fmt::format("cannot make the folder: {}", error.message()),
                folder, "choose a folder that can be written");
  }
  std::vector<std::pair<fs::path, fs::path>> written;  // temporary, final
  Result<void> result;
  for (const OutputFile& file : files) {
    const fs::path path = fs::path(folder) / file.name;
    const fs::path temporary = path.string() + ".partial";
    written.emplace_back(temporary, path);
    result = write_temporary(temporary, file.text);
    if (!result) break;
  }
  for (const auto& [temporary, path] : written) {
    if (result) {
      fs::rename(temporary, path, error);
      if (error) {
        result = fail(ErrorCode::kUsage, fmt::format("cannot write: {}", error.message()),
                      path.string(), "choose another output");
      }
    }
    if (!result) fs::remove(temporary, error);
  }
  return result;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const fs::path full(path);
  const fs::path parent = full.has_parent_path() ? full.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(parent, error)) {
    return fail(ErrorCode::kUsage, "cannot write: no such folder", path,
                "choose a folder that exists and can be written");
  }
  return write_files(parent.string(), {{full.filename().string(), text}});
}

}  // namespace netkit::emit
