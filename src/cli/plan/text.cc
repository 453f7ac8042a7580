// SPDX-License-Identifier: MIT
// What plan prints in a terminal: the picture, and the classes with bytes, bound, proof and cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "cli/plan/plan_group.h"
#include "compiler/plan/given_order.h"
#include "compiler/plan/picture/picture.h"

namespace netkit::cli {
namespace {

// Of a plan, or of a class.
template <typename Figures>
std::string proof(const Figures& of, const PlanRequest& request) {
  if (of.proven_minimal) return std::string("proven minimal") + scope_text(request);
  return std::string("not proven minimal") + scope_text(request) + ", " +
         gap_text(of.arena_bytes, of.lower_bound_bytes);
}

// In per cent of the bound; none of a bound of 0.
std::optional<double> gap_percent(int64_t arena_bytes, int64_t bound_bytes) {
  if (bound_bytes <= 0) return std::nullopt;
  return 100.0 * static_cast<double>(arena_bytes - bound_bytes) / static_cast<double>(bound_bytes);
}

// {"overlap":{"bytes":912,"percent":13.5}} for each class that is not proven.
std::string gaps_json(const plan::Layout& layout) {
  std::string out;
  for (const plan::ClassSummary& c : layout.classes) {
    if (c.proven_minimal) continue;
    const auto percent = gap_percent(c.arena_bytes, c.lower_bound_bytes);
    out += fmt::format(R"({}"{}":{{"bytes":{},"percent":{}}})", out.empty() ? "" : ",",
                       plan::class_name(c.plan_class), c.arena_bytes - c.lower_bound_bytes,
                       percent ? fmt::format("{:.1f}", *percent) : "null");
  }
  return out.empty() ? out : "{" + out + "}";
}

bool has_scratch(const plan::Layout& layout) {
  return std::ranges::find(layout.buffers, plan::BufferKind::kScratch, &plan::LayoutBuffer::kind) !=
         layout.buffers.end();
}

// What the plan is to be compared with. The sizes stand as they are, the arena is aligned.
std::string comparison(const PlanRequest& request, const driver::Planned& planned) {
  const plan::Layout& layout = planned.layout;
  const bool lives = layout.steps.empty() && !layout.buffers.empty();
  const bool searched = request.more.empty() && !planned.stored && !lives;
  const bool rounded = std::ranges::any_of(
      layout.buffers, [&](const plan::LayoutBuffer& b) { return b.bytes % layout.alignment != 0; });
  std::string given =
      fmt::format("{} at most {} B{}", lives ? "alive at once are" : "the given order lives",
                  layout.given_order_peak_bytes, lives ? "" : " without overlap");
  if (searched && !plan::check_given_order(planned.problem)) given = "the given order cannot run";
  return fmt::format("for comparison{}: {}, all tensors together {} B{}, the largest {} B\n",
                     rounded ? ", before alignment" : "", given, layout.tensor_sum_bytes,
                     has_scratch(layout) ? " without scratch" : "", layout.largest_tensor_bytes);
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
  size_t proof_width = *scope_text(request) == '\0' ? 19 : 32;
  for (const plan::ClassSummary& summary : planned.layout.classes) {
    proof_width = std::max(proof_width, proof(summary, request).size() + 1);
  }
  std::string out = fmt::format("{:<9} {:>12} {:>14}  {:<{}} {}\n", "class", "arena B",
                                "lower bound B", "proof", proof_width, "cost");
  for (const plan::ClassSummary& summary : planned.layout.classes) {
    const plan::Layout* layout = layout_of(planned, summary.plan_class);
    const bool plain = summary.plan_class == plan::PlanClass::kPlain;
    out += fmt::format("{:<9} {:>12} {:>14}  {:<{}} {}\n", plan::class_name(summary.plan_class),
                       summary.arena_bytes, summary.lower_bound_bytes, proof(summary, request),
                       proof_width,
                       layout != nullptr ? cost(*layout)
                       : plain           ? "none"
                                         : "not stored");
  }
  return out;
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
    answer.text += fmt::format("arena {}, class {}, {}{}\n", size_text(layout.arena_bytes),
                               plan::class_name(layout.plan_class), proof(layout, request),
                               layout.time_limited ? " (search cut by --time-limit)" : "");
    answer.text += comparison(request, planned);
    const std::string gaps = gaps_json(layout);
    if (!gaps.empty()) answer.fields["gap"] = gaps;
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

std::string gap_text(int64_t arena_bytes, int64_t bound_bytes) {
  const auto percent = gap_percent(arena_bytes, bound_bytes);
  const std::string gap = fmt::format("gap {} B", arena_bytes - bound_bytes);
  return percent ? fmt::format("{}, {:.1f} % of the bound", gap, *percent) : gap;
}

PlanGroupPtr text_group() {
  return std::make_unique<TextGroup>();
}

}  // namespace netkit::cli
