// SPDX-License-Identifier: MIT
#include "compiler/emit/slice/source_index.h"

#include <algorithm>

namespace netkit::emit {

SourceIndex::SourceIndex(std::span<const SourceFile> files) {
  for (const SourceFile& file : files) {
    const size_t index = files_.size();
    files_.push_back(cut_into_chunks(file.text));
    const bool header = file.path.ends_with(".h");
    if (header) header_of_[file.path] = index;
    for (size_t i = 0; i < files_.back().chunks.size(); ++i) {
      const Chunk& chunk = files_.back().chunks[i];
      const bool linked = chunk.kind == ChunkKind::kFunction && !chunk.is_static;
      for (const std::string& name : chunk.defines) {
        local_[{index, name}].push_back({index, i});
        if (linked || header) global_[name].push_back({index, i});
        if (linked) linked_[name].push_back({index, i});
      }
    }
  }
  for (size_t i = 0; i < files_.size(); ++i) {
    visible_.emplace_back();
    see(i, visible_.back());
  }
}

// `file` and all that it includes, once each.
void SourceIndex::see(size_t file, std::vector<size_t>& seen) const {
  if (std::ranges::find(seen, file) != seen.end()) return;
  seen.push_back(file);
  for (const std::string& header : files_[file].headers) {
    if (const auto it = header_of_.find(header); it != header_of_.end()) see(it->second, seen);
  }
}

const std::vector<Place>* SourceIndex::root(const std::string& name) const {
  const auto it = global_.find(name);
  return it == global_.end() ? nullptr : &it->second;
}

const std::vector<Place>* SourceIndex::find(size_t file, const std::string& name) const {
  for (const size_t seen : visible_[file]) {
    if (const auto it = local_.find({seen, name}); it != local_.end()) return &it->second;
  }
  const auto it = linked_.find(name);
  return it == linked_.end() ? nullptr : &it->second;
}

}  // namespace netkit::emit
