// SPDX-License-Identifier: MIT
// The whole line from a model file to a Program; every verb that needs a network starts here.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "compiler/driver/quant/quantise.h"
#include "compiler/ir/foreign.h"
#include "compiler/ir/graph.h"
#include "compiler/plan/plan.h"
#include "compiler/select/program.h"
#include "compiler/select/target.h"

namespace netkit::driver {

enum class Phase { kImport, kLower, kQuantise, kPasses, kSelect, kPlan };

// nullptr for an unknown name: "import lower quantise passes select plan".
const Phase* phase_from_name(std::string_view name);

struct CompileOptions {
  std::string target = "generic";
  std::vector<std::pair<std::string, Dims>> shapes;  // input name, dims
  // Input name, values (as RunOptions::inputs has them): such an input becomes a constant.
  std::vector<std::pair<std::string, std::string>> fixed;
  std::vector<std::string> disabled_passes;
  bool omit_final_softmax = false;    // outputs are what the softmax would have read
  std::optional<QuantRequest> quant;  // float32 becomes int8
  plan::PlanOptions plan;
  Phase last = Phase::kPlan;  // phases after it are not run
  // Names of the options of this struct that were given, as a user wrote them ("--order").
  std::vector<std::string> given;
};

// kUsage, naming the option, where one was given that says nothing to `path`, which is `what`;
// those of `heard` do say something.
Result<void> hears_options(const CompileOptions& options, const std::string& path,
                           std::string_view what, std::string_view hint,
                           std::initializer_list<std::string_view> heard = {});
// The same of a .nk file and of any other plan that was stored.
Result<void> hears_no_options(const CompileOptions& options, const std::string& path);

// What each phase that ran has made.
struct Compilation {
  ForeignGraph foreign;
  Graph lowered, graph;  // lowered: after quantising, where that is asked for
  std::optional<quant::Report> quant;
  Schedule schedule;
  plan::Problem problem;
  std::vector<plan::Layout> class_layouts;  // of each class, the narrowest first
  plan::Layout layout;                      // the best
  Program program;
  std::vector<std::string> warnings;
};

// `path` is a .tflite, .onnx or older .nk file. Errors carry the file's name in `where`. Test cases
// that the file carries stand in the program. Which concatenations are read in parts and which are
// made (kReadParts) is decided by the smallest plan (driver/concats.h).
Result<Compilation> compile_file(const std::string& path, const CompileOptions& options);
// The same of a file's bytes; `path` names it in messages.
Result<Compilation> compile_bytes(std::span<const std::byte> bytes, const std::string& path,
                                  const CompileOptions& options);

// What both do behind the importer.
Result<Compilation> compile_foreign(ForeignGraph foreign, const CompileOptions& options);

// An error that lists the known ones.
Result<const Target*> target_named(const std::string& name);

// kNo unless `needed_bytes` fit into the arena that the caller has; no limit: anything fits.
Result<void> fits_arena(int64_t needed_bytes, std::optional<int64_t> limit_bytes,
                        const std::string& where);

// Stable text of what a phase made.
std::string dump(const Compilation& compilation, Phase phase);

}  // namespace netkit::driver
