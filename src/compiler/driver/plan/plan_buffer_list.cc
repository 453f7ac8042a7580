// SPDX-License-Identifier: MIT
#include "compiler/driver/plan/plan_buffer_list.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "compiler/driver/io/read_text.h"
#include "compiler/plan/io/buffer_list_csv.h"

namespace netkit::driver {
namespace {

using Clock = std::chrono::steady_clock;

plan::Verdict verdict_of(const plan::Placement& placed, const plan::PlanOptions& options) {
  if (!options.ram_bytes) return plan::Verdict::kNone;
  if (placed.height_bytes <= *options.ram_bytes) return plan::Verdict::kFits;
  return placed.lower_bound_bytes > *options.ram_bytes ? plan::Verdict::kProvenNoFit
                                                       : plan::Verdict::kNotFound;
}

// What every offset is a multiple of.
int64_t common_alignment(const plan::BufferList& list) {
  int64_t common = 0;
  for (const plan::PlacementBuffer& b : list.problem.buffers) {
    common = std::gcd(common, b.alignment == 0 ? list.problem.alignment : b.alignment);
  }
  return std::max<int64_t>(1, common);
}

plan::Layout layout_of(const plan::BufferList& list, const plan::Placement& placed) {
  plan::Layout layout;
  for (size_t i = 0; i < list.ids.size(); ++i) {
    const plan::PlacementBuffer& b = list.problem.buffers[i];
    plan::LayoutBuffer buffer;
    buffer.name = list.ids[i];
    buffer.bytes = b.bytes;
    buffer.offset = placed.offsets[i];
    buffer.first_step = static_cast<int>(b.lower);
    buffer.last_step = static_cast<int>(b.upper - 1);
    buffer.tensor = static_cast<int>(i);
    layout.tensor_buffer.push_back(static_cast<int>(i));
    layout.buffers.push_back(std::move(buffer));
    layout.tensor_sum_bytes += b.bytes;
    layout.largest_tensor_bytes = std::max(layout.largest_tensor_bytes, b.bytes);
  }
  layout.alignment = common_alignment(list);
  layout.arena_bytes = placed.height_bytes;
  layout.lower_bound_bytes = placed.lower_bound_bytes;
  layout.proven_minimal = placed.proven;
  layout.time_limited = placed.time_limited;
  layout.classes = {
      {plan::PlanClass::kPlain, placed.height_bytes, placed.lower_bound_bytes, placed.proven}};
  return layout;
}

}  // namespace

Result<Planned> plan_buffer_list(const std::string& path, const plan::PlanOptions& options) {
  const Clock::time_point begin = Clock::now();
  NK_ASSIGN(const std::string text, read_text(path));
  NK_ASSIGN(plan::BufferList list, plan::read_buffer_list(text, path));
  if (list.ids.empty()) {
    return bad_input("holds no buffers", path, "write a line per buffer below the header");
  }
  list.problem.enough_bytes = options.ram_bytes;
  list.problem.deadline = plan::Deadline(options.time_limit_seconds, options.clock);
  auto placed = plan::place(list.problem);
  if (!placed) {
    Error error = std::move(placed.error());
    error.where = error.where.empty() ? path : path + ": " + error.where;
    return std::unexpected(std::move(error));
  }
  if (placed->offsets.empty() && placed->time_limited) {
    return fail(ErrorCode::kNo, "no plan was found in that time", path + ": --time-limit",
                "give more seconds, or leave it out");
  }
  if (placed->offsets.empty()) {
    return fail(ErrorCode::kNo, "no placement was found within the node budget", path,
                "plan the buffers of one stretch of time alone");
  }
  // The independent rules have the last word.
  NK_TRY(plan::check_placement(list.problem, placed->offsets));
  Planned planned;
  for (size_t i = 0; i < list.ids.size(); ++i) {
    plan::Tensor tensor;
    tensor.name = list.ids[i];
    tensor.bytes = list.problem.buffers[i].bytes;
    planned.problem.tensors.push_back(std::move(tensor));
  }
  for (const plan::PlacementBuffer& b : list.problem.buffers) {
    planned.gaps.push_back(b.gaps);
    std::ranges::sort(planned.gaps.back(), {},
                      [](const plan::LifeGap& gap) { return gap.steps.begin; });
  }
  planned.problem.alignment = list.problem.alignment;
  planned.layout = layout_of(list, *placed);
  planned.layout.given_order_peak_bytes = plan::most_alive(list.problem.buffers);
  planned.layout.verdict = verdict_of(*placed, options);
  planned.layout.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  planned.pictured = plan::stepped(planned.layout);
  planned.list = std::move(list);
  return planned;
}

Result<void> demand_bare_lives(const plan::BufferList& list, const std::string& what) {
  for (size_t i = 0; i < list.ids.size(); ++i) {
    const plan::PlacementBuffer& b = list.problem.buffers[i];
    const char* more = !b.gaps.empty()  ? "has gaps in its life"
                       : b.fixed_offset ? "has a fixed offset"
                       : b.alignment != list.problem.buffers[0].alignment
                           ? "has an alignment of its own"
                           : nullptr;
    if (more == nullptr) continue;
    return fail(ErrorCode::kUsage,
                what + " knows lives and sizes only: buffer '" + list.ids[i] + "' " + more);
  }
  return {};
}

}  // namespace netkit::driver
