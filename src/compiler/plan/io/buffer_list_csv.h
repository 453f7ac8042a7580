// SPDX-License-Identifier: MIT
// Buffer lists as CSV, the format of google/minimalloc's benchmarks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/plan/layout.h"
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

// The buffers of a plan with their addresses as `offset`; what lies in another buffer (a view) is
// left out, its life is its block's. Where an output stands over a dying input, the input ends
// before that step, or keeps only the bytes beside the output during it (`gaps`). ids: the buffers'
// names, '_' in place of what the format cannot hold.
BufferList buffer_list_of(const Layout& layout);

// What read_buffer_list reads: id,lower,upper,size, then alignment, offset and gaps where a buffer
// has any; `offsets` (one per buffer) in place of the list's own fixed ones.
std::string buffer_list_csv(const BufferList& list, const std::vector<int64_t>& offsets);

}  // namespace netkit::plan
