// SPDX-License-Identifier: MIT
// What an operator says of its quantised form (QuantForm), by the node.
#pragma once

#include "compiler/ir/op_def.h"

namespace netkit {

inline const QuantForm& form_of(const Node& node) {
  static constexpr QuantForm kNone;
  const OpDef* op = find_op(node.op);
  return op == nullptr ? kNone : op->quant;
}

// Is input i a value that the quantised form rescales?
inline bool is_real(const Graph& graph, const Node& node, size_t i) {
  const TensorId id = node.inputs[i];
  return id != kNoTensor && i < form_of(node).real_inputs &&
         graph.tensor(id).type.dtype == NK_FLOAT32;
}

}  // namespace netkit
