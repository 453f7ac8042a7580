// SPDX-License-Identifier: MIT
// Layout: in which order of axes each tensor stands in memory. ONNX nets arrive with a transpose
// before and behind every spatial operator; here as many elements as possible stop being moved.
#pragma once

#include "base/result.h"
#include "compiler/ir/graph.h"

namespace netkit {

// For each permutation that occurs, finds by a minimum cut which tensors should stand permuted so
// that the transposes left move the fewest elements (exact for one permutation at a time), and
// rewrites elementwise operators, concats, pads, slices, reductions and the weights behind a
// flatten to match. Repeats while the cost falls.
Result<Graph> move_transposes(const Graph& graph);

}  // namespace netkit
