// SPDX-License-Identifier: MIT
// The quantised network, node after node: every node that has a kernel for its mode gets quantised
// tensors, and conversions stand where two modes meet.
#pragma once

#include <vector>

#include "compiler/quant/range/observe.h"
#include "compiler/quant/range/ranges.h"

namespace netkit::quant {

struct Rewritten {
  Graph graph;
  std::vector<TensorId> made;    // per tensor of the float graph: what holds its value
  std::vector<Mode> mode;        // per node of the float graph
  std::vector<std::string> why;  // per node: why it is float; empty where it is not
};

// `wanted`: per node, the mode to try; a node without a kernel for it stays float32. Nodes that
// only move values take the mode of what they move.
Result<Rewritten> rewrite(const Graph& graph, const std::vector<Observed>& seen,
                          const std::vector<Range>& ranges, const std::vector<Mode>& wanted,
                          const Options& options);

}  // namespace netkit::quant
