// SPDX-License-Identifier: MIT
#include "compiler/plan/regions/share.h"

#include <algorithm>

#include "compiler/plan/regions/replace.h"
#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

struct States {
  int64_t bytes = 0, rounded = 0;  // of all of them; each rounded up to the alignment
  int64_t slack = 0;               // most that rounding added to one
  void add(const States& other) {
    bytes += other.bytes;
    rounded += other.rounded;
    slack = std::max(slack, other.slack);
  }
};

States states_of(const Layout& layout) {
  States found;
  for (const LayoutBuffer& b : layout.buffers) {
    if (b.kind != BufferKind::kState || b.alias_of >= 0) continue;
    const int64_t rounded = round_up(b.bytes, layout.alignment);
    found.add({b.bytes, rounded, rounded - b.bytes});
  }
  return found;
}

// A part beside the states of others. Taken out of a placement, a state lets all above it down by
// its rounded size, unless it is on top: then all else ends at a multiple of the alignment below.
int64_t bound_beside(const Layout& part, const States& others) {
  const int64_t bound = part.lower_bound_bytes;
  return others.rounded + std::min(bound, round_up(bound, part.alignment) - others.slack);
}

int64_t slack_of(int64_t bytes, int64_t alignment) {
  return round_up(bytes, alignment) - bytes;
}

// Any two buffers of two parts are alive together and share no byte. With one alignment the bytes
// of each part, pushed together, are a plan of it, each stretch of them rounded up but the topmost.
int64_t stacked_bound(const std::vector<SharedPart>& parts) {
  const int64_t alignment = parts[0].layout->alignment;
  int64_t sum = 0, slack = 0, largest = 0;
  bool one_alignment = true;
  for (const SharedPart& p : parts) {
    const int64_t bound = p.layout->lower_bound_bytes;
    one_alignment = one_alignment && p.layout->alignment == alignment;
    sum += round_up(bound, alignment);
    slack = std::max(slack, slack_of(bound, alignment));
    largest = std::max(largest, bound);
  }
  return one_alignment ? sum - slack : largest;
}

// Which part to put on top: the one that loses most by rounding, of equals the last.
size_t top_part(const std::vector<SharedPart>& parts, int64_t alignment) {
  size_t top = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    const auto slack = [&](size_t k) { return slack_of(parts[k].layout->arena_bytes, alignment); };
    if (slack(i) >= slack(top)) top = i;
  }
  return top;
}

// Where each part begins, one above the other.
std::vector<int64_t> stacked_begins(const std::vector<SharedPart>& parts, int64_t alignment) {
  std::vector<int64_t> begins(parts.size(), 0);
  const size_t on_top = top_part(parts, alignment);
  int64_t end = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == on_top) continue;
    begins[i] = end;
    end += round_up(parts[i].layout->arena_bytes, alignment);
  }
  begins[on_top] = end;
  return begins;
}

// Appends a part with its names and indices moved; addresses `above` its own.
void append(const SharedPart& part, int64_t above, SharedPlan& out) {
  const Layout& from = *part.layout;
  const int first_step = static_cast<int>(out.layout.steps.size());
  const int first_buffer = static_cast<int>(out.layout.buffers.size());
  const int first_tensor = static_cast<int>(out.problem.tensors.size());
  for (const Tensor& t : part.problem->tensors) {
    out.problem.tensors.push_back({part.name + ":" + t.name, t.bytes});
  }
  for (const int b : from.tensor_buffer) {
    out.layout.tensor_buffer.push_back(b < 0 ? -1 : b + first_buffer);
  }
  for (LayoutBuffer b : from.buffers) {
    b.name = part.name + ":" + b.name;
    b.offset += above;
    b.first_step += first_step;
    b.last_step += first_step;
    if (b.tensor >= 0) b.tensor += first_tensor;
    if (b.alias_of >= 0) b.alias_of += first_buffer;
    for (LayoutOverlap& o : b.overlaps) {
      o.with += first_buffer;
      o.step += first_step;
    }
    out.layout.buffers.push_back(std::move(b));
  }
  for (LayoutStep s : from.steps) {
    Step step;
    step.name = part.name + ":" + part.problem->steps[s.step].name;
    s.step = static_cast<int>(out.problem.steps.size());
    s.scratch_offset += above;
    out.problem.steps.push_back(std::move(step));
    out.layout.steps.push_back(std::move(s));
  }
}

bool keeps_state(const SharedPart& part) {
  return std::ranges::any_of(part.layout->buffers, [](const LayoutBuffer& b) {
    return b.kind == BufferKind::kState && b.bytes > 0;
  });
}

// States live through every part's steps.
void stretch_states(Layout& layout) {
  const int last = std::max(0, static_cast<int>(layout.steps.size()) - 1);
  for (LayoutBuffer& buffer : layout.buffers) {
    if (buffer.kind != BufferKind::kState) continue;
    buffer.first_step = 0;
    buffer.last_step = last;
  }
}

Result<void> place_anew(Layout& layout) {
  Replacement r = replacement_of(layout);
  r.problem.node_budget = kPlaceNodes;
  NK_ASSIGN(const Placement placed, place(r.problem));
  if (placed.offsets.empty()) {
    return fail(ErrorCode::kNo, "no common placement was found within the node budget", {},
                "give the models an arena each: netkit plan MODEL");
  }
  layout.arena_bytes = placed.height_bytes;
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    if (r.block[b] >= 0) layout.buffers[b].offset = placed.offsets[r.block[b]] + r.inside[b];
  }
  for (const LayoutBuffer& b : layout.buffers) {
    if (b.kind == BufferKind::kScratch) layout.steps[b.first_step].scratch_offset = b.offset;
  }
  return {};
}

void set_totals(const std::vector<SharedPart>& parts, Sharing sharing, Layout& layout) {
  for (const SharedPart& part : parts) {
    const Layout& l = *part.layout;
    States others;
    for (const SharedPart& other : parts) {
      if (&other != &part) others.add(states_of(*other.layout));
    }
    int64_t& bound = layout.lower_bound_bytes;
    bound = std::max(
        bound, sharing == Sharing::kConcurrent ? stacked_bound(parts) : bound_beside(l, others));
    int64_t& given = layout.given_order_peak_bytes;
    given = sharing == Sharing::kConcurrent
                ? given + l.given_order_peak_bytes
                : std::max(given, l.given_order_peak_bytes + others.bytes);
    layout.tensor_sum_bytes += l.tensor_sum_bytes;
    layout.largest_tensor_bytes = std::max(layout.largest_tensor_bytes, l.largest_tensor_bytes);
    layout.alignment = std::max(layout.alignment, l.alignment);
    if (l.plan_class == PlanClass::kOverlap) layout.plan_class = PlanClass::kOverlap;
    layout.time_limited |= l.time_limited;
  }
}

}  // namespace

Result<SharedPlan> share_arena(const std::vector<SharedPart>& parts, Sharing sharing) {
  SharedPlan out;
  set_totals(parts, sharing, out.layout);
  Layout& layout = out.layout;
  int64_t top = 0;
  bool states = false;
  std::vector<int64_t> begins(parts.size(), 0);
  if (sharing == Sharing::kConcurrent) begins = stacked_begins(parts, layout.alignment);
  for (size_t i = 0; i < parts.size(); ++i) {
    append(parts[i], begins[i], out);
    top = std::max(top, begins[i] + parts[i].layout->arena_bytes);
    states |= keeps_state(parts[i]);
  }
  layout.arena_bytes = top;
  out.problem.alignment = layout.alignment;
  if (states) stretch_states(layout);
  if (states && sharing == Sharing::kExclusive) NK_TRY(place_anew(layout));
  set_live_lists(layout);
  layout.lower_bound_bytes = std::min(layout.lower_bound_bytes, layout.arena_bytes);
  layout.proven_minimal = layout.lower_bound_bytes == layout.arena_bytes;
  layout.classes = {
      {layout.plan_class, layout.arena_bytes, layout.lower_bound_bytes, layout.proven_minimal}};
  return out;
}

}  // namespace netkit::plan
