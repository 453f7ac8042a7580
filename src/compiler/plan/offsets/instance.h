// SPDX-License-Identifier: MIT
// The offset solver's own view of a problem: lives cut into sections between events, bytes counted
// in units that divide every legal offset, pair rules as least distances. Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/offsets/place.h"

namespace netkit::plan {

// other.offset >= this.offset + distance, when this stands below other; else
// this.offset >= other.offset + back.
struct Arc {
  int other = 0;
  int64_t distance = 0;
  int64_t back = 0;
};

// Two items that may overlap at one section, by at most `saving` units.
struct OverlapPair {
  int a = 0, b = 0;
  int section = 0;
  int64_t saving = 0;
};

// A buffer whose offset is to be found. Offsets and sizes in units, rounded so that offset + size
// is where the next item may start.
struct Item {
  int buffer = 0;
  int first_section = 0, end_section = 0;
  int64_t size = 0;
  int64_t bytes = 0;
  int64_t alignment = 1;
  int64_t least = 0;        // smallest legal offset
  int64_t most = 0;         // largest legal offset, before any height is asked for
  std::vector<Interval> segments;   // sections that it fills wholly
  std::vector<Interval> obstacles;  // forbidden offsets, sorted, disjoint
  std::vector<int> pairs;           // indices into Instance::pairs
};

struct FixedPart {  // what a fixed buffer fills of a section
  Interval units;
};

struct Instance {
  int64_t unit = 1;
  int sections = 0;
  std::vector<Item> items;                 // in order of first_section
  std::vector<std::vector<Arc>> arcs;      // per item
  std::vector<OverlapPair> pairs;          // both ends are items
  std::vector<std::vector<FixedPart>> fixed;  // per section; empty when nothing is fixed
  std::vector<int64_t> top_slack_bytes;    // per section: most that rounding up adds at the top
  std::vector<int64_t> load_bytes;         // per section: least height that its items need
  int64_t bound_bytes = 0;                 // least height by loads and single items
  bool exact = true;                       // the pair rules are the problem's, not stricter
};

// Lowest legal offset >= at: aligned and outside the obstacles.
inline int64_t settle(const Item& item, int64_t at) {
  if (item.alignment > 1) at += (item.alignment - at % item.alignment) % item.alignment;
  for (const Interval& o : item.obstacles) {
    if (at < o.begin) break;
    if (at >= o.end) continue;
    at = o.end;
    if (item.alignment > 1) at += (item.alignment - at % item.alignment) % item.alignment;
  }
  return at;
}

// Errors of the contract in place.h, apart from collisions that only a search can find.
Result<bool> check_problem(const PlacementProblem& problem);

// What two buffers ask of each other: b.offset >= a.offset + above, or
// a.offset >= b.offset + below, in bytes. `free`: they never meet.
struct PairRule {
  bool free = true;
  bool exact = true;      // false: stricter than the problem (windows that interlock)
  int64_t above = 0, below = 0;
};
PairRule pair_rule(const PlacementProblem& problem, int a, int b,
                   const PairRelaxation* relaxation);

enum class Detail {
  kLoads,  // no arcs and pairs: bounds, and greedy placements that use no overlap
  kAll,
};

// The buffers `members` (indices; lives connected in time) as an instance. Precondition:
// check_problem succeeded; no member has 0 bytes.
Instance make_instance(const PlacementProblem& problem, const std::vector<int>& members,
                       Detail detail);

}  // namespace netkit::plan
