// SPDX-License-Identifier: MIT
// Best-first branching on views; where to branch is tried out ("strong branching").
#include "compiler/plan/joint/views.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace netkit::plan {
namespace {

// Partial decisions to bound: at most kMaxTries, and fewer in long nets, where one takes longer.
constexpr int kMaxTries = 4'000;
constexpr int kMaxStepTries = 20'000;
constexpr int kTriesPerSet = 4;        // what a whole set that is solved counts as
constexpr size_t kMaxCandidates = 16;  // views to try out per decision, the largest

struct Node {
  int64_t bound = 0;
  std::vector<ViewChoice> choices;
  bool operator<(const Node& other) const {  // the least bound on top of the heap
    return bound != other.bound ? bound > other.bound : choices > other.choices;
  }
};

struct Pair {
  int inner = 0, outer = 0;  // tensors
};
Pair pair_of(const Problem& problem, const ViewRef& ref) {
  const Step& step = problem.steps[ref.step];
  const View& view = step.views[ref.view];
  const int in = step.inputs[view.input], out = step.outputs[view.output];
  const bool out_inside = problem.tensors[out].bytes <= problem.tensors[in].bytes;
  return out_inside ? Pair{out, in} : Pair{in, out};
}

class ViewSearch {
 public:
  explicit ViewSearch(const ViewQuestion& question) : q_(question) {
    const int steps = static_cast<int>(q_.problem.steps.size());
    max_tries_ = std::min(kMaxTries, kMaxStepTries / std::max(1, steps));
    by_size_.resize(q_.views.size());
    std::iota(by_size_.begin(), by_size_.end(), 0);
    const auto bytes = [&](int v) {
      return q_.problem.tensors[pair_of(q_.problem, q_.views[v]).inner].bytes;
    };
    std::stable_sort(by_size_.begin(), by_size_.end(),
                     [&](int a, int b) { return bytes(a) > bytes(b); });
  }

  int64_t run(const std::function<int64_t()>& best,
              const std::function<int64_t(const std::vector<ViewRef>&)>& solve) {
    std::priority_queue<Node> open;
    const std::vector<ViewChoice> none(q_.views.size(), ViewChoice::kOpen);
    open.push({bound_of_choices(q_, none), none});
    int64_t closed = INT64_MAX;  // the least bound of the sets that were solved
    while (!open.empty() && open.top().bound < std::min(closed, best()) && !over()) {
      const Node node = open.top();
      open.pop();
      std::vector<Node> children = split(node, best());
      if (children.empty()) {
        tries_ += kTriesPerSet;
        closed = std::min(closed, std::max(node.bound, solve(taken(node))));
      }
      for (Node& child : children) open.push(std::move(child));
    }
    const int64_t rest = open.empty() ? INT64_MAX : open.top().bound;
    return std::min({closed, rest, best()});
  }

 private:
  bool over() const { return tries_ >= max_tries_ || q_.deadline.passed(); }

  std::vector<ViewRef> taken(const Node& node) const {
    std::vector<ViewRef> views;
    for (size_t v = 0; v < q_.views.size(); ++v) {
      if (node.choices[v] == ViewChoice::kTaken) views.push_back(q_.views[v]);
    }
    return views;
  }

  Node child_of(const Node& node, int view, ViewChoice choice) {
    Node child = node;
    child.choices[view] = choice;
    ++tries_;
    child.bound = std::max(node.bound, bound_of_choices(q_, child.choices));
    return child;
  }

  // Both children by the view whose lower one is highest; empty: all is decided.
  std::vector<Node> split(const Node& node, int64_t best) {
    std::vector<Node> chosen;
    size_t tried = 0;
    const auto low = [](const std::vector<Node>& c) { return std::min(c[0].bound, c[1].bound); };
    for (const int v : by_size_) {
      if (node.choices[v] != ViewChoice::kOpen) continue;
      if (!chosen.empty() && (low(chosen) >= best || tried == kMaxCandidates || over())) break;
      ++tried;
      std::vector<Node> pair = {child_of(node, v, ViewChoice::kTaken),
                                child_of(node, v, ViewChoice::kLeft)};
      const auto sum = [](const std::vector<Node>& c) { return c[0].bound + c[1].bound; };
      const bool better = chosen.empty() || low(pair) > low(chosen) ||
                          (low(pair) == low(chosen) && sum(pair) > sum(chosen));
      if (better) chosen = std::move(pair);
    }
    return chosen;
  }

  const ViewQuestion& q_;
  std::vector<int> by_size_;  // views, the largest inner tensor first
  int tries_ = 0, max_tries_ = 0;
};

}  // namespace

ChosenViews with_choices(const ViewQuestion& q, const std::vector<ViewChoice>& choices) {
  std::vector<char> free(q.problem.tensors.size(), 0);  // what lies, or may, in such a one too
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t v = 0; v < q.views.size(); ++v) {
      const Pair pair = pair_of(q.problem, q.views[v]);
      const bool loose =
          choices[v] == ViewChoice::kOpen || (choices[v] == ViewChoice::kTaken && free[pair.outer]);
      if (!loose || free[pair.inner]) continue;
      free[pair.inner] = 1;
      changed = true;
    }
  }
  ChosenViews chosen{q.problem, q.options};
  for (size_t t = 0; t < free.size(); ++t) {
    if (free[t]) chosen.problem.tensors[t].bytes = 0;
  }
  chosen.options.views.clear();
  for (size_t v = 0; v < q.views.size(); ++v) {
    const bool stands = !free[pair_of(q.problem, q.views[v]).inner];
    if (choices[v] == ViewChoice::kTaken && stands) chosen.options.views.push_back(q.views[v]);
  }
  return chosen;
}

int64_t bound_of_choices(const ViewQuestion& q, const std::vector<ViewChoice>& choices) {
  const ChosenViews chosen = with_choices(q, choices);
  const OrderModel model = make_order_model(chosen.problem, chosen.options);
  Effort none;
  none.deadline = q.deadline;
  return class_bound(model, q.limits, none);
}

int64_t bound_of_all_sets(const ViewQuestion& question, const std::function<int64_t()>& best,
                          const std::function<int64_t(const std::vector<ViewRef>&)>& solve) {
  return ViewSearch(question).run(best, solve);
}

}  // namespace netkit::plan
