// SPDX-License-Identifier: MIT
// Passes that take away what does nothing: constants computed, dead nodes, identities, chains of
// reshapes and transposes.
#pragma once

#include <vector>

#include "base/result.h"
#include "compiler/ir/graph.h"

namespace netkit {

// Nodes whose inputs are all constants become constants (eval/fold.h states the bounds).
Result<Graph> fold_constants(const Graph& graph);

// Nodes that nothing reads are dropped.
Result<Graph> remove_dead(const Graph& graph);

// Nodes that give back their input: copies inside the graph, transposes and reshapes to the same
// shape, pads of nothing, whole slices, clips without bounds, x + 0, x * 1, one-input concats,
// an activation of what the same activation made.
Result<Graph> remove_identities(const Graph& graph);

// reshape(reshape(x)) becomes one; a reshape before elementwise operators moves behind them, so
// that it meets others and no longer parts an activation from its convolution.
Result<Graph> merge_reshapes(const Graph& graph);

// transpose(transpose(x)) becomes one, and equal transposes of one tensor become one.
Result<Graph> merge_transposes(const Graph& graph);

// A transpose that moves only axes of size 1 becomes a reshape.
Result<Graph> transposes_to_reshapes(const Graph& graph);

// Graph outputs that are views of an input, a constant or another output get memory of their own.
// Not a pass of the list: a duty at the end.
Result<Graph> separate_outputs(const Graph& graph);

// True where transposing dims by perm leaves the order in memory as it is.
bool moves_nothing(const Dims& dims, const std::vector<int64_t>& perm);

}  // namespace netkit
