// SPDX-License-Identifier: MIT
// Files that a verb made, and writing them so that a failure leaves none half done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace netkit::emit {

struct OutputFile {
  std::string name;  // a path; for write_files relative to the output folder
  std::string text;  // may hold any bytes
};

// Writes all files or none. Each is written under a name of its own beside its target and renamed
// at the end; on error (kUsage, naming the file asked for) files from before stay as they were, and
// folders made on the way are removed. What stands at a target already: a regular file is replaced
// and keeps its mode, a symlink is followed, a device or FIFO is written to as it is (before the
// renames; that alone cannot be taken back), anything else is refused, and so are two outputs in
// one file and a file that was read (ir/files/files_read.h). `folders` are made if missing.
Result<void> write_all(const std::vector<OutputFile>& files,
                       const std::vector<std::string>& folders = {});

// While one lives, what this thread's write_all writes stays beside its target until put_in_place,
// so that a command can fail after it; destroyed without, all is as it was before.
class HeldOutputs {
 public:
  HeldOutputs();
  ~HeldOutputs();
  HeldOutputs(const HeldOutputs&) = delete;
  HeldOutputs& operator=(const HeldOutputs&) = delete;

  Result<void> put_in_place();

 private:
  friend Result<void> write_all(const std::vector<OutputFile>&, const std::vector<std::string>&);
  struct Files;
  std::unique_ptr<Files> files_;
  HeldOutputs* outer_;
};

// All files into `folder`, made if missing.
Result<void> write_files(const std::string& folder, const std::vector<OutputFile>& files);

// One file by its path; its folder exists.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace netkit::emit
