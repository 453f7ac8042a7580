// SPDX-License-Identifier: MIT
// select: chooses a kernel row for every node and makes its parameters and packed constants.
// Graph → [select] → Schedule → plan.
#pragma once

#include "base/result.h"
#include "compiler/ir/graph.h"
#include "compiler/select/schedule.h"
#include "compiler/select/target.h"

namespace netkit {

// The graph must hold for verify(). Views (reshape) make no step: their tensors share a buffer.
// Fails where no kernel row fits a node; all such nodes are listed in Error::items.
Result<Schedule> select(const Graph& graph, const Target& target);

}  // namespace netkit
