// SPDX-License-Identifier: MIT
// plan(): the classes one after the other, each a search over views, orders, modes and addresses.
#include "compiler/plan/plan.h"

#include <algorithm>

#include "compiler/plan/check/validate.h"
#include "compiler/plan/given_order.h"
#include "compiler/plan/joint/assemble.h"
#include "compiler/plan/joint/views.h"
#include "compiler/plan/order/bare.h"

namespace netkit::plan {
namespace {

constexpr size_t kMaxViewSets = 16;           // so many sets of views are tried one by one
constexpr double kFirstViewsPart = 0.5;       // of the time of a class: for all views together
constexpr double kPlainPart = 0.5;            // of all the time: for class plain
constexpr uint64_t kViewOrderNodes = 20'000;  // per bound of sets, where there are more

struct Context {
  const Problem& problem;
  const PlanOptions& options;
  std::vector<char> outside;
  Deadline deadline;
};

struct ClassPlan {
  Layout layout;
  int64_t lower_bound_bytes = 0;
  bool found = false;
  bool time_limited = false;
};

// One set of taken views: improves `best`, returns the bound for this set.
int64_t try_views(const Context& c, const ModelOptions& options, Effort& effort, ClassPlan& best) {
  const OrderModel model = make_order_model(c.problem, options);
  ClassLimits limits;
  limits.fixed_order = options.fixed_order;
  limits.order_nodes = c.options.order_nodes;
  limits.enough_bytes = c.options.ram_bytes.value_or(0);
  const ClassAnswer answer = solve_class(model, limits, effort);
  best.time_limited |= effort.time_limited || effort.deadline.passed();
  if (answer.placed.found &&
      (!best.found || answer.placed.height_bytes < best.layout.arena_bytes)) {
    best.layout = assemble(model, answer.placed);
    best.layout.plan_class = options.plan_class;
    best.found = true;
  }
  return answer.lower_bound_bytes;
}

ClassPlan plan_class(const Context& c, PlanClass which, const Deadline& deadline) {
  ClassPlan best;
  ModelOptions options = model_options(c.problem, c.options, which);
  const std::vector<ViewRef> views = usable_views(c.problem, c.outside);
  options.views = views;
  Effort effort;
  effort.place_nodes = c.options.place_nodes;
  effort.joint_nodes = c.options.joint_nodes;
  effort.search_nodes = c.options.search_nodes;
  effort.deadline = views.empty() ? deadline : deadline.after_part(kFirstViewsPart);
  best.lower_bound_bytes = try_views(c, options, effort, best);
  if (views.empty()) return best;
  effort.deadline = deadline;
  std::vector<int> steps;
  for (const ViewRef& v : views) {
    if (steps.empty() || steps.back() != v.step) steps.push_back(v.step);
  }
  const bool all = views.size() < 5 && (size_t{1} << views.size()) <= kMaxViewSets;
  const size_t sets =
      all ? (size_t{1} << views.size()) - 1 : 1 + std::min<size_t>(steps.size(), kMaxViewSets);
  // Most often the views cost nothing, and no other set of them can be better.
  ViewQuestion question{c.problem, options, views, {}, deadline};
  question.limits.fixed_order = options.fixed_order;
  question.limits.order_nodes = c.options.order_nodes;
  const std::vector<ViewChoice> open(views.size(), ViewChoice::kOpen);
  int64_t least = bound_of_choices(question, open);
  const auto done = [&] { return best.found && best.layout.arena_bytes <= least; };
  int64_t bound = best.lower_bound_bytes;
  size_t k = 0;
  for (; k < sets && !done() && !deadline.passed(); ++k) {
    options.views.clear();
    for (size_t i = 0; i < views.size(); ++i) {
      const bool taken = all ? (k >> i) & 1 : k > 0 && views[i].step != steps[k - 1];
      if (taken) options.views.push_back(views[i]);
    }
    bound = std::min(bound, try_views(c, options, effort, best));
  }
  if (!all && !done()) {
    question.limits.order_nodes = std::min(c.options.order_nodes, kViewOrderNodes);
    const int64_t ram = std::min(c.options.ram_bytes.value_or(INT64_MAX), INT64_MAX - 1);
    const auto height = [&] {  // what does not fit anyhow is not told apart
      return std::min(ram + 1, best.found ? best.layout.arena_bytes : INT64_MAX);
    };
    least = std::max(least, bound_of_all_sets(question, height, [&](const auto& set) {
                       options.views = set;
                       return try_views(c, options, effort, best);
                     }));
  }
  best.lower_bound_bytes = all && k == sets ? bound : least;
  best.time_limited |= deadline.passed();
  return best;
}

// The largest live sum of the given order, as the sizes stand.
int64_t given_peak(const Context& c) {
  Problem bytewise = c.problem;
  bytewise.alignment = 1;
  const OrderModel model =
      make_order_model(bytewise, model_options(bytewise, c.options, PlanClass::kPlain));
  return order_bound(model, topological_order(bytewise));
}

void set_totals(const Context& c, Layout& layout) {
  layout.given_order_peak_bytes = given_peak(c);
  for (const LayoutBuffer& b : layout.buffers) {
    if (b.tensor < 0) continue;
    layout.tensor_sum_bytes += b.bytes;
    layout.largest_tensor_bytes = std::max(layout.largest_tensor_bytes, b.bytes);
  }
}

bool has_overlaps(const Problem& problem) {
  return std::any_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& s) { return !s.overlaps.empty(); });
}

// The best of a class as a layout; false: none was found.
bool set_layout(const Context& c, ClassPlan& found, Layout& layout) {
  if (!found.found) return false;
  layout = std::move(found.layout);
  layout.lower_bound_bytes = std::min(layout.arena_bytes, found.lower_bound_bytes);
  layout.time_limited = found.time_limited;
  set_totals(c, layout);
  return true;
}

bool uses_overlap(const Layout& layout) {
  return std::any_of(layout.steps.begin(), layout.steps.end(),
                     [](const LayoutStep& s) { return s.overlap >= 0; });
}

// What a search that was cut short found out about one class holds for the other too: a plan of
// class overlap that uses none is a plain one, and every plain plan is one of class overlap.
void tell_plain(const Context& c, const ClassPlan& overlap, Layout& plain) {
  if (overlap.found && overlap.layout.arena_bytes < plain.arena_bytes &&
      !uses_overlap(overlap.layout)) {
    const int64_t bound = plain.lower_bound_bytes;
    const bool time_limited = plain.time_limited;
    plain = overlap.layout;
    plain.plan_class = PlanClass::kPlain;
    plain.lower_bound_bytes = bound;
    plain.time_limited = time_limited;
    set_totals(c, plain);
  }
  plain.lower_bound_bytes =
      std::min(plain.arena_bytes, std::max(plain.lower_bound_bytes, overlap.lower_bound_bytes));
}

Result<std::vector<Layout>> run(const Context& c) {
  const auto& ram = c.options.ram_bytes;
  const bool wider = c.options.class_limit != PlanClass::kPlain && has_overlaps(c.problem);
  ClassPlan plain =
      plan_class(c, PlanClass::kPlain, wider ? c.deadline.after_part(kPlainPart) : c.deadline);
  std::vector<Layout> layouts(1);
  if (!set_layout(c, plain, layouts[0])) {
    return fail(ErrorCode::kNo, "no placement was found");
  }
  if (c.options.class_limit == PlanClass::kPlain) return layouts;
  if (ram && layouts[0].arena_bytes <= *ram) return layouts;
  Layout widest = layouts[0];  // a plan of the narrower class is one of the wider too
  if (wider) {
    ClassPlan overlap = plan_class(c, PlanClass::kOverlap, c.deadline);
    const int64_t bound = overlap.lower_bound_bytes;
    const bool better = overlap.found && overlap.layout.arena_bytes < widest.arena_bytes;
    widest.time_limited |= overlap.time_limited;
    widest.lower_bound_bytes = std::min(widest.arena_bytes, bound);
    tell_plain(c, overlap, layouts[0]);
    if (better) set_layout(c, overlap, widest);
  }
  widest.plan_class = PlanClass::kOverlap;
  layouts.push_back(std::move(widest));
  return layouts;
}

}  // namespace

Result<std::vector<Layout>> plan_classes(const Problem& problem, const PlanOptions& options) {
  const double begin = now_seconds();
  NK_TRY(check_problem(problem));
  if (options.order == OrderChoice::kGiven) NK_TRY(check_given_order(problem));
  Context context{problem, options, std::vector<char>(problem.tensors.size(), 0),
                  Deadline(options.time_limit_seconds, options.clock)};
  if (options.in_out == InOut::kCallerOwned) {
    for (const int t : problem.inputs) context.outside[t] = 1;
    for (const int t : problem.outputs) context.outside[t] = 1;
  }
  NK_ASSIGN(std::vector<Layout> layouts, run(context));
  std::vector<ClassSummary> classes;
  for (Layout& layout : layouts) {
    layout.proven_minimal = layout.lower_bound_bytes == layout.arena_bytes;
    layout.time_limited = layout.time_limited && !layout.proven_minimal;
    NK_TRY(validate(problem, layout));
    classes.push_back(
        {layout.plan_class, layout.arena_bytes, layout.lower_bound_bytes, layout.proven_minimal});
  }
  for (Layout& layout : layouts) {
    layout.classes = classes;
    layout.seconds = now_seconds() - begin;
  }
  return layouts;
}

Result<LeastOrder> least_order(const Problem& problem, const PlanOptions& options) {
  NK_TRY(check_problem(problem));
  Problem bytewise = problem;
  bytewise.alignment = 1;
  const OrderModel model = make_order_model(bytewise, {});
  ClassLimits limits;
  limits.order_nodes = options.order_nodes;
  Effort effort;
  effort.deadline = Deadline(options.time_limit_seconds, options.clock);
  LeastOrder least;
  least.order = search_order(model, limits, effort, least.lower_bound_bytes);
  least.peak_bytes = order_bound(model, least.order);
  least.proven_minimal = least.peak_bytes == least.lower_bound_bytes;
  return least;
}

Layout best_layout(const std::vector<Layout>& layouts, const PlanOptions& options) {
  Layout best = layouts.front();
  for (const Layout& layout : layouts) {
    if (layout.arena_bytes < best.arena_bytes) best = layout;
  }
  best.time_limited =
      std::any_of(layouts.begin(), layouts.end(), [](const Layout& l) { return l.time_limited; });
  if (options.ram_bytes) {
    const int64_t ram = *options.ram_bytes;
    best.verdict = best.arena_bytes <= ram                  ? Verdict::kFits
                   : layouts.back().lower_bound_bytes > ram ? Verdict::kProvenNoFit
                                                            : Verdict::kNotFound;
  }
  return best;
}

Result<Layout> plan(const Problem& problem, const PlanOptions& options) {
  NK_ASSIGN(const std::vector<Layout> layouts, plan_classes(problem, options));
  return best_layout(layouts, options);
}

}  // namespace netkit::plan
