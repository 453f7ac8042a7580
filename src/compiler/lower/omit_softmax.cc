// SPDX-License-Identifier: MIT
#include "compiler/lower/omit_softmax.h"

#include <span>
#include <vector>

#include "compiler/ir/op_def.h"

namespace netkit {
namespace {

// May stand between the softmax and the output: every value stays where it is.
bool passes_through(const Node& node) {
  const OpDef* op = find_op(node.op);
  return node.op == "dequantize" || (op != nullptr && op->is_view);
}

// The output without its softmax; kNoTensor where it has none.
TensorId without_softmax(Graph& graph, const Uses& uses, TensorId output) {
  std::vector<int> behind;  // nodes between output and softmax, the last first
  TensorId at = output;
  const auto maker = [&](TensorId id) { return uses.producer[static_cast<size_t>(id)]; };
  while (maker(at) >= 0 && passes_through(graph.nodes[static_cast<size_t>(maker(at))])) {
    behind.push_back(maker(at));
    at = graph.nodes[static_cast<size_t>(behind.back())].inputs[0];
  }
  if (maker(at) < 0) return kNoTensor;
  const Node& softmax = graph.nodes[static_cast<size_t>(maker(at))];
  if (softmax.op != "softmax") return kNoTensor;
  const TensorId logits = softmax.inputs[0];
  if (behind.empty()) {
    if (maker(logits) >= 0) graph.tensor(logits).name = graph.tensor(output).name;
    return logits;
  }
  graph.nodes[static_cast<size_t>(behind.back())].inputs[0] = logits;
  for (const int index : behind) {
    Tensor& made = graph.tensor(graph.nodes[static_cast<size_t>(index)].outputs[0]);
    if (!made.type.quant.scale.empty()) made.type.quant = graph.tensor(logits).type.quant;
  }
  return output;
}

}  // namespace

Result<void> omit_final_softmax(Graph& graph) {
  const Uses uses = uses_of(graph);
  bool any = false;
  for (TensorId& output : std::span(graph.outputs).first(graph.model_outputs())) {
    const TensorId logits = without_softmax(graph, uses, output);
    if (logits == kNoTensor) continue;
    output = logits;
    any = true;
  }
  if (!any) {
    return fail(ErrorCode::kUsage, "no output of the model is made by a softmax", graph.source,
                "leave out --omit-final-softmax");
  }
  // The softmax has no reader left: it goes, unless another node reads it.
  const Uses left = uses_of(graph);
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    bool read = node.op != "softmax";
    for (const TensorId id : node.outputs) {
      read = read || !left.readers[static_cast<size_t>(id)].empty();
      for (const TensorId output : graph.outputs) read = read || output == id;
    }
    if (read) kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  graph = compacted(graph);
  return {};
}

}  // namespace netkit
