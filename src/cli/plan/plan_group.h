// SPDX-License-Identifier: MIT
// The verb plan is a table of option groups; each group is a file that registers its options, may
// change the request, may answer in place of the plan, or acts on the plan that was made.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "compiler/driver/io/write_files.h"
#include "compiler/driver/verbs/plan_file.h"

namespace CLI {
class App;
}

namespace netkit::cli {

struct PlanRequest {
  ModelOptions model;              // as written
  driver::CompileOptions compile;  // as parsed
  Globals globals;
  std::vector<std::string> more;  // further models in the same arena
  plan::Sharing sharing = plan::Sharing::kExclusive;
};

// " in this order" where all that is said of a class holds for the given order only, else "".
const char* scope_text(const PlanRequest& request);

// "gap 912 B, 13.5 % of the bound", of a plan that is not proven minimal.
std::string gap_text(int64_t arena_bytes, int64_t bound_bytes);

// What is told about a plan; the groups add to it in the order of the table.
struct PlanAnswer {
  std::string text;                           // for a terminal
  std::map<std::string, std::string> fields;  // JSON text that joins the plan object, by key
  std::vector<driver::OutputFile> files;      // written together, or none of them
  int code = 0;                               // the largest one is the verb's exit code
};

class PlanGroup {
 public:
  virtual ~PlanGroup() = default;
  virtual void add(CLI::App& verb) = 0;
  // What will be written, and what will be read beside the models.
  struct Files {
    std::vector<std::string> outputs, inputs;  // empty names: not asked for
  };
  virtual Files files() const { return {}; }
  // Before planning.
  virtual Result<void> prepare(PlanRequest&) { return {}; }
  // The verb's exit code when this group answers instead of a plan.
  virtual Result<std::optional<int>> instead(const PlanRequest&) { return std::nullopt; }
  // After planning.
  virtual Result<void> act(const PlanRequest&, const driver::Planned&, PlanAnswer&) { return {}; }
};

// Refuses (kUsage) for `option` what has no operators: a list, a stored plan, several models.
Result<void> demand_problem(const PlanRequest& request, const driver::Planned& planned,
                            const char* option);

using PlanGroupPtr = std::unique_ptr<PlanGroup>;
PlanGroupPtr files_group();     // -o, --graph
PlanGroupPtr orders_group();    // --list-orders
PlanGroupPtr what_if_group();   // --what-if
PlanGroupPtr text_group();      // what a terminal shows
PlanGroupPtr pictures_group();  // --html, --svg, --compare
PlanGroupPtr exports_group();   // --offline-tflite, --model-explorer
PlanGroupPtr shared_group();    // more models, --exclusive, --concurrent
PlanGroupPtr memory_group();    // --memory-map
PlanGroupPtr ram_group();       // --ram

}  // namespace netkit::cli
