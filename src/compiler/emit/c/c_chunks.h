// SPDX-License-Identifier: MIT
// A C source of ours as a list of top-level declarations (the slicer's first half).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace netkit::emit {

enum class ChunkKind { kDirective, kFunction, kOther };

struct Chunk {
  ChunkKind kind = ChunkKind::kOther;
  bool is_static = false;
  std::string text;                  // with the comment that stands before it
  std::vector<std::string> defines;  // names that it introduces
  std::vector<std::string> uses;     // identifiers in it, in order, without repeats
};

struct ChunkedFile {
  std::vector<Chunk> chunks;
  std::vector<std::string> includes;  // system headers, "<math.h>"
};

// Prototypes, include guards and C++ linkage marks are dropped.
ChunkedFile cut_into_chunks(std::string_view text);

// The identifiers of a piece of C, comments and literals left out.
std::vector<std::string> identifiers_of(std::string_view text);

}  // namespace netkit::emit
