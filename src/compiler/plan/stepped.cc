// SPDX-License-Identifier: MIT
#include "compiler/plan/stepped.h"

#include <algorithm>
#include <utility>

namespace netkit::plan {
namespace {

constexpr size_t kMostSteps = 100'000;
constexpr int64_t kMaxLive = 4'000'000;

// The bytes that the buffers take, what several share counted once.
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

}  // namespace

std::optional<SteppedPlan> stepped(const Layout& layout) {
  std::vector<int64_t> times;
  for (const LayoutBuffer& b : layout.buffers) {
    times.push_back(b.first_step);
    times.push_back(int64_t{b.last_step} + 1);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.size() < 2 || times.size() > kMostSteps) return std::nullopt;
  const auto step_of = [&](int64_t time) {
    return static_cast<int>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  SteppedPlan made;
  made.layout = layout;
  made.problem.alignment = layout.alignment;
  made.problem.steps.resize(times.size() - 1);
  made.layout.steps.resize(times.size() - 1);
  made.layout.tensor_buffer.clear();
  int64_t pairs = 0;
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    LayoutBuffer& buffer = made.layout.buffers[b];
    const int index = static_cast<int>(b);
    buffer.first_step = step_of(buffer.first_step);
    buffer.last_step = step_of(int64_t{buffer.last_step} + 1) - 1;
    buffer.tensor = index;
    made.problem.tensors.push_back({buffer.name, buffer.bytes});
    made.layout.tensor_buffer.push_back(index);
    made.problem.steps[buffer.first_step].outputs.push_back(index);
    if (buffer.last_step > buffer.first_step) {
      made.problem.steps[buffer.last_step].inputs.push_back(index);
    }
    pairs += buffer.last_step - buffer.first_step + 1;
    if (pairs > kMaxLive) return std::nullopt;
    for (int s = buffer.first_step; s <= buffer.last_step; ++s) {
      made.layout.steps[s].live.push_back(index);
    }
  }
  for (size_t s = 0; s < made.layout.steps.size(); ++s) {
    made.problem.steps[s].name = std::to_string(times[s]);
    LayoutStep& step = made.layout.steps[s];
    step.step = static_cast<int>(s);
    step.live_bytes = bytes_in_use(made.layout, step.live);
  }
  return made;
}

}  // namespace netkit::plan
