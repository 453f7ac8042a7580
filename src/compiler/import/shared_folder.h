// SPDX-License-Identifier: MIT
// Tests only: the folder of public models and cases, which is not part of the repository.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace netkit {

// $NETKIT_SHARED, else "../shared" beside the sources; says so where it is absent.
inline std::optional<std::filesystem::path> shared_folder() {
  const char* set = std::getenv("NETKIT_SHARED");
  const std::filesystem::path folder =
      set != nullptr ? std::filesystem::path(set)
                     : std::filesystem::path(NETKIT_SOURCE_DIR) / ".." / "shared";
  std::error_code error;
  if (std::filesystem::is_directory(folder / "models", error)) return folder;
  std::printf("shared models are absent (%s): their tests did not run\n", folder.c_str());
  return std::nullopt;
}

}  // namespace netkit
