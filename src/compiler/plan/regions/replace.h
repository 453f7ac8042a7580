// SPDX-License-Identifier: MIT
// A layout as a placement problem: its lives and stated overlaps are kept, its addresses are not.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/layout.h"
#include "compiler/plan/offsets/place.h"

namespace netkit::plan {

// Nodes that a search for addresses may visit before the best so far is taken.
constexpr uint64_t kPlaceNodes = 1'000'000;

struct Replacement {
  PlacementProblem problem;
  std::vector<int> block;       // per Layout::buffers: its buffer in `problem`; -1: 0 bytes
  std::vector<int64_t> inside;  // per Layout::buffers: where it lies in that block
};

// One buffer per block of bytes: a view belongs to the block it lies in, whose life is that of all
// of them together. Overlaps between whole blocks stay allowed. `first` is added to every step.
Replacement replacement_of(const Layout& layout, int first = 0);

}  // namespace netkit::plan
