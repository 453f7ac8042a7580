// SPDX-License-Identifier: MIT
#include "compiler/ir/files/files_read.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace netkit {
namespace {

thread_local FilesRead* innermost = nullptr;

std::string place_of(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(path, error).string();  // empty where there is none
}

}  // namespace

FilesRead::FilesRead() : outer_(innermost) {
  innermost = this;
}

FilesRead::~FilesRead() {
  innermost = outer_;
  if (outer_ != nullptr)
    std::move(files_.begin(), files_.end(), std::back_inserter(outer_->files_));
}

bool FilesRead::File::is(const File& other) const {
  if (inode != 0 && inode == other.inode && device == other.device) return true;
  return !place.empty() && place == other.place;
}

FilesRead::File FilesRead::output_at(const std::string& path) {
  struct stat info{};
  const bool there = ::stat(path.c_str(), &info) == 0;
  return {there ? info.st_dev : 0, there ? info.st_ino : 0, place_of(path)};
}

std::optional<FilesRead::File> FilesRead::file_at(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return File{info.st_dev, info.st_ino, place_of(path)};
}

std::unexpected<Error> FilesRead::refuse(const std::string& output) {
  return fail(ErrorCode::kUsage, "cannot write: it is an input of this command", output,
              "choose another output");
}

Result<std::ifstream> FilesRead::open(const std::string& path) {
  const std::optional<File> file = innermost != nullptr ? file_at(path) : std::nullopt;
  if (file) {
    for (const FilesRead* at = innermost; at != nullptr; at = at->outer_) {
      for (const auto& [name, output] : at->outputs_) {
        if (output.is(*file)) return refuse(name);
      }
    }
    auto& files = innermost->files_;
    if (std::ranges::find(files, *file) == files.end()) files.push_back(*file);
  }
  return std::ifstream(path, std::ios::binary);
}

bool FilesRead::holds(const std::string& path) {
  const File asked = output_at(path);
  for (const FilesRead* at = innermost; at != nullptr; at = at->outer_) {
    if (std::ranges::any_of(at->files_, [&](const File& file) { return file.is(asked); })) {
      return true;
    }
  }
  return false;
}

Result<void> FilesRead::declare(std::span<const std::string> outputs,
                                std::span<const std::string> inputs) {
  if (innermost == nullptr) return {};
  for (const std::string& name : outputs) {
    if (name.empty()) continue;
    const File output = output_at(name);
    const bool read = std::ranges::any_of(inputs, [&](const std::string& input) {
      const std::optional<File> file = file_at(input);
      return file && file->is(output);
    });
    if (read || holds(name)) return refuse(name);
    innermost->outputs_.emplace_back(name, output);
  }
  return {};
}

}  // namespace netkit
