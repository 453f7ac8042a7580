// SPDX-License-Identifier: MIT
#include "compiler/plan/order/bare.h"

#include <algorithm>

#include "compiler/plan/order/flow.h"

namespace netkit::plan {

Problem without_views(const Problem& problem) {
  Problem p = problem;
  for (Step& s : p.steps) {
    for (const View& v : s.views) {
      const int in = s.inputs[v.input], out = s.outputs[v.output];
      const bool out_inside = problem.tensors[out].bytes <= problem.tensors[in].bytes;
      p.tensors[out_inside ? out : in].bytes = 0;
    }
    s.views.clear();
  }
  return p;
}

ModelOptions model_options(const Problem& problem, const PlanOptions& options, PlanClass of) {
  ModelOptions o;
  o.plan_class = of;
  o.outside.assign(problem.tensors.size(), 0);
  if (options.in_out == InOut::kCallerOwned) {
    for (const auto* list : {&problem.inputs, &problem.outputs}) {
      for (const int t : *list) o.outside[t] = 1;
    }
  }
  o.keep_inputs = options.in_out == InOut::kKeepInputs;
  o.fixed_order = options.order == OrderChoice::kGiven;
  return o;
}

namespace {

// Bytes of inputs that nothing reads, where all orders begin with the step.
int64_t surely_first(const OrderModel& model, int step) {
  int others = 0;
  for (const uint64_t word : model.descendants[step]) others += __builtin_popcountll(word);
  return others + 1 == model.step_count() ? model.unread_bytes : 0;
}

}  // namespace

Result<std::vector<int64_t>> step_bounds(const Problem& problem, const PlanOptions& options) {
  NK_TRY(check_problem(problem));
  Problem bare = without_views(problem);
  bare.alignment = 1;
  const OrderModel model =
      make_order_model(bare, model_options(bare, options, options.class_limit));
  std::vector<int64_t> bounds(bare.steps.size(), 0);
  if (model.step_count() > kMaxCutSteps) return bounds;
  SetCut cut(model, Deadline(options.time_limit_seconds, options.clock));
  for (int s = 0; s < model.step_count(); ++s)
    bounds[s] = cut.step_bound(s) + surely_first(model, s);
  return bounds;
}

}  // namespace netkit::plan
