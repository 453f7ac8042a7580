// SPDX-License-Identifier: MIT
#include "compiler/driver/concats.h"

#include <algorithm>
#include <set>

#include "compiler/driver/assemble.h"
#include "compiler/passes/passes.h"
#include "compiler/select/select.h"

namespace netkit::driver {
namespace {

constexpr size_t kAllChoices = 4;     // so many concatenations in every combination
constexpr int64_t kMaxSteps = 3'000;  // of all nets that are planned one by one

using Names = std::set<std::string>;

bool has_parts(const Node& node) {
  return node.op.ends_with("_parts");
}

// The tensors that concatenations make.
Names concats(const Graph& graph) {
  Names names;
  for (const Node& node : graph.nodes) {
    if (node.op == "concat") names.insert(graph.tensor(node.outputs[0]).name);
  }
  return names;
}

// Steps whose kernel is made for the target.
int64_t special_kernels(const Schedule& schedule) {
  return std::ranges::count_if(
      schedule.steps, [](const ScheduleStep& step) { return step.row->arch != "generic"; });
}

bool better(const Compilation& a, const Compilation& b) {
  if (a.layout.arena_bytes != b.layout.arena_bytes) {
    return a.layout.arena_bytes < b.layout.arena_bytes;
  }
  return special_kernels(a.schedule) > special_kernels(b.schedule);
}

// For the question whether a choice can be better.
plan::PlanOptions with_little_effort(plan::PlanOptions options) {
  options.order_nodes = options.place_nodes = 10'000;
  options.joint_nodes = 100;
  options.search_nodes = 20'000;
  return options;
}

// A part takes no more than the concatenation that holds it: what a step that neither reads nor
// makes one needs at least when all are read in parts, it needs whichever of them are made.
Result<int64_t> bound_of_choices(const Compilation& parts, const plan::PlanOptions& options) {
  NK_ASSIGN(const std::vector<int64_t> bounds, plan::step_bounds(parts.problem, options));
  int64_t bound = 0;
  for (size_t s = 0; s < bounds.size(); ++s) {
    const std::string_view op = parts.schedule.steps[s].op->name;
    if (!op.ends_with("_parts")) bound = std::max(bound, bounds[s]);
  }
  return bound;
}

class Choice {
 public:
  Choice(const Target& target, CompileOptions& options, Compilation& c)
      : target_(target), options_(options), asked_(options), best_(c) {}

  Result<void> choose() {
    NK_ASSIGN(const int64_t bound, bound_of_choices(best_, options_.plan));
    const Names left = concats(best_.graph);
    bool proven = no_fit(best_);
    NK_ASSIGN(Compilation joined, all_made());
    for (const std::string& name : concats(joined.graph)) {
      if (!left.contains(name)) names_.push_back(name);
    }
    const int64_t special = special_kernels(best_.schedule);
    const bool same = special == special_kernels(joined.schedule);
    proven = proven && no_fit(joined);
    if (better(joined, best_)) keep(std::move(joined), {names_.begin(), names_.end()});
    const bool least = same && best_.layout.arena_bytes <= bound;
    bool all = names_.size() == 1;
    if (!least && !all && !fits() && !options_.plan.time_limit_seconds) {
      all = names_.size() <= kAllChoices;
      NK_TRY(all ? try_all(proven) : flip());
    }
    if (best_.layout.verdict == plan::Verdict::kProvenNoFit) {
      const bool below = bound > options_.plan.ram_bytes.value_or(bound);
      if (!(all && proven) && !below) best_.layout.verdict = plan::Verdict::kNotFound;
    }
    return {};
  }

 private:
  static bool no_fit(const Compilation& c) {
    return c.layout.verdict == plan::Verdict::kProvenNoFit;
  }
  bool fits() const { return best_.layout.verdict == plan::Verdict::kFits; }

  CompileOptions options_for(const Names& made, bool all) const {
    CompileOptions options = asked_;
    if (all) options.disabled_passes.emplace_back(kReadParts);
    if (all) return options;
    for (const std::string& name : made) {
      options.disabled_passes.push_back(std::string(kReadPartsOf) + name);
    }
    return options;
  }

  Result<Compilation> all_made() const {
    Compilation c;
    c.lowered = best_.lowered;
    NK_TRY(compile_lowered(target_, options_for({}, true), c));
    return c;
  }

  // One more choice: kept where it is better. Whether it is, is asked first and with little effort,
  // but where a limit of the user's must be answered for every choice.
  Result<bool> tried(Names made, bool& proven) {
    CompileOptions options = options_for(made, false);
    options.last = Phase::kSelect;
    Compilation c;
    c.lowered = best_.lowered;
    NK_TRY(compile_lowered(target_, options, c));
    c.problem = to_problem(c.schedule, target_.arena_alignment);
    steps_ += static_cast<int64_t>(c.problem.steps.size());
    if (!options.plan.ram_bytes) {
      plan::PlanOptions quick = with_little_effort(options.plan);
      const bool special = special_kernels(c.schedule) > special_kernels(best_.schedule);
      quick.ram_bytes = std::max<int64_t>(0, best_.layout.arena_bytes - (special ? 0 : 1));
      NK_ASSIGN(const plan::Layout layout, plan::plan(c.problem, quick));
      if (layout.verdict != plan::Verdict::kFits) return false;
    }
    NK_ASSIGN(c.class_layouts, plan::plan_classes(c.problem, options.plan));
    c.layout = plan::best_layout(c.class_layouts, options.plan);
    proven = proven && no_fit(c);
    if (!better(c, best_)) return false;
    keep(std::move(c), std::move(made));
    return true;
  }

  void keep(Compilation c, Names made) {
    best_.graph = std::move(c.graph);
    best_.schedule = std::move(c.schedule);
    best_.problem = std::move(c.problem);
    best_.class_layouts = std::move(c.class_layouts);
    best_.layout = std::move(c.layout);
    options_ = options_for(made, made.size() == names_.size());
    made_ = std::move(made);
  }

  // Every choice but none and all of them, which have been tried.
  Result<void> try_all(bool& proven) {
    for (size_t set = 1; set + 1 < size_t{1} << names_.size() && !fits(); ++set) {
      Names made;
      for (size_t i = 0; i < names_.size(); ++i) {
        if ((set >> i) & 1) made.insert(names_[i]);
      }
      NK_TRY(tried(std::move(made), proven));
    }
    return {};
  }

  // One more or one less, round after round, until a round makes nothing better.
  Result<void> flip() {
    bool proven = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::string& name : names_) {
        if (steps_ >= kMaxSteps || fits()) return {};
        Names made = made_;
        if (made.erase(name) == 0) made.insert(name);
        NK_ASSIGN(const bool kept, tried(std::move(made), proven));
        changed = changed || kept;
      }
    }
    return {};
  }

  const Target& target_;
  CompileOptions& options_;
  const CompileOptions asked_;
  Compilation& best_;
  std::vector<std::string> names_;  // that can be read in parts
  Names made_;                      // of them, in best_
  int64_t steps_ = 0;
};

}  // namespace

Result<void> compile_lowered(const Target& target, const CompileOptions& options, Compilation& c) {
  PassOptions pass_options;
  pass_options.disabled = options.disabled_passes;
  NK_ASSIGN(c.graph, optimise(c.lowered, pass_options));
  if (options.last == Phase::kPasses) return {};
  NK_ASSIGN(c.schedule, select(c.graph, target));
  if (options.last == Phase::kSelect) return {};
  c.problem = to_problem(c.schedule, target.arena_alignment);
  NK_ASSIGN(c.class_layouts, plan::plan_classes(c.problem, options.plan));
  c.layout = plan::best_layout(c.class_layouts, options.plan);
  return {};
}

Result<void> choose_concats(const Target& target, CompileOptions& options, Compilation& c) {
  if (c.layout.verdict == plan::Verdict::kFits) return {};
  if (!std::ranges::any_of(c.graph.nodes, has_parts)) return {};
  return Choice(target, options, c).choose();
}

}  // namespace netkit::driver
