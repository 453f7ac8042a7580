// SPDX-License-Identifier: MIT
// Spellings of the plan's enumerations; what is alive at each step.
#include "compiler/plan/layout.h"

#include <algorithm>
#include <set>
#include <utility>

namespace netkit::plan {

const char* class_name(PlanClass plan_class) {
  return plan_class == PlanClass::kPlain ? "plain" : "overlap";
}

const char* kind_name(BufferKind kind) {
  static constexpr const char* kNames[] = {"input", "activation", "output", "scratch", "state"};
  return kNames[static_cast<int>(kind)];
}

int64_t bytes_in_use(const Layout& layout, const std::vector<int>& live) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const int b : live) {
    const LayoutBuffer& buffer = layout.buffers[b];
    ranges.push_back({buffer.offset, buffer.offset + buffer.bytes});
  }
  std::sort(ranges.begin(), ranges.end());
  int64_t bytes = 0, end = 0;
  for (const auto& [lo, hi] : ranges) {
    bytes += std::max<int64_t>(0, hi - std::max(lo, end));
    end = std::max(end, hi);
  }
  return bytes;
}

void set_live_lists(Layout& layout) {
  const size_t steps = layout.steps.size();
  std::vector<std::vector<int>> begin(steps), end(steps);
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    if (layout.buffers[b].alias_of >= 0) continue;
    begin[layout.buffers[b].first_step].push_back(static_cast<int>(b));
    end[layout.buffers[b].last_step].push_back(static_cast<int>(b));
  }
  std::set<int> alive;
  for (size_t at = 0; at < steps; ++at) {
    alive.insert(begin[at].begin(), begin[at].end());
    layout.steps[at].live.assign(alive.begin(), alive.end());
    layout.steps[at].live_bytes = bytes_in_use(layout, layout.steps[at].live);
    for (const int b : end[at]) alive.erase(b);
  }
}

}  // namespace netkit::plan
