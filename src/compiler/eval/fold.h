// SPDX-License-Identifier: MIT
// Folding of one node whose inputs are all constants, within bounds that keep a hostile file from
// costing more than a moment.
#pragma once

#include <vector>

#include "compiler/eval/eval.h"

namespace netkit {

// Values of the node's outputs where every input is a constant, at least one is there, and the
// work is small (outputs and scratch up to 64 MiB, 2^28 multiply-accumulates); else empty.
// What is dequantised, and then transposed or reshaped, keeps its integers().
std::vector<ConstData> fold_node(const Graph& graph, const Node& node);

}  // namespace netkit
