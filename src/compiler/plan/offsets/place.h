// SPDX-License-Identifier: MIT
// Offsets: gives every buffer with a known life an address so that the arena is least, and says
// whether that is proven. Knows buffers and addresses only; the order of steps is the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/plan/deadline.h"

namespace netkit::plan {

// Half-open: begin <= x < end. Steps in a life, bytes in an address range.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

// Within its life, a buffer occupies only window (bytes from its own start; empty: nothing)
// during steps.
struct LifeGap {
  Interval steps;
  Interval window;
};

struct PlacementBuffer {
  int64_t lower = 0;                    // first step alive
  int64_t upper = 0;                    // one past the last step alive; lower < upper
  int64_t bytes = 0;                    // >= 0; a buffer of 0 bytes meets nobody
  int64_t alignment = 0;                // of the offset; 0: the problem's; any value >= 1
  std::optional<int64_t> fixed_offset;  // must meet the other conditions, alignment included
  int64_t min_offset = 0;               // >= 0
  std::optional<int64_t> max_end;       // offset + bytes <= max_end
  std::vector<Interval> forbidden;      // addresses that the buffer may not touch, in any order
  std::vector<LifeGap> gaps;            // disjoint, inside the life
};

// Two buffers that are alive together at exactly one step, at which a kernel reads `in` and writes
// `out`. They may be disjoint, or stand so that
//   forward:  offset(out) <= offset(in) - forward_bytes,   or
//   backward: offset(out) + bytes(out) >= offset(in) + bytes(in) + backward_bytes,
// whichever of the two is given (both: either). Distances are >= 0; 0 forward is in place.
struct PairRelaxation {
  int in = 0;  // indices into PlacementProblem::buffers
  int out = 0;
  std::optional<int64_t> forward_bytes, backward_bytes;
};

struct PlacementProblem {
  std::vector<PlacementBuffer> buffers;
  std::vector<PairRelaxation> relaxations;  // at most one per pair; in != out
  int64_t alignment = 1;                    // of every offset, unless the buffer has its own
  std::optional<int64_t> capacity;          // only placements of at most this height count
  std::optional<int64_t> enough_bytes;      // stop at the first placement of at most this height
  uint64_t node_budget = 2'000'000;         // search nodes; the result is the same on any machine
  Deadline deadline;                        // makes the result depend on the machine
  bool greedy = false;                      // no search: one greedy order, overlaps not used
  std::vector<std::string> names;           // per buffer, for refusals; or empty: by number
};

struct Placement {
  std::vector<int64_t> offsets;   // one per buffer; empty: nothing within the capacity was found
  int64_t height_bytes = 0;       // largest offset + bytes; 0 when offsets is empty
  int64_t lower_bound_bytes = 0;  // no placement at all is lower than this
  bool proven = false;            // height_bytes == lower_bound_bytes; or, with no offsets,
                                  // lower_bound_bytes > capacity: none exists
  bool time_limited = false;      // the wall clock stopped the search
  uint64_t nodes = 0;
};

// The least height: exact search within node_budget, then the best found with its bound.
// Errors (kInput): sizes, lives, ranges, alignments or relaxations that contradict their
// contract, sums beyond 2^62; an unsatisfiable fixed or bounded buffer; fixed buffers that collide.
// Method: canonical placements and section bounds after M. D. Moffitt, "MiniMalloc", ASPLOS'23.
Result<Placement> place(const PlacementProblem& problem);

// What refusals call the buffer.
std::string buffer_name(const PlacementProblem& problem, size_t index);

// The load bound alone, in O(n log n): the largest number of bytes that any step needs at once,
// overlaps counted as favourably as they allow.
Result<int64_t> load_bound(const PlacementProblem& problem);

// The largest sum of bytes that the buffers take at one time, wherever they stand; the sum of all
// sizes is at most 2^62.
int64_t most_alive(const std::vector<PlacementBuffer>& buffers);

// The plain truth of a placement, independent of the search: first violated rule, or success.
Result<int64_t> check_placement(const PlacementProblem& problem,
                                const std::vector<int64_t>& offsets);  // height in bytes

}  // namespace netkit::plan
