// SPDX-License-Identifier: MIT
// Buffer lists as CSV, the format of google/minimalloc's benchmarks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/plan/offsets/place.h"

namespace netkit::plan {

struct BufferList {
  std::vector<std::string> ids;  // one per buffer of the problem, unique
  PlacementProblem problem;
};

// Header line, then a buffer per line; columns in any order:
//   id (buffer, buffer_id), lower (begin, start), upper (or end = upper - 1), size: required;
//   alignment, hint (ignored), offset (fixed), gaps ("from-to" or "from-to@low:high", with blanks
//   between; with the column `end`, `to` is inclusive too): optional, absent when empty.
// Alignment is 1 unless given. Empty lines are skipped, a carriage return before the line end is
// allowed. Errors (kInput): anything else, with `file:line` in `where`.
Result<BufferList> read_buffer_list(std::string_view text, const std::string& file);

}  // namespace netkit::plan
