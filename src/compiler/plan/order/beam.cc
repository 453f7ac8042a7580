// SPDX-License-Identifier: MIT
// A beam over executed sets: an order when the exact search gives up.
#include <algorithm>
#include <map>

#include "compiler/plan/order/search.h"

namespace netkit::plan {
namespace {

struct Node {
  Words executed;
  int64_t alive = 0, peak = 0;
  int parent = -1, step = -1;
};

bool better(const Node& a, const Node& b) {
  if (a.peak != b.peak) return a.peak < b.peak;
  if (a.alive != b.alive) return a.alive < b.alive;
  return a.executed < b.executed;
}

std::vector<Node> successors(const OrderModel& model, const std::vector<Node>& level) {
  std::map<Words, Node> found;
  for (size_t i = 0; i < level.size(); ++i) {
    const Node& node = level[i];
    for (int s = 0; s < model.step_count(); ++s) {
      if (has_bit(node.executed.data(), s)) continue;
      const auto done = [&](int p) { return has_bit(node.executed.data(), p); };
      if (!std::all_of(model.preds[s].begin(), model.preds[s].end(), done)) continue;
      const StepEffect e = step_effect(model, node.executed.data(), node.alive, s);
      Node next;
      next.executed = node.executed;
      set_bit(next.executed.data(), s);
      next.alive = e.after;
      next.peak = std::max(node.peak, e.need);
      next.parent = static_cast<int>(i);
      next.step = s;
      auto [it, is_new] = found.emplace(next.executed, next);
      if (!is_new && better(next, it->second)) it->second = next;
    }
  }
  std::vector<Node> nodes;
  for (auto& [key, node] : found) nodes.push_back(std::move(node));
  return nodes;
}

}  // namespace

std::vector<int> beam_order(const OrderModel& model, int width) {
  Node start;
  start.executed.assign(model.words(), 0);
  start.alive = start_bytes(model);
  std::vector<Node> level = {start};
  std::vector<std::vector<std::pair<int, int>>> back;  // per level: parent and step of each node
  for (int depth = 0; depth < model.step_count(); ++depth) {
    std::vector<Node> next = successors(model, level);
    std::sort(next.begin(), next.end(), better);
    if (next.size() > static_cast<size_t>(width)) next.resize(width);
    back.emplace_back();
    for (const Node& node : next) back.back().push_back({node.parent, node.step});
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
