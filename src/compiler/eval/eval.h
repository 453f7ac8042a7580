// SPDX-License-Identifier: MIT
// eval: computes nodes on the host through the operators' own reference kernels. Used by constant
// folding and by tests; there is no second implementation of any operator.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/op_def.h"

namespace netkit {

// The output holds the bytes of input 0, in another order at most.
bool moves_only(const Node& node);

// Bytes of the value of a graph tensor; nullptr where it has none.
using ValueOf = std::function<ConstData(TensorId)>;

// Outputs of `node`, as many and as large as its output tensors state, computed by the last generic
// kernel row that fits, in its plain mode. Fails where an input has no value, no row fits, or the
// outputs and scratch together exceed max_bytes. One repeated element that is moved only stays one,
// of any size.
Result<std::vector<ConstData>> evaluate(const Graph& graph, const Node& node,
                                        const ValueOf& value_of, int64_t max_bytes);

// The same with constants only: every input of the node is a constant of the graph or absent.
Result<std::vector<ConstData>> evaluate_constant(const Graph& graph, const Node& node,
                                                 int64_t max_bytes);

// Is there a generic kernel for the node as its tensors are typed? The error says why not.
Result<void> has_kernel(const Graph& graph, const Node& node);

// The value of every tensor for the given graph inputs (each of its tensor's size), node after
// node.
Result<std::vector<ConstData>> evaluate_tensors(const Graph& graph,
                                                std::span<const ConstData> inputs,
                                                int64_t max_bytes_per_node);

// Graph outputs for the given graph inputs (each of its tensor's size), node after node.
Result<std::vector<ConstData>> evaluate_graph(const Graph& graph, std::span<const ConstData> inputs,
                                              int64_t max_bytes_per_node);

}  // namespace netkit
