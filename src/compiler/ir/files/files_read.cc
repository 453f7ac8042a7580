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

std::ifstream FilesRead::open(const std::string& path) {
  struct stat info{};
  if (innermost != nullptr && ::stat(path.c_str(), &info) == 0) {
    File file{info.st_dev, info.st_ino, place_of(path)};
    auto& files = innermost->files_;
    if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
  }
  return std::ifstream(path, std::ios::binary);
}

bool FilesRead::holds(const std::string& path) {
  struct stat info{};
  const bool there = ::stat(path.c_str(), &info) == 0;
  const std::string place = place_of(path);
  for (const FilesRead* at = innermost; at != nullptr; at = at->outer_) {
    for (const File& file : at->files_) {
      if (there && file.device == info.st_dev && file.inode == info.st_ino) return true;
      if (!place.empty() && file.place == place) return true;
    }
  }
  return false;
}

}  // namespace netkit
