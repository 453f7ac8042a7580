// SPDX-License-Identifier: MIT
#include "compiler/eval/fold.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/simplify/simplify.h"

namespace netkit {
namespace {

// A copy into a graph output is how a constant output gets into memory.
bool makes_output(const Editor& editor, const Node& node) {
  return node.op == "copy" && editor.is_output(node.outputs[0]);
}

}  // namespace

Result<Graph> fold_constants(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    if (!editor.alive(n) || makes_output(editor, editor.node(n))) continue;
    const std::vector<ConstData> values = fold_node(editor.graph(), editor.node(n));
    const std::vector<TensorId> outputs = editor.node(n).outputs;
    if (values.size() != outputs.size()) continue;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == kNoTensor) continue;
      std::string name = editor.tensor(outputs[i]).name;
      if (editor.is_output(outputs[i])) name += "/value";
      editor.redirect(outputs[i],
                      editor.add_tensor(std::move(name), editor.type(outputs[i]), values[i]));
    }
    editor.erase(n);
  }
  return editor.finish();
}

Result<Graph> remove_dead(const Graph& graph) {
  Editor editor(graph);
  for (int n = editor.node_count() - 1; n >= 0; --n) {
    bool used = false;
    for (const TensorId id : editor.node(n).outputs) {
      used = used || (id != kNoTensor && (editor.is_output(id) || !editor.readers(id).empty()));
    }
    if (!used) editor.erase(n);
  }
  return editor.finish();
}

}  // namespace netkit
