// SPDX-License-Identifier: MIT
// Minimum cut between a source and a sink in a directed graph with integer capacities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace netkit {

class MinCut {
 public:
  static constexpr int64_t kInfinite = int64_t{1} << 60;

  // Vertices 0 (source) and 1 (sink) are there from the start.
  static constexpr int kSource = 0, kSink = 1;
  MinCut() : edges_of_(2) {}

  int add_vertex();
  // Cutting from (source side) to `to` (sink side) costs `capacity` >= 0. Sums below 2^62.
  void add_edge(int from, int to, int64_t capacity);

  // Value of the minimum cut; then on_source_side tells the smallest source side. Method: Dinic's
  // blocking flows (Dinic 1970).
  int64_t solve();
  bool on_source_side(int vertex) const { return level_[static_cast<size_t>(vertex)] >= 0; }

 private:
  struct Edge {
    int to;
    int64_t left;  // residual capacity
  };
  bool find_levels();
  int64_t push_path();

  std::vector<Edge> edges_;                  // pairs: an edge and its reverse
  std::vector<std::vector<int>> edges_of_;   // per vertex
  std::vector<int> level_, next_;
};

}  // namespace netkit
