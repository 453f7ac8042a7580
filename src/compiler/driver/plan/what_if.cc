// SPDX-License-Identifier: MIT
#include "compiler/driver/plan/what_if.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/driver/assemble.h"
#include "compiler/driver/verbs/plan_file.h"
#include "compiler/passes/passes.h"
#include "compiler/select/target.h"

namespace netkit::driver {
namespace {

constexpr const char* kPadsPass = "fuse-pads";
constexpr int64_t kFloatBytes = 4;

struct Changes {
  bool given_order = false, best_order = false, no_in_place = false, no_overlap = false;
  bool no_views = false, pads_kept = false, concats_made = false, int8 = false;
};

struct Row {
  const char* change;
  Changes changes;
};

constexpr Row kRows[] = {
    {"as asked", {}},
    {"given order", {.given_order = true}},
    {"best order", {.best_order = true}},
    {"no in-place", {.no_in_place = true}},
    {"no overlap", {.no_overlap = true}},
    {"no views", {.no_views = true}},
    {"pads kept", {.pads_kept = true}},
    {"concatenations made", {.concats_made = true}},
    {"int8 for float (sizes only)", {.int8 = true}},
    {"given order + no overlap", {.given_order = true, .no_overlap = true}},
    {"given order + no overlap + no views + pads kept",
     {.given_order = true, .no_overlap = true, .no_views = true, .pads_kept = true}},
    {"best order + int8 for float (sizes only)", {.best_order = true, .int8 = true}},
    {"no overlap + int8 for float (sizes only)", {.no_overlap = true, .int8 = true}},
};

// What the rows are made from; `floats` is per tensor of the problem, empty for abstract graphs.
struct Source {
  plan::Problem problem;
  std::vector<char> floats;
  size_t pads = 0;   // steps that pad
  size_t parts = 0;  // steps that read the parts of a concatenation
};

bool reads_parts(const ScheduleStep& step) {
  return step.op->name.ends_with("_parts");
}

Result<Source> source_of(const std::string& path, CompileOptions options) {
  Source source;
  NK_ASSIGN(const bool model, is_model_file(path));
  if (!model) {  // a list and a finished plan are refused there
    NK_ASSIGN(Planned planned, problem_of_file(path, options));
    source.problem = std::move(planned.problem);
    return source;
  }
  options.last = Phase::kSelect;
  NK_ASSIGN(Compilation made, compile_file(path, options));
  if (std::ranges::any_of(made.schedule.steps, reads_parts)) {  // the plan may be without them
    options.last = Phase::kPlan;
    NK_ASSIGN(made, compile_file(path, options));
  }
  source.problem = to_problem(made.schedule, find_target(options.target)->arena_alignment);
  for (const Buffer& buffer : made.schedule.buffers) {
    const bool is_f32 =
        !buffer.tensors.empty() && made.graph.tensor(buffer.tensors[0]).type.dtype == NK_FLOAT32;
    source.floats.push_back(is_f32);
  }
  for (const ScheduleStep& step : made.schedule.steps) {
    source.pads += step.op->name == "pad";
    source.parts += reads_parts(step);
  }
  return source;
}

int64_t quarter(int64_t bytes) {
  return (bytes + kFloatBytes - 1) / kFloatBytes;
}

// Sizes as one byte per float value would have them: tensors, and scratch and distances of the
// steps that make floats.
void make_int8(const std::vector<char>& floats, plan::Problem& problem) {
  for (size_t t = 0; t < problem.tensors.size(); ++t) {
    if (floats[t]) problem.tensors[t].bytes = quarter(problem.tensors[t].bytes);
  }
  for (plan::Step& step : problem.steps) {
    const bool made = std::ranges::any_of(step.outputs, [&](int t) { return floats[t] != 0; });
    if (!made) continue;
    step.scratch_bytes = quarter(step.scratch_bytes);
    for (plan::Overlap& o : step.overlaps) {
      o.scratch_bytes = quarter(o.scratch_bytes);
      if (o.forward_bytes) o.forward_bytes = quarter(*o.forward_bytes);
      if (o.backward_bytes) o.backward_bytes = quarter(*o.backward_bytes);
    }
    for (plan::View& v : step.views) v.offset_bytes = quarter(v.offset_bytes);
  }
}

bool in_place(const plan::Overlap& o) {
  return o.forward_bytes.value_or(1) == 0 || o.backward_bytes.value_or(1) == 0;
}

// Why the change changes nothing here; empty: it does.
std::string no_change(const Changes& c, const Source& source, const CompileOptions& options) {
  const plan::Problem& p = source.problem;
  const auto any = [&](auto&& holds) { return std::ranges::any_of(p.steps, holds); };
  const bool given = options.plan.order == plan::OrderChoice::kGiven;
  if (c.given_order && given) return "the order is the given one already";
  if (c.best_order && !given) return "the order is the best one already";
  const bool plain = options.plan.class_limit == plan::PlanClass::kPlain;
  if ((c.no_in_place || c.no_overlap) && plain) return "class plain already";
  if (c.no_in_place &&
      !any([](const plan::Step& s) { return std::ranges::any_of(s.overlaps, in_place); })) {
    return "no kernel runs in place";
  }
  if (c.no_overlap && !any([](const plan::Step& s) { return !s.overlaps.empty(); })) {
    return "no kernel overwrites an input";
  }
  if (c.no_views && !any([](const plan::Step& s) { return !s.views.empty(); })) {
    return "no step can be a view";
  }
  if (c.int8 && std::ranges::count(source.floats, char{1}) == 0) return "no float tensors";
  return {};
}

void apply(const Changes& c, const std::vector<char>& floats, plan::Problem& problem,
           plan::PlanOptions& options) {
  if (c.given_order) options.order = plan::OrderChoice::kGiven;
  if (c.best_order) options.order = plan::OrderChoice::kBest;
  if (c.no_overlap) options.class_limit = plan::PlanClass::kPlain;
  for (plan::Step& step : problem.steps) {
    if (c.no_in_place) std::erase_if(step.overlaps, in_place);
    if (c.no_views) step.views.clear();
  }
  if (c.int8) make_int8(floats, problem);
}

// Combined rows drop the parts that change nothing; a row of nothing else is told as impossible.
Changes effective(const Changes& c, const Source& source, const CompileOptions& options) {
  Changes out = c;
  const auto drop = [&](bool Changes::* part) {
    Changes alone;
    alone.*part = true;
    if (out.*part && !no_change(alone, source, options).empty()) out.*part = false;
  };
  for (bool Changes::* part : {&Changes::given_order, &Changes::best_order, &Changes::no_in_place,
                               &Changes::no_overlap, &Changes::no_views, &Changes::int8}) {
    drop(part);
  }
  return out;
}

int parts(const Changes& c) {
  return c.given_order + c.best_order + c.no_in_place + c.no_overlap + c.no_views + c.pads_kept +
         c.concats_made + c.int8;
}

void set_plan(const plan::Layout& layout, WhatIfRow& row) {
  row.arena_bytes = layout.arena_bytes;
  row.lower_bound_bytes = layout.lower_bound_bytes;
  row.proven_minimal = layout.proven_minimal;
  row.plan_class = plan::class_name(layout.plan_class);
}

}  // namespace

Result<std::vector<WhatIfRow>> what_if(const std::string& path, const CompileOptions& options) {
  NK_ASSIGN(const Source fused, source_of(path, options));
  Source padded = fused, joined = fused;
  const auto without = [&](std::string_view pass) {
    CompileOptions keep = options;
    keep.disabled_passes.emplace_back(pass);
    return source_of(path, keep);
  };
  NK_ASSIGN(const bool model, is_model_file(path));
  if (model) {
    NK_ASSIGN(padded, without(kPadsPass));
    if (fused.parts > 0) {
      NK_ASSIGN(joined, without(kReadParts));
    }
  }
  std::vector<WhatIfRow> rows;
  for (const Row& wanted : kRows) {
    const bool first = rows.empty(), single = parts(wanted.changes) == 1;
    Changes changes = wanted.changes;
    WhatIfRow row{wanted.change, true, {}, {}, 0, 0, false};
    const Source& source = changes.pads_kept ? padded : changes.concats_made ? joined : fused;
    if (single) row.note = no_change(changes, source, options);
    const bool same_pads = changes.pads_kept && padded.pads == fused.pads;
    if (single && same_pads) row.note = "no padding is fused";
    if (changes.concats_made && fused.parts == 0) row.note = "no concatenation is read in parts";
    if (!first && !single) {
      changes = effective(changes, source, options);
      if (same_pads) changes.pads_kept = false;
      if (parts(changes) < 2) continue;  // as one of the single rows
    }
    row.possible = row.note.empty();
    if (row.possible) {
      plan::Problem problem = source.problem;
      plan::PlanOptions plan_options = options.plan;
      plan_options.ram_bytes.reset();
      apply(changes, source.floats, problem, plan_options);
      const auto layout = plan::plan(problem, plan_options);
      if (!layout && first) return std::unexpected(layout.error());
      if (layout) set_plan(*layout, row);
      row.possible = layout.has_value();
      if (!layout) row.note = layout.error().message;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string what_if_json(const std::vector<WhatIfRow>& rows) {
  nlohmann::ordered_json root = {{"format", "netkit-what-if/1"},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const WhatIfRow& row : rows) {
    nlohmann::ordered_json item = {{"change", row.change}};
    if (row.possible) {
      item["arena_bytes"] = row.arena_bytes;
      item["lower_bound_bytes"] = row.lower_bound_bytes;
      item["proven_minimal"] = row.proven_minimal;
      item["class"] = row.plan_class;
    } else {
      item["note"] = row.note;
    }
    root["rows"].push_back(std::move(item));
  }
  return root.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace netkit::driver
