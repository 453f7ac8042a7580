// SPDX-License-Identifier: MIT
// A network without the softmax at its end: the greatest output stays where it is, and exp is
// saved.
#pragma once

#include "base/result.h"
#include "compiler/ir/graph.h"

namespace netkit {

// Every output that a softmax makes, alone or behind reshapes and a dequantize, becomes what the
// softmax reads; its name stays. Errors (kUsage): no output is made so.
Result<void> omit_final_softmax(Graph& graph);

}  // namespace netkit
