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
  size_t code_at = 0;                // where in `text` the declaration begins
  std::vector<std::string> defines;  // names that it introduces
  std::vector<std::string> uses;     // names that it may take from outside, without repeats
};

struct ChunkedFile {
  std::vector<Chunk> chunks;
  std::vector<std::string> includes;  // system headers, "<math.h>"
  std::vector<std::string> headers;   // our own, "ops/common/kernel.h"
};

// Prototypes, include guards and C++ linkage marks are dropped. Declarations that list macros make
// (the enumerators of an enum, the types of a family) stand expanded, each a chunk of its own.
ChunkedFile cut_into_chunks(std::string_view text);

}  // namespace netkit::emit
