// SPDX-License-Identifier: MIT
// plan --offline-tflite FILE, --model-explorer FILE, --csv FILE: the plan for other tools.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/plan/plan_group.h"
#include "compiler/driver/io/write_files.h"
#include "compiler/driver/plan/offline_tflite.h"
#include "compiler/plan/io/json.h"

namespace netkit::cli {
namespace {

class ExportsGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_option("--offline-tflite", tflite_,
                    "write the .tflite with its operators in the planned order and the offsets as "
                    "TensorFlow Lite Micro reads them");
    verb.add_option("--model-explorer", explorer_,
                    "write the live bytes of each operator as node data for Model Explorer");
    verb.add_option("--csv", csv_,
                    "write the buffers with lives, sizes and offsets as MiniMalloc reads them");
  }

  Files files() const override { return {{tflite_, explorer_, csv_}, {}}; }

  // The plan of the file's own operators, as that runtime runs them, in place of ours.
  Result<std::optional<int>> instead(const PlanRequest& request) override {
    if (tflite_.empty()) return std::nullopt;
    NK_ASSIGN(const driver::OfflineTflite made,
              driver::plan_offline_tflite(request.model.model, request.compile));
    NK_TRY(driver::fits_arena(made.layout.arena_bytes, request.globals.arena_bytes,
                              request.model.model));
    NK_TRY(driver::write_all(
        {{tflite_, {reinterpret_cast<const char*>(made.file.data()), made.file.size()}}}));
    if (request.globals.json) {
      std::puts(plan::plan_json(made.problem, made.layout).c_str());
      return 0;
    }
    fmt::print(
        "{}: {} tensors planned for TensorFlow Lite Micro: {}, {}; the file's order{}: {} B. "
        "Its kernels' own scratch comes on top\n",
        printable(tflite_), made.planned_tensors, size_text(made.layout.arena_bytes),
        made.layout.proven_minimal
            ? "proven minimal"
            : "not proven minimal, " +
                  gap_text(made.layout.arena_bytes, made.layout.lower_bound_bytes),
        made.kept_order ? " (kept)" : "", made.layout.given_order_peak_bytes);
    return 0;
  }

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    if (!csv_.empty()) {
      if (!request.more.empty() && request.sharing == plan::Sharing::kConcurrent) {
        return fail(ErrorCode::kUsage, "models that run at the same time have no common steps",
                    "--csv", "plan each alone");
      }
      answer.files.push_back({csv_, csv_text(planned)});
    }
    if (!explorer_.empty()) {
      NK_TRY(demand_problem(request, planned, "--model-explorer"));
      answer.files.push_back(
          {explorer_, plan::model_explorer_json(planned.problem, planned.layout) + "\n"});
    }
    return {};
  }

 private:
  // A list keeps what it says of its buffers.
  static std::string csv_text(const driver::Planned& planned) {
    plan::BufferList list = planned.list ? *planned.list : plan::buffer_list_of(planned.layout);
    const bool lives = planned.layout.steps.empty() && planned.gaps.size() == list.ids.size();
    for (size_t i = 0; lives && i < list.ids.size(); ++i) {
      list.problem.buffers[i].gaps = planned.gaps[i];
    }
    std::vector<int64_t> offsets;
    for (size_t i = 0; i < list.ids.size(); ++i) {
      offsets.push_back(planned.list ? planned.layout.buffers[i].offset
                                     : *list.problem.buffers[i].fixed_offset);
    }
    return plan::buffer_list_csv(list, offsets);
  }

  std::string tflite_, explorer_, csv_;
};

}  // namespace

PlanGroupPtr exports_group() {
  return std::make_unique<ExportsGroup>();
}

}  // namespace netkit::cli
