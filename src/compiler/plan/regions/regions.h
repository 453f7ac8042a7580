// SPDX-License-Identifier: MIT
// Memory maps (netkit-memory/1): a plan laid into the regions of a device, beside what else stands
// there. Layout + MemoryMap → RegionPlan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/plan/layout.h"

namespace netkit::plan {

struct Reservation {
  std::string what;   // "stack and services"
  int64_t bytes = 0;  // of all `count` parts together
};

struct Region {
  std::string name;
  int64_t bytes = 0;
  std::vector<Reservation> reserved;
};

// Where some buffers may live. All rules that name a buffer hold for it.
struct RegionRule {
  std::string buffers;       // inputs outputs activations scratch states all, or one name
  std::vector<int> regions;  // indices into MemoryMap::regions; empty: any
  std::optional<int64_t>
      transfer_bytes;  // a transfer unit (DMA) moves the buffer in such pieces:
                       // it begins at a multiple and no other buffer shares a piece
};

struct MemoryMap {
  std::vector<Region> regions;  // the first is filled first; at least one
  std::vector<RegionRule> rules;
  std::optional<int64_t> flash_bytes;
};

// Errors (kInput) name the place: "regions[1].reserved[0].bytes".
Result<MemoryMap> parse_memory_map(std::string_view text);

struct RegionUse {
  std::string name;
  int64_t bytes = 0, reserved_bytes = 0;
  int64_t plan_bytes = 0;  // highest end of a buffer within the region's free part
  int64_t used_bytes() const { return reserved_bytes + plan_bytes; }
  int64_t free_bytes() const { return std::max<int64_t>(0, bytes - used_bytes()); }
  int64_t short_bytes() const { return std::max<int64_t>(0, used_bytes() - bytes); }
};

struct BufferPlace {
  int region = -1;
  int64_t offset = 0;  // of the region's free part
};

// What stands in the device's flash beside code.
struct FlashUse {
  int64_t bytes = 0;       // that there are
  int64_t used_bytes = 0;  // by the model; -1: not known
  int64_t short_bytes() const { return std::max<int64_t>(0, used_bytes - bytes); }
};

struct RegionPlan {
  std::vector<RegionUse> regions;
  std::optional<FlashUse> flash;    // the caller's word; fit_into_regions sets none
  std::vector<BufferPlace> places;  // per Layout::buffers; empty where nothing was found
  Verdict verdict = Verdict::kNotFound;
  bool exact_plan = false;  // the arena stands in one region just as it was planned
};

// The order and the kernels' modes are the layout's; with one region and no rule its addresses
// too. Otherwise buffers get new addresses over all regions, the first region filled first; a view
// then takes its whole block with it. What does not fit makes the last region short. kProvenNoFit:
// no plan of the layout's class fits, in any order, by the sizes of regions and buffers and the
// class's bound. Errors (kInput): a rule for a buffer that the layout does not have.
Result<RegionPlan> fit_into_regions(const Layout& layout, const MemoryMap& map);

// {"fits":true,"regions":[{"name":…,"bytes":…,"reserved_bytes":…,"plan_bytes":…,"used_bytes":…,
// "free_bytes":…,"short_bytes":…}],"buffers":[{"name":…,"region":…,"offset":…}]}, and with flash
// "flash":{"bytes":…,"used_bytes":…,"short_bytes":…}, null where not known. Fits: all of it.
std::string region_plan_json(const Layout& layout, const RegionPlan& plan);

}  // namespace netkit::plan
