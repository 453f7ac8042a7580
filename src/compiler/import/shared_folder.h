// SPDX-License-Identifier: MIT
// Tests only: the folder of public models and cases, which is not part of the repository.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

namespace netkit {

// $NETKIT_SHARED, else "../shared" beside the sources; says so where it is absent.
inline std::optional<std::filesystem::path> shared_folder() {
  const char* set = std::getenv("NETKIT_SHARED");
  const std::filesystem::path folder =
      set != nullptr ? std::filesystem::path(set)
                     : std::filesystem::path(NETKIT_SOURCE_DIR) / ".." / "shared";
  std::error_code error;
  if (std::filesystem::is_directory(folder / "models", error)) return folder;
  std::printf("note: public models are absent (%s): their tests did not run\n", folder.c_str());
  return std::nullopt;
}

// Every .tflite and .onnx file below `folder`, sorted.
inline std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path ending = entry.path().extension();
    if (ending == ".tflite" || ending == ".onnx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace netkit
