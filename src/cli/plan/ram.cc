// SPDX-License-Identifier: MIT
// plan --ram SIZE: stops at the first plan that fits; exit code 1 when none does.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/plan/plan_group.h"

namespace netkit::cli {
namespace {

class RamGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_option("--ram", text_, "stop at the first plan of at most this size");
  }

  Result<void> prepare(PlanRequest& request) override {
    if (text_.empty()) return {};
    if (request.globals.arena_bytes) {
      return fail(ErrorCode::kUsage, "is a limit of the arena as --ram is", "--arena",
                  "give --ram alone: it searches for a plan of that size");
    }
    NK_ASSIGN(bytes_, parse_size(text_, "--ram"));
    request.compile.plan.ram_bytes = bytes_;
    return {};
  }

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    if (text_.empty()) return {};
    const plan::Layout& layout = planned.layout;
    answer.fields["ram"] = fmt::format(R"({{"bytes":{},"fits":{},"short_bytes":{},"proven":{}}})",
                                       bytes_, layout.verdict == plan::Verdict::kFits,
                                       std::max<int64_t>(0, layout.arena_bytes - bytes_),
                                       layout.verdict != plan::Verdict::kNotFound);
    if (layout.verdict == plan::Verdict::kFits) {
      answer.text +=
          fmt::format("fits into {}: {} B free\n", size_text(bytes_), bytes_ - layout.arena_bytes);
      return {};
    }
    answer.code = static_cast<int>(ErrorCode::kNo);
    const bool proven = layout.verdict == plan::Verdict::kProvenNoFit;
    answer.text += fmt::format(
        "does not fit into {}: {} B short; {}{}\n", size_text(bytes_), layout.arena_bytes - bytes_,
        proven ? "proven: no plan of this class fits" : "no plan was found, none was excluded",
        scope_text(request));
    return {};
  }

 private:
  std::string text_;
  int64_t bytes_ = 0;
};

}  // namespace

PlanGroupPtr ram_group() {
  return std::make_unique<RamGroup>();
}

}  // namespace netkit::cli
