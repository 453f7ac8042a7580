// SPDX-License-Identifier: MIT
// plan --what-if: a table of plans, one per change.
#include "compiler/driver/plan/what_if.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/plan/plan_group.h"

namespace netkit::cli {
namespace {

void print_rows(const std::vector<driver::WhatIfRow>& rows) {
  fmt::print("{:<48} {:>10} {:>11} {:>10}  {}\n", "change", "arena B", "difference", "bound B",
             "class, proof");
  for (const driver::WhatIfRow& row : rows) {
    if (!row.possible) {
      fmt::print("{:<48} {:>10}  {}\n", row.change, "-", printable(row.note));
      continue;
    }
    fmt::print("{:<48} {:>10} {:>+11} {:>10}  {}, {}\n", row.change, row.arena_bytes,
               row.arena_bytes - rows[0].arena_bytes, row.lower_bound_bytes, row.plan_class,
               row.proven_minimal ? "proven" : "not proven");
  }
  fmt::print("each row is a plan of its own: differences do not add up\n");
}

class WhatIfGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_flag("--what-if", asked_, "the plan again after each change, and after some together");
  }

  Result<std::optional<int>> instead(const PlanRequest& request) override {
    if (!asked_) return std::nullopt;
    NK_TRY(no_arena(request.globals, "--what-if"));
    NK_ASSIGN(const auto rows, driver::what_if(request.model.model, request.compile));
    if (request.globals.json) {
      std::puts(driver::what_if_json(rows).c_str());
    } else {
      print_rows(rows);
    }
    return 0;
  }

 private:
  bool asked_ = false;
};

}  // namespace

PlanGroupPtr what_if_group() {
  return std::make_unique<WhatIfGroup>();
}

}  // namespace netkit::cli
