// SPDX-License-Identifier: MIT
// What plan prints in a terminal: the picture, and the classes with bytes, bound, proof and cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/plan/plan_group.h"
#include "compiler/plan/picture/picture.h"

namespace netkit::cli {
namespace {

std::string proof(bool proven, const PlanRequest& request) {
  return std::string(proven ? "proven minimal" : "not proven minimal") + scope_text(request);
}

// What a plan asks of the kernels, beside its bytes.
std::string cost(const plan::Layout& layout) {
  int64_t scratch = 0;
  int steps = 0;
  for (const plan::LayoutStep& step : layout.steps) {
    if (step.overlap < 0) continue;
    ++steps;
    scratch = std::max(scratch, step.scratch_bytes);
  }
  if (steps == 0) return "none";
  return fmt::format("{} of {} steps overwrite an input, at most {} B of scratch for it", steps,
                     layout.steps.size(), scratch);
}

// The layout of a class; nullptr where a stored plan holds only figures of it.
const plan::Layout* layout_of(const driver::Planned& planned, plan::PlanClass of) {
  for (const plan::Layout& layout : planned.class_layouts) {
    if (layout.plan_class == of) return &layout;
  }
  return planned.layout.plan_class == of ? &planned.layout : nullptr;
}

std::string classes_table(const PlanRequest& request, const driver::Planned& planned) {
  const int proof_width = *scope_text(request) == '\0' ? 19 : 32;
  std::string out = fmt::format("{:<9} {:>12} {:>14}  {:<{}} {}\n", "class", "arena B",
                                "lower bound B", "proof", proof_width, "cost");
  for (const plan::ClassSummary& summary : planned.layout.classes) {
    const plan::Layout* layout = layout_of(planned, summary.plan_class);
    const bool plain = summary.plan_class == plan::PlanClass::kPlain;
    out += fmt::format("{:<9} {:>12} {:>14}  {:<{}} {}\n", plan::class_name(summary.plan_class),
                       summary.arena_bytes, summary.lower_bound_bytes,
                       proof(summary.proven_minimal, request), proof_width,
                       layout != nullptr ? cost(*layout)
                       : plain           ? "none"
                                         : "not stored");
  }
  return out;
}

bool has_scratch(const plan::Layout& layout) {
  return std::ranges::find(layout.buffers, plan::BufferKind::kScratch, &plan::LayoutBuffer::kind) !=
         layout.buffers.end();
}

// A name may hold anything, a line end too.
std::string picture(plan::Layout layout) {
  for (plan::LayoutBuffer& b : layout.buffers) b.name = printable(b.name);
  return plan::text_picture(layout);
}

std::string title(const PlanRequest& request) {
  std::string out = request.model.model;
  for (const std::string& file : request.more) out += " + " + file;
  if (request.more.empty()) return out;
  return out + (request.sharing == plan::Sharing::kConcurrent ? " (at once)" : " (one at a time)");
}

class TextGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_flag("--no-picture", no_picture_, "the figures alone, without the drawing");
  }

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    const plan::Layout& layout = planned.layout;
    const bool lives = layout.steps.empty() && !layout.buffers.empty();
    answer.text += fmt::format("{}: {}, {} buffers, alignment {}{}\n", printable(title(request)),
                               lives ? "given lives" : fmt::format("{} steps", layout.steps.size()),
                               layout.buffers.size(), layout.alignment,
                               planned.stored ? "; as stored, checked but for its bound" : "");
    if (!no_picture_) {
      answer.text += picture(planned.drawn_layout());
    }
    if (!no_picture_ && planned.pictured) answer.text += times(*planned.pictured);
    answer.text += classes_table(request, planned);
    answer.text +=
        fmt::format("arena {}, class {}, {}{}\n", size_text(layout.arena_bytes),
                    plan::class_name(layout.plan_class), proof(layout.proven_minimal, request),
                    layout.time_limited ? " (search cut by --time-limit)" : "");
    answer.text += fmt::format(
        "for comparison: {} at most {} B{}, all tensors together {} B{}, the largest {} B\n",
        lives ? "alive at once are" : "the given order lives", layout.given_order_peak_bytes,
        lives ? "" : " without overlap", layout.tensor_sum_bytes,
        has_scratch(layout) ? " without scratch" : "", layout.largest_tensor_bytes);
    return {};
  }

 private:
  // What the steps of the picture of a buffer list are.
  static std::string times(const plan::SteppedPlan& plan) {
    const int peak = plan::peak_step(plan.layout);
    return fmt::format("a step begins where a life begins or ends; step {} at {}\n", peak + 1,
                       plan.problem.steps[static_cast<size_t>(peak)].name);
  }

  bool no_picture_ = false;
};

}  // namespace

const char* scope_text(const PlanRequest& request) {
  return request.compile.plan.order == plan::OrderChoice::kGiven ? " in this order" : "";
}

PlanGroupPtr text_group() {
  return std::make_unique<TextGroup>();
}

}  // namespace netkit::cli
