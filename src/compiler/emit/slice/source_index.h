// SPDX-License-Identifier: MIT
// The kernel sources cut into top-level declarations, and which of them a name means in each file.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/emit/slice/chunks.h"

namespace netkit::emit {

// A file of src/base or src/ops, as embedded at build time (embedded_sources.h).
struct SourceFile {
  std::string_view path;  // "ops/conv2d/conv2d_ref.c"
  std::string_view text;
};

// A declaration: its file and its number there.
struct Place {
  size_t file = 0, chunk = 0;
  auto operator<=>(const Place&) const = default;
};

// Keeps views of the files, which must live as long.
class SourceIndex {
 public:
  explicit SourceIndex(std::span<const SourceFile> files);

  const Chunk& chunk(const Place& place) const { return files_[place.file].chunks[place.chunk]; }
  const std::vector<std::string>& includes(size_t file) const { return files_[file].includes; }

  // The definitions of a function with external linkage or of a name of a header; null for none.
  const std::vector<Place>* root(const std::string& name) const;

  // What `name` means inside a file: its own declarations first, then those of the headers that it
  // includes, then functions with external linkage; null for none.
  const std::vector<Place>* find(size_t file, const std::string& name) const;

 private:
  void see(size_t file, std::vector<size_t>& seen) const;

  std::vector<ChunkedFile> files_;
  std::map<std::string_view, size_t> header_of_;  // by path
  std::vector<std::vector<size_t>> visible_;      // per file: itself, then its headers
  std::map<std::pair<size_t, std::string>, std::vector<Place>> local_;
  std::map<std::string, std::vector<Place>> global_;  // what a root may be
  std::map<std::string, std::vector<Place>> linked_;  // functions with external linkage
};

}  // namespace netkit::emit
