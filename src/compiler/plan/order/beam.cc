// SPDX-License-Identifier: MIT
// A beam over executed sets: an order when the exact search gives up.
#include <algorithm>
#include <unordered_set>

#include "compiler/plan/order/search.h"

namespace netkit::plan {
namespace {

constexpr size_t kStepsPerLevel = 4096;  // weighed at most, unless one set alone has more

struct Node {
  Words executed;
  std::vector<int> ready;  // ascending
  int64_t alive = 0, peak = 0;
  uint64_t hash = 0;  // of executed: equal for equal sets
};

// A set that may come next: the one of `parent` and `step`.
struct Candidate {
  int64_t peak, alive;
  int parent, step;
  uint64_t hash;
};

uint64_t hash_of(int step) {
  uint64_t x = (static_cast<uint64_t>(step) + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 31);
}

bool better(const Candidate& a, const Candidate& b) {
  if (a.peak != b.peak) return a.peak < b.peak;
  if (a.alive != b.alive) return a.alive < b.alive;
  return a.parent != b.parent ? a.parent < b.parent : a.step < b.step;
}

Node start_node(const OrderModel& model) {
  Node start;
  start.executed.assign(model.words(), 0);
  start.alive = start_bytes(model);
  for (int s = 0; s < model.step_count(); ++s) {
    if (model.preds[s].empty()) start.ready.push_back(s);
  }
  return start;
}

// The first sets of the level first; those that would be too much work are left out.
std::vector<Candidate> candidates(const OrderModel& model, const std::vector<Node>& level) {
  std::vector<Candidate> found;
  for (size_t i = 0; i < level.size(); ++i) {
    const Node& node = level[i];
    if (i > 0 && found.size() + node.ready.size() > kStepsPerLevel) break;
    for (const int s : node.ready) {
      const StepEffect e = step_effect(model, node.executed.data(), node.alive, s);
      found.push_back(
          {std::max(node.peak, e.need), e.after, static_cast<int>(i), s, node.hash + hash_of(s)});
    }
  }
  std::sort(found.begin(), found.end(), better);
  return found;
}

Node next_node(const OrderModel& model, const Node& parent, const Candidate& chosen) {
  Node next = parent;
  set_bit(next.executed.data(), chosen.step);
  next.alive = chosen.alive;
  next.peak = chosen.peak;
  next.hash = chosen.hash;
  next.ready.erase(std::ranges::lower_bound(next.ready, chosen.step));
  for (const int to : model.succs[chosen.step]) {
    const Words& before = model.ancestors[to];
    bool open = true;
    for (size_t w = 0; w < before.size() && open; ++w) open = (before[w] & ~next.executed[w]) == 0;
    if (open) next.ready.insert(std::ranges::lower_bound(next.ready, to), to);
  }
  return next;
}

}  // namespace

std::vector<int> beam_order(const OrderModel& model, int width, const Deadline& deadline) {
  std::vector<Node> level = {start_node(model)};
  std::vector<std::vector<std::pair<int, int>>> back;  // per level: parent and step of each node
  for (int depth = 0; depth < model.step_count(); ++depth) {
    if (deadline.passed()) return {};
    std::vector<Node> next;
    std::unordered_set<uint64_t> seen;
    back.emplace_back();
    for (const Candidate& c : candidates(model, level)) {
      if (next.size() == static_cast<size_t>(width)) break;
      if (!seen.insert(c.hash).second) continue;
      next.push_back(next_node(model, level[c.parent], c));
      back.back().push_back({c.parent, c.step});
    }
    level = std::move(next);
  }
  std::vector<int> order(model.step_count());
  for (int depth = model.step_count() - 1, at = 0; depth >= 0; --depth) {
    order[depth] = back[depth][at].second;
    at = back[depth][at].first;
  }
  return order;
}

}  // namespace netkit::plan
