// SPDX-License-Identifier: MIT
// Steps that need the bound in every order, in one case after the other where views decide.
#include "compiler/plan/check/witness.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "compiler/plan/joint/views.h"
#include "compiler/plan/order/bare.h"
#include "compiler/plan/order/flow.h"
#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

using Json = nlohmann::ordered_json;
using Choices = std::vector<ViewChoice>;
using Chains = std::vector<SetCut::Chain>;

constexpr int kMaxCases = 400;            // that are looked at
constexpr size_t kMaxCandidates = 16;     // views to try out per decision, the largest
constexpr uint64_t kOrderNodes = 20'000;  // per search of the orders of a case
constexpr int kScratch = -1;              // beside the buffers

Json by_search() {
  Json found;
  found["kind"] = "search";
  return found;
}

// What is in use at a step, rounded, and what rounding added; by buffers.
struct Bytes {
  int64_t rounded = 0, slack = 0;
};
using Use = std::map<int, Bytes>;

int64_t height(const Use& use) {
  int64_t sum = 0, slack = 0;
  for (const auto& [buffer, bytes] : use) {
    sum += bytes.rounded;
    slack = std::max(slack, bytes.slack);
  }
  return sum - slack;
}

Bytes bytes_of(int64_t size, int64_t alignment) {
  return {round_up(size, alignment), round_up(size, alignment) - size};
}

// What lives at the step in every order; chains are alive with the bytes that they carry.
Use use_at(const OrderModel& m, int step, const Chains& chains) {
  Use use;
  for (int b = 0; b < static_cast<int>(m.buffers.size()); ++b) {
    const OrderBuffer& x = m.buffers[b];
    const auto some = [&](const Words& set) {
      return std::ranges::any_of(x.touches, [&](int s) { return has_bit(set.data(), s); });
    };
    const bool own = std::ranges::count(x.touches, step) > 0;
    const bool lives =
        (x.from_start || some(m.ancestors[step])) && (x.to_end || some(m.descendants[step]));
    if (own || lives) use[b] = {x.bytes, x.slack};
  }
  for (int k = 0; k < static_cast<int>(chains.size()); ++k) {  // one of its buffers is alive
    Bytes& carried = use[kScratch - 1 - k];
    carried.rounded = chains[k].bytes;
    for (const int b : chains[k].buffers) {
      carried.slack = std::max(carried.slack, m.buffers[b].slack);
    }
  }
  use[kScratch] = {m.scratch[step], m.scratch_slack[step]};
  return use;
}

// No order runs the step in less; two that overlap are one, from the lower begin to the higher end.
int64_t step_height(const OrderModel& m, int step, const Chains& chains) {
  const Use use = use_at(m, step, chains);
  int64_t least = height(use);
  for (const OrderMode& mode : m.modes[step]) {
    const Overlap& o = m.problem->steps[step].overlaps[mode.overlap];
    const OrderBuffer &in = m.buffers[mode.in], &out = m.buffers[mode.out];
    const int64_t a = in.bytes - in.slack, b = out.bytes - out.slack;
    Use apart = use;
    apart[kScratch] = bytes_of(o.scratch_bytes, m.alignment);
    Use one = apart;
    one.erase(mode.in);
    int64_t span = in.bytes + out.bytes;
    if (o.forward_bytes) {
      span = std::min(span, std::max(b, a + round_up(*o.forward_bytes, m.alignment)));
    }
    if (o.backward_bytes) {
      const int64_t above = round_up(std::max<int64_t>(0, a + *o.backward_bytes - b), m.alignment);
      span = std::min(span, std::max(a, b + above));
    }
    one[mode.out] = bytes_of(span, m.alignment);
    least = std::min({least, height(apart), height(one)});
  }
  return least;
}

class WitnessSearch {
 public:
  WitnessSearch(const Problem& problem, const ModelOptions& options, int64_t bound,
                uint64_t order_nodes)
      : p_(problem),
        question_{problem, options, usable_views(problem, options.outside), {}, {}},
        bound_(bound) {
    question_.limits.fixed_order = options.fixed_order;
    question_.limits.order_nodes = std::min(order_nodes, kOrderNodes);
  }

  std::optional<Json> run() {
    if (p_.steps.size() > static_cast<size_t>(kMaxCutSteps)) return std::nullopt;
    return shown(Choices(question_.views.size(), ViewChoice::kOpen));
  }

 private:
  // A step that shows the bound whatever the open views are; with a cut only where none is taken.
  std::optional<Json> by_step(const OrderModel& model, bool cuts) const {
    SetCut cut(model);
    for (int s = 0; s < model.step_count(); ++s) {
      if (step_height(model, s, {}) < bound_ && (!cuts || cut.step_bound(s) < bound_)) continue;
      const Chains chains = cuts ? cut.chains(s) : Chains{};
      if (step_height(model, s, chains) < bound_) continue;
      Json found = {{"kind", "step"}, {"op", p_.steps[s].name}};
      for (const SetCut::Chain& chain : chains) {
        Json names = Json::array();
        for (const int b : chain.buffers) names.push_back(p_.tensors[model.buffers[b].tensor].name);
        found["chains"].push_back({{"bytes", chain.bytes}, {"tensors", names}});
      }
      return found;
    }
    return std::nullopt;
  }

  // The most that a step needs in this case.
  int64_t need(const Choices& choices) {
    ++cases_;
    const ChosenViews chosen = with_choices(question_, choices);
    const OrderModel model = make_order_model(chosen.problem, chosen.options);
    int64_t most = 0;
    for (int s = 0; s < model.step_count(); ++s) most = std::max(most, step_height(model, s, {}));
    return most;
  }

  std::optional<Json> shown(const Choices& choices) {
    {
      const ChosenViews chosen = with_choices(question_, choices);
      const OrderModel model = make_order_model(chosen.problem, chosen.options);
      if (auto found = by_step(model, chosen.options.views.empty())) return found;
    }
    if (cases_ > 0 && bound_of_choices(question_, choices) >= bound_) return by_search();
    const int view = best_view(choices);
    if (view < 0) return std::nullopt;
    Json found = {{"kind", "views"},
                  {"op", p_.steps[question_.views[view].step].name},
                  {"view", question_.views[view].view}};
    for (const auto& [key, choice] :
         {std::pair("taken", ViewChoice::kTaken), std::pair("left", ViewChoice::kLeft)}) {
      const auto part = shown(with(choices, view, choice));
      if (!part) return std::nullopt;
      found[key] = *part;
    }
    return found;
  }

  int inner_of(int view) const {
    const ViewRef& ref = question_.views[view];
    const Step& step = p_.steps[ref.step];
    const int in = step.inputs[step.views[ref.view].input];
    const int out = step.outputs[step.views[ref.view].output];
    return p_.tensors[out].bytes <= p_.tensors[in].bytes ? out : in;
  }

  // A tensor lies in one other at most.
  Choices with(const Choices& choices, int view, ViewChoice choice) const {
    Choices made = choices;
    for (int v = 0; v < static_cast<int>(made.size()); ++v) {
      const bool barred = choice == ViewChoice::kTaken && inner_of(v) == inner_of(view);
      if (barred && made[v] == ViewChoice::kOpen) made[v] = ViewChoice::kLeft;
    }
    made[view] = choice;
    return made;
  }

  // The open view after whose decision the better case needs most; -1: none, or enough was tried.
  int best_view(const Choices& choices) {
    std::vector<int> open;
    for (int v = 0; v < static_cast<int>(choices.size()); ++v) {
      if (choices[v] == ViewChoice::kOpen) open.push_back(v);
    }
    std::ranges::stable_sort(open, std::ranges::greater(),
                             [&](int v) { return p_.tensors[inner_of(v)].bytes; });
    open.resize(std::min(open.size(), kMaxCandidates));
    int best = -1;
    std::pair<int64_t, int64_t> most = {-1, -1};
    for (const int v : open) {
      if (cases_ >= kMaxCases) return -1;
      const int64_t taken = need(with(choices, v, ViewChoice::kTaken));
      const int64_t left = need(with(choices, v, ViewChoice::kLeft));
      const std::pair<int64_t, int64_t> low = {std::min({taken, left, bound_}), taken + left};
      if (low > most) {
        most = low;
        best = v;
      }
    }
    return best;
  }

  const Problem& p_;
  ViewQuestion question_;
  int64_t bound_;
  int cases_ = 0;
};

}  // namespace

std::string witness_json(const Problem& problem, const PlanOptions& options, const Layout& layout) {
  const ModelOptions asked = model_options(problem, options, layout.plan_class);
  const auto found =
      WitnessSearch(problem, asked, layout.lower_bound_bytes, options.order_nodes).run();
  return (found ? *found : by_search()).dump();
}

}  // namespace netkit::plan
