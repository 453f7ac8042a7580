// SPDX-License-Identifier: MIT
// The files that a command reads. What opens an input notes it here and what writes outputs asks
// here, so that no verb can replace its own input, however the name is spelled.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>
#include <vector>

namespace netkit {

// While one lives, this thread's reads are noted. One inside another hands its files on to it.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  // The one way in which an input is opened. It is noted where a FilesRead lives.
  static std::ifstream open(const std::string& path);
  // Is `path` one of them: the same file on the same device, or the same place?
  static bool holds(const std::string& path);

 private:
  struct File {
    dev_t device;
    ino_t inode;
    std::string place;  // canonical

    bool operator==(const File&) const = default;
  };

  FilesRead* outer_;
  std::vector<File> files_;
};

}  // namespace netkit
