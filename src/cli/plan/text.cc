// SPDX-License-Identifier: MIT
// What plan prints in a terminal: the classes with bound and proof, and the figures beside them.
#include <fmt/format.h>

#include "cli/plan/plan_group.h"

namespace netkit::cli {
namespace {

const char* proof(bool proven) {
  return proven ? "proven minimal" : "not proven minimal";
}

std::string classes_table(const plan::Layout& layout) {
  std::string out =
      fmt::format("{:<9} {:>12} {:>14}  {}\n", "class", "arena B", "lower bound B", "proof");
  for (const plan::ClassSummary& summary : layout.classes) {
    out +=
        fmt::format("{:<9} {:>12} {:>14}  {}\n", plan::class_name(summary.plan_class),
                    summary.arena_bytes, summary.lower_bound_bytes, proof(summary.proven_minimal));
  }
  return out;
}

class TextGroup : public PlanGroup {
 public:
  void add(CLI::App&) override {}

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    const plan::Layout& layout = planned.layout;
    answer.text +=
        fmt::format("{}: {} steps, {} buffers, alignment {}\n", printable(request.model.model),
                    layout.steps.size(), layout.buffers.size(), layout.alignment);
    answer.text += classes_table(layout);
    answer.text += fmt::format("arena {}, class {}, {}{}\n", size_text(layout.arena_bytes),
                               plan::class_name(layout.plan_class), proof(layout.proven_minimal),
                               layout.time_limited ? " (search cut by --time-limit)" : "");
    answer.text += fmt::format(
        "for comparison: the given order lives at most {} B without overlap, all buffers "
        "together {} B, the largest {} B\n",
        layout.given_order_peak_bytes, layout.tensor_sum_bytes, layout.largest_tensor_bytes);
    return {};
  }
};

}  // namespace

PlanGroupPtr text_group() {
  return std::make_unique<TextGroup>();
}

}  // namespace netkit::cli
