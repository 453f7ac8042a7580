// SPDX-License-Identifier: MIT
// Greedy placement of very many buffers: no pair is stored, only what has been placed.
// Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/offsets/component.h"
#include "compiler/plan/offsets/instance.h"

namespace netkit::plan {

// What has been placed, sorted by offset in blocks, so that inserting moves little.
class Strip {
 public:
  struct Entry {
    int64_t offset, end;  // units
    int first_section, end_section;
  };
  void insert(const Entry& entry);
  // The lowest legal offset beside all placed; best: in the smallest gap that holds the item.
  int64_t find(const Item& item, bool best) const;

 private:
  std::vector<std::vector<Entry>> blocks_;
};

// Several greedy orders, each corrected by moving what stands too high to the front. Overlaps and
// gaps are not used: the placement is valid, the bound is the loads'. nodes counts placed items.
// instance: made with Detail::kLoads.
ComponentPlan place_large(const Instance& instance, const ComponentGoal& goal,
                          const Deadline& deadline);

}  // namespace netkit::plan
