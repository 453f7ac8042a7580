// SPDX-License-Identifier: MIT
// Writing certificates: for each bound the simplest witness that shows it.
#include "compiler/plan/check/certificate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/plan/io/json.h"
#include "compiler/plan/order/blocks.h"
#include "compiler/plan/order/model.h"

namespace netkit::plan {
namespace {

using Json = nlohmann::ordered_json;

// As the checker counts: what may lie within another tensor costs nothing.
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

// The largest need of the step that follows from its ancestors and descendants alone.
int64_t forced_need(const OrderModel& m, int step) {
  int64_t alive = 0, slack = 0;
  Words executed = m.ancestors[step];
  const auto before = [&](int s) { return has_bit(m.ancestors[step].data(), s); };
  const auto after = [&](int s) { return has_bit(m.descendants[step].data(), s); };
  for (const OrderBuffer& b : m.buffers) {
    const bool own = std::count(b.touches.begin(), b.touches.end(), step) > 0;
    const bool begun =
        b.from_start || std::any_of(b.touches.begin(), b.touches.end(), before);
    const bool waits = b.to_end || std::any_of(b.touches.begin(), b.touches.end(), after);
    if (!own && !(begun && waits)) continue;
    alive += b.bytes;
    slack = std::max(slack, b.slack);
  }
  int64_t extra = m.scratch[step];
  slack = std::max(slack, m.scratch_slack[step]);
  for (const OrderMode& mode : m.modes[step]) {
    slack = std::max(slack, mode.scratch_slack);
    extra = std::min(extra, mode.scratch - mode.saving);
  }
  return alive + extra - slack;
}

Json witness(const Problem& problem, const PlanOptions& options, const Layout& layout) {
  const Problem bare = without_views(problem);
  ModelOptions o;
  o.plan_class = layout.plan_class;
  o.outside.assign(problem.tensors.size(), 0);
  if (options.in_out == InOut::kCallerOwned) {
    for (const auto* list : {&problem.inputs, &problem.outputs}) {
      for (const int t : *list) o.outside[t] = 1;
    }
  }
  o.keep_inputs = options.in_out == InOut::kKeepInputs;
  o.fixed_order = options.order == OrderChoice::kGiven;
  const OrderModel model = make_order_model(bare, o);
  for (int s = 0; s < model.step_count(); ++s) {
    if (forced_need(model, s) >= layout.lower_bound_bytes) {
      return {{"kind", "step"}, {"op", problem.steps[s].name}};
    }
  }
  return {{"kind", "search"}};
}

const char* in_out_name(InOut in_out) {
  return in_out == InOut::kInside ? "inside"
         : in_out == InOut::kCallerOwned ? "caller"
                                         : "keep_inputs";
}

}  // namespace

std::string certificate_json(const Problem& problem, const PlanOptions& options,
                             const std::vector<Layout>& layouts) {
  Json root = {{"format", "netkit-certificate/1"},
               {"order", options.order == OrderChoice::kGiven ? "given" : "best"},
               {"in_out", in_out_name(options.in_out)},
               {"graph", Json::parse(graph_json(problem))},
               {"plans", Json::array()}};
  for (const Layout& layout : layouts) {
    Json plan = Json::parse(plan_json(problem, layout));
    plan.erase("seconds");
    plan["witness"] = witness(problem, options, layout);
    root["plans"].push_back(plan);
  }
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> certify(const Problem& problem, const PlanOptions& options) {
  std::vector<Layout> layouts;
  for (const PlanClass limit : {PlanClass::kPlain, PlanClass::kOverlap}) {
    if (limit > options.class_limit) continue;
    PlanOptions o = options;
    o.class_limit = limit;
    NK_ASSIGN(Layout layout, plan(problem, o));
    // The best plan of the wider class may be a plain one; its bound is then the wider one's.
    if (layout.classes.back().plan_class != limit) continue;
    layout.plan_class = limit;
    layout.lower_bound_bytes = layout.classes.back().lower_bound_bytes;
    layout.proven_minimal = layout.classes.back().proven_minimal;
    layouts.push_back(std::move(layout));
  }
  return certificate_json(problem, options, layouts);
}

}  // namespace netkit::plan
