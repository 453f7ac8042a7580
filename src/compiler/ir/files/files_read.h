// SPDX-License-Identifier: MIT
// The files that a command reads and those that it will write. What opens an input notes it here,
// what writes outputs asks here, and a verb says beforehand what it will write, so that none
// replaces its own input, however the name is spelled, nor works long before it refuses to.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace netkit {

// While one lives, this thread's reads are noted. One inside another hands its files on to it.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  // The one way in which an input is opened. It is noted where a FilesRead lives. kUsage for one
  // that will be written; a stream that has failed where it cannot be opened.
  static Result<std::ifstream> open(const std::string& path);
  // Is `path` one of those opened: the same file on the same device, or the same place?
  static bool holds(const std::string& path);
  // Before the work: `outputs` will be written, `inputs` will be opened, as far as they are files.
  // Empty names are passed over. kUsage, naming the output, where one is an input, of these or
  // opened already.
  static Result<void> declare(std::span<const std::string> outputs,
                              std::span<const std::string> inputs = {});

 private:
  struct File {
    dev_t device = 0;
    ino_t inode = 0;    // 0: there is none yet
    std::string place;  // canonical

    bool operator==(const File&) const = default;
    bool is(const File& other) const;
  };

  FilesRead* outer_;
  static std::optional<File> file_at(const std::string& path);  // nullopt: there is none
  static File output_at(const std::string& path);
  static std::unexpected<Error> refuse(const std::string& output);

  std::vector<File> files_;
  std::vector<std::pair<std::string, File>> outputs_;  // by the name given
};

}  // namespace netkit
