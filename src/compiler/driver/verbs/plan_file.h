// SPDX-License-Identifier: MIT
// The verbs plan (the memory plan of a model or of an abstract graph) and check-plan (the
// independent checker on a certificate).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"
#include "compiler/plan/check/checker.h"
#include "compiler/plan/io/buffer_list_csv.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/problem.h"
#include "compiler/plan/regions/share.h"
#include "compiler/plan/stepped.h"

namespace netkit {
struct NkInfo;
}

namespace netkit::driver {

struct Planned {
  plan::Problem problem;
  plan::Layout layout;                      // the best
  std::vector<plan::Layout> class_layouts;  // of each class, the narrowest first
  std::vector<std::string> warnings;
  // What the model keeps in flash: weights and parameters, as emitted C holds them; a .nk file as
  // it is. -1: not known.
  int64_t flash_bytes = -1;
  bool stored = false;  // read from a file, not searched for; `problem` holds names and sizes only
  plan::BufferGaps gaps;                 // of a buffer list, also of a stored one; may be empty
  std::optional<plan::BufferList> list;  // what was planned, when it was a buffer list
  std::optional<plan::SteppedPlan> pictured;  // in place of a layout without steps, unless too long

  const plan::Problem& drawn_problem() const { return pictured ? pictured->problem : problem; }
  const plan::Layout& drawn_layout() const { return pictured ? pictured->layout : layout; }
};

// `path` is a model, netkit-graph/1 JSON (a name that ends in .json), or a plan that was stored:
// netkit-plan/1 JSON or a .nk file, which is shown as it is; or a buffer list
// (driver/plan/plan_buffer_list.h; a name that ends in .csv, in either case).
Result<Planned> plan_file(const std::string& path, const CompileOptions& options);

// The plan that a .nk file of version 5 holds, which is there. Errors (kInput): it contradicts
// itself or the file's arena.
Result<plan::SavedPlan> plan_inside(const NkInfo& info, const std::string& path);

// Several models in one arena, as one plan: its buffers and steps carry the models' names.
Result<Planned> plan_together(const std::vector<std::string>& paths, const CompileOptions& options,
                              plan::Sharing sharing);

// Does the content of `path` go through the compiler, or is it a graph, a plan or a buffer list?
Result<bool> is_model_file(const std::string& path);

// The problem alone, without a search; a stored plan has none (kUsage).
Result<Planned> problem_of_file(const std::string& path, CompileOptions options);

// `path` holds netkit-certificate/1 (docs/certificate.md). Errors (kInput): no such file, or text
// that is no certificate; a wrong plan or bound is a verdict.
Result<std::vector<plan::PlanVerdict>> check_plan_file(const std::string& path);

// {"format":"netkit-check/1","accepted":true,"order":…,"in_out":…,"plans":[{"class":…,
// "arena_bytes":n,"lower_bound_bytes":n,"valid":true,"reason":"…","bound_verified":true,
// "how":"…"},…]}, one line; valid is null of a plan that was not checked.
std::string check_plan_json(const std::vector<plan::PlanVerdict>& verdicts);

// Every plan is valid and every bound verified.
bool accepted(const std::vector<plan::PlanVerdict>& verdicts);

}  // namespace netkit::driver
