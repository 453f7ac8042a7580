// SPDX-License-Identifier: MIT
#include "compiler/plan/stepped.h"

#include <algorithm>
#include <utility>

namespace netkit::plan {
namespace {

constexpr size_t kMostSteps = 100'000;
constexpr int64_t kMaxLive = 4'000'000;

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
  }
  for (size_t s = 0; s < made.layout.steps.size(); ++s) {
    made.problem.steps[s].name = std::to_string(times[s]);
    made.layout.steps[s].step = static_cast<int>(s);
  }
  set_live_lists(made.layout);
  return made;
}

}  // namespace netkit::plan
