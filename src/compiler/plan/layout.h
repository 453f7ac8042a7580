// SPDX-License-Identifier: MIT
// What the planner returns (netkit-plan/1 in memory): an order of the steps, the mode of each,
// an address for every buffer, and how far the result is proven to be minimal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netkit::plan {

enum class PlanClass {
  kPlain,    // no output touches a live input; views are allowed
  kOverlap,  // an output may overwrite input bytes that its kernel no longer reads
};
const char* class_name(PlanClass plan_class);  // "plain", "overlap"

enum class BufferKind { kInput, kActivation, kOutput, kScratch, kState };
const char* kind_name(BufferKind kind);

// A stated overlap: at `step` the kernel writes this buffer over the dying buffer `with`.
struct LayoutOverlap {
  int with = 0;  // index into Layout::buffers
  int step = 0;  // position in the order
  std::optional<int64_t> forward_bytes, backward_bytes;  // as the kernel allows them
};

// One per tensor that lies in the arena, then one per step that needs scratch.
struct LayoutBuffer {
  std::string name;        // the tensor's; scratch: "<step>.scratch"
  int64_t bytes = 0;
  int64_t offset = 0;      // of the arena
  int first_step = 0;      // positions in the order, inclusive
  int last_step = 0;
  BufferKind kind = BufferKind::kActivation;
  int tensor = -1;         // index into Problem::tensors; -1: scratch
  int alias_of = -1;       // buffer in whose bytes it lies (a view); -1: none
  std::vector<LayoutOverlap> overlaps;
};

struct LayoutStep {
  int step = 0;            // index into Problem::steps
  int overlap = -1;        // index into Step::overlaps; -1: the plain mode
  std::vector<int> views;  // indices into Step::views that are taken
  int64_t scratch_bytes = 0;
  int64_t scratch_offset = 0;  // meaningless where scratch_bytes is 0
  int64_t live_bytes = 0;      // bytes of the arena in use (what two buffers share counts once)
  std::vector<int> live;       // buffers in use, as indices into Layout::buffers
};

struct ClassSummary {
  PlanClass plan_class = PlanClass::kPlain;
  int64_t arena_bytes = 0, lower_bound_bytes = 0;
  bool proven_minimal = false;
};

enum class Verdict {
  kNone,         // no target was asked for
  kFits,         // arena_bytes <= target
  kProvenNoFit,  // no plan of the allowed classes fits
  kNotFound,     // none was found, none was excluded
};

struct Layout {
  PlanClass plan_class = PlanClass::kPlain;
  std::vector<LayoutStep> steps;       // in execution order
  std::vector<LayoutBuffer> buffers;
  std::vector<int> tensor_buffer;      // per Problem::tensors; -1: not in the arena
  int64_t alignment = 1;
  int64_t arena_bytes = 0;
  int64_t lower_bound_bytes = 0;       // of this class, over all orders asked for
  bool proven_minimal = false;
  int64_t given_order_peak_bytes = 0;  // largest live sum of the given order, plain class
  int64_t tensor_sum_bytes = 0, largest_tensor_bytes = 0;
  std::vector<ClassSummary> classes;
  Verdict verdict = Verdict::kNone;
  bool time_limited = false;           // the wall clock cut the search short
  double seconds = 0;
};

// The bytes that the buffers `live` take, what several share counted once.
int64_t bytes_in_use(const Layout& layout, const std::vector<int>& live);

// `live` and `live_bytes` of every step, from lives and addresses: the buffers alive there that lie
// in no other, in the order of their indices. Costs what the lists are long.
void set_live_lists(Layout& layout);

}  // namespace netkit::plan
