// SPDX-License-Identifier: MIT
// Graph: the canonical network. Spatial tensors are NHWC; every dimension is known; nodes stand in
// an executable order. Plain values: passes take one graph and return another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/attrs.h"
#include "compiler/ir/tensor_type.h"

namespace netkit {

using TensorId = int32_t;
constexpr TensorId kNoTensor = -1;

struct Tensor {
  std::string name;
  TensorType type;
  ConstData data;  // set: a constant
  bool is_constant() const { return data != nullptr; }
};

struct Node {
  std::string op;  // canonical operator, a folder's OpDef::name ("conv2d")
  std::string name;
  std::vector<TensorId> inputs;  // kNoTensor where an optional input is absent
  std::vector<TensorId> outputs;
  Attrs attrs;  // canonical names, stated in the operator's header
};

// What lives from one run to the next. A run reads it as one of the graph's inputs and leaves it as
// one of the outputs, of the same type.
struct GraphState {
  size_t input, output;  // positions in Graph::inputs and outputs
  ConstData initial;     // bytes after a reset; null: all 0
};

struct Graph {
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<TensorId> inputs, outputs;  // the model's own, then those of the states
  std::vector<GraphState> states;         // in the order of their inputs, and of their outputs
  std::string source;                     // file name, for messages
  std::string sha256;                     // of the source file

  TensorId add_tensor(std::string name, TensorType type, ConstData data = nullptr);
  size_t model_inputs() const { return inputs.size() - states.size(); }
  size_t model_outputs() const { return outputs.size() - states.size(); }
  const Tensor& tensor(TensorId id) const { return tensors[static_cast<size_t>(id)]; }
  Tensor& tensor(TensorId id) { return tensors[static_cast<size_t>(id)]; }
};

// Index of the node that makes each tensor (-1: input or constant), and the nodes that read it, in
// order, each once (graph outputs are not readers).
struct Uses {
  std::vector<int> producer;
  std::vector<std::vector<int>> readers;
};
Uses uses_of(const Graph& graph);

// Structure: ids in range, one producer each, order executable, constants of the stated size.
Result<void> verify(const Graph& graph);

// Drops tensors that nothing names; keeps order.
Graph compacted(const Graph& graph);

// Stable text, one line per tensor that is an input or constant and per node; parsed back by
// parse_graph, so that pass tests are text in, text out:
//   input %x float32[1x4]
//   const %w float32[2x4] = 1 2 3 4 5 6 7 8           // equal values: = splat 1
//   %y int8[1x2] q(0.5,-128) = fully_connected(%x, %w, _) {activation="relu"} @"dense"
//   output %y
//   state %h -> %n = 0 0 0 0                           // an input, an output, content after reset
// A name that others share, or an empty one, gets "#" and a number. Constants of more than
// `max_elems` elements (and longer scale lists) are shortened to a hash, which parse_graph refuses.
std::string to_text(const Graph& graph, size_t max_elems = 64);
Result<Graph> parse_graph(std::string_view text);

}  // namespace netkit
