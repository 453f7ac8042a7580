// SPDX-License-Identifier: MIT
// Tests only: the folder of public models and cases, which is not part of the repository.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
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

// Every file below `folder` with one of the endings, sorted.
inline std::vector<std::filesystem::path> models_in(
    const std::filesystem::path& folder,
    std::initializer_list<std::string_view> endings = {".tflite", ".onnx"}) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (std::ranges::find(endings, ending) != endings.end()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The public .nk files of versions 3 and 4; none where the shared folder is absent.
inline std::vector<std::filesystem::path> legacy_files() {
  const auto shared = shared_folder();
  if (!shared) return {};
  return models_in(*shared / "models" / "nk_legacy", {".nk"});
}

}  // namespace netkit
