// SPDX-License-Identifier: MIT
// plan --memory-map FILE: a table per region, used, free and reserved, or what is short.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/plan/plan_group.h"
#include "compiler/driver/plan/memory_map.h"
#include "compiler/driver/plan/plan_buffer_list.h"
#include "compiler/plan/regions/regions.h"

namespace netkit::cli {
namespace {

// Whole KiB where it is whole: "24 KiB".
std::string short_size(int64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : size_text(bytes);
}

std::string table(const plan::MemoryMap& map, const plan::RegionPlan& plan) {
  std::string out = fmt::format("{:<24} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "region", "bytes",
                                "reserved", "plan", "used", "free");
  for (size_t r = 0; r < plan.regions.size(); ++r) {
    const plan::RegionUse& use = plan.regions[r];
    out += fmt::format("{:<24} {:>12} {:>12} {:>12} {:>12} {:>12}\n", printable(use.name),
                       use.bytes, use.reserved_bytes, use.plan_bytes, use.used_bytes(),
                       use.short_bytes() > 0 ? fmt::format("-{}", use.short_bytes())
                                             : std::to_string(use.free_bytes()));
    for (const plan::Reservation& part : map.regions[r].reserved) {
      out += fmt::format("  {:<22} {:>12} {:>12}\n", printable(part.what), "", part.bytes);
    }
  }
  return out;
}

std::string verdict(const plan::RegionPlan& plan, const char* scope) {
  if (plan.verdict == plan::Verdict::kFits) {
    int64_t free = 0;
    for (const plan::RegionUse& use : plan.regions) free += use.free_bytes();
    return fmt::format("fits: {} free\n", short_size(free));
  }
  const bool proven = plan.verdict == plan::Verdict::kProvenNoFit;
  const std::string why = std::string(proven ? "proven: no plan of this class fits"
                                             : "no plan was found, none was excluded") +
                          scope;
  for (const plan::RegionUse& use : plan.regions) {
    if (use.short_bytes() == 0) continue;
    return fmt::format("does not fit: {} short in {} (needs {} of {}); {}\n",
                       short_size(use.short_bytes()), printable(use.name),
                       short_size(use.used_bytes()), short_size(use.bytes), why);
  }
  return fmt::format("does not fit: the rules leave no place for some buffer in any region; {}\n",
                     why);
}

std::string flash_text(const plan::FlashUse& flash, bool stored) {
  const std::string size = fmt::format("flash {}: ", short_size(flash.bytes));
  if (flash.used_bytes < 0) return size + "not checked: a plan does not say what the model keeps\n";
  const int64_t room = flash.bytes - flash.used_bytes;
  return fmt::format("{}{} {}, {} {}\n", size, stored ? "the .nk file" : "weights and parameters",
                     size_text(flash.used_bytes), size_text(std::abs(room)),
                     room < 0 ? "short: does not fit" : "free for code");
}

class MemoryGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_option("--memory-map", file_, "netkit-memory/1: the regions and what stands in them");
  }

  Files files() const override { return {{}, {file_}}; }

  Result<void> prepare(PlanRequest&) override {
    if (file_.empty()) return {};
    NK_ASSIGN(map_, driver::read_memory_map(file_));
    return {};
  }

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    if (file_.empty()) return {};
    if (planned.list) NK_TRY(driver::demand_bare_lives(*planned.list, "a memory map"));
    auto fitted = plan::fit_into_regions(planned.layout, map_);
    if (!fitted) {
      fitted.error().where = file_ + ": " + fitted.error().where;
      return std::unexpected(std::move(fitted.error()));
    }
    plan::RegionPlan fit = std::move(*fitted);
    if (map_.flash_bytes) fit.flash = {*map_.flash_bytes, planned.flash_bytes};
    answer.fields["memory"] = plan::region_plan_json(planned.layout, fit);
    answer.text += table(map_, fit) + verdict(fit, scope_text(request));
    if (fit.flash) answer.text += flash_text(*fit.flash, planned.stored);
    const bool fits =
        fit.verdict == plan::Verdict::kFits && (!fit.flash || fit.flash->short_bytes() == 0);
    if (!fits) answer.code = static_cast<int>(ErrorCode::kNo);
    return {};
  }

 private:
  std::string file_;
  plan::MemoryMap map_;
};

}  // namespace

PlanGroupPtr memory_group() {
  return std::make_unique<MemoryGroup>();
}

}  // namespace netkit::cli
