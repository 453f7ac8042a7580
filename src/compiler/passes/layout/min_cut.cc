// SPDX-License-Identifier: MIT
#include "compiler/passes/layout/min_cut.h"

#include <algorithm>

namespace netkit {

int MinCut::add_vertex() {
  edges_of_.emplace_back();
  return static_cast<int>(edges_of_.size()) - 1;
}

void MinCut::add_edge(int from, int to, int64_t capacity) {
  const int index = static_cast<int>(edges_.size());
  edges_.push_back({to, capacity});
  edges_.push_back({from, 0});
  edges_of_[static_cast<size_t>(from)].push_back(index);
  edges_of_[static_cast<size_t>(to)].push_back(index + 1);
}

// Distances from the source over edges with capacity left; true where the sink is reached.
bool MinCut::find_levels() {
  level_.assign(edges_of_.size(), -1);
  level_[kSource] = 0;
  std::vector<int> queue = {kSource};
  for (size_t i = 0; i < queue.size(); ++i) {
    const auto v = static_cast<size_t>(queue[i]);
    for (const int e : edges_of_[v]) {
      const Edge& edge = edges_[static_cast<size_t>(e)];
      if (edge.left == 0 || level_[static_cast<size_t>(edge.to)] >= 0) continue;
      level_[static_cast<size_t>(edge.to)] = level_[v] + 1;
      queue.push_back(edge.to);
    }
  }
  return level_[kSink] >= 0;
}

// One path along rising levels, without recursion (nets are deep); 0 where none is left.
int64_t MinCut::push_path() {
  std::vector<int> path;
  int v = kSource;
  while (v != kSink) {
    auto& at = next_[static_cast<size_t>(v)];
    const auto& list = edges_of_[static_cast<size_t>(v)];
    while (at < static_cast<int>(list.size())) {
      const Edge& edge = edges_[static_cast<size_t>(list[static_cast<size_t>(at)])];
      if (edge.left > 0 &&
          level_[static_cast<size_t>(edge.to)] == level_[static_cast<size_t>(v)] + 1) {
        break;
      }
      ++at;
    }
    if (at < static_cast<int>(list.size())) {
      path.push_back(list[static_cast<size_t>(at)]);
      v = edges_[static_cast<size_t>(path.back())].to;
      continue;
    }
    if (path.empty()) return 0;
    v = edges_[static_cast<size_t>(path.back() ^ 1)].to;
    ++next_[static_cast<size_t>(v)];
    path.pop_back();
  }
  int64_t flow = kInfinite;
  for (const int e : path) flow = std::min(flow, edges_[static_cast<size_t>(e)].left);
  for (const int e : path) {
    edges_[static_cast<size_t>(e)].left -= flow;
    edges_[static_cast<size_t>(e ^ 1)].left += flow;
  }
  return flow;
}

int64_t MinCut::solve() {
  int64_t total = 0;
  while (find_levels()) {
    next_.assign(edges_of_.size(), 0);
    while (const int64_t flow = push_path()) total += flow;
  }
  return total;
}

}  // namespace netkit
