// SPDX-License-Identifier: MIT
// Concatenations of channels that nobody makes: their readers read the parts.
#include <algorithm>

#include "compiler/ir/op_def.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"
#include "ops/common/host/weighted.h"

namespace netkit {
namespace {

constexpr struct {
  std::string_view op, parts_op;
} kReaders[] = {{"conv2d", "conv2d_parts"}, {"dwconv2d", "dwconv2d_parts"}};

// The operator that reads parts in place of `op`; empty: there is none.
std::string_view parts_op(std::string_view op) {
  for (const auto& row : kReaders) {
    if (op == row.op || op == row.parts_op) return row.parts_op;
  }
  return {};
}

size_t part_count(const Node& reader) {
  return reads_parts(reader) ? reader.inputs.size() - 2 : 1;
}

// The reader's parts, those of `concat` in the place of what it makes.
std::vector<TensorId> parts_of(const Node& reader, const Node& concat) {
  std::vector<TensorId> parts;
  for (size_t k = 0; k < part_count(reader); ++k) {
    const TensorId id = reader.inputs[part_input(k)];
    if (id == concat.outputs[0]) {
      parts.insert(parts.end(), concat.inputs.begin(), concat.inputs.end());
    } else {
      parts.push_back(id);
    }
  }
  return parts;
}

bool can_read(const Editor& editor, const Node& reader, const Node& concat) {
  if (parts_op(reader.op).empty() || reader.attrs.get_int("groups", 1) != 1) return false;
  for (size_t i = 1; i < std::min<size_t>(reader.inputs.size(), 3); ++i) {
    if (reader.inputs[i] == concat.outputs[0]) return false;  // as weights or bias
  }
  const nk_dtype dtype = editor.type(concat.outputs[0]).dtype;
  const bool has_kernel = dtype == NK_FLOAT32 || dtype == NK_INT8 || dtype == NK_UINT8;
  return has_kernel && editor.type(reader.inputs[1]).dtype == dtype &&
         editor.type(reader.outputs[0]).dtype == dtype &&
         parts_of(reader, concat).size() <= NK_MAX_PARTS;
}

bool joins_channels(const Editor& editor, const Node& node) {
  if (node.op != "concat" || node.inputs.size() < 2) return false;
  const Dims& dims = editor.type(node.outputs[0]).dims;
  const int64_t axis = node.attrs.get_int("axis");
  if (dims.size() != 4 || (axis != 3 && axis != -1)) return false;
  return std::ranges::all_of(node.inputs, [&](TensorId id) {
    return !editor.tensor(id).is_constant() && editor.type(id).dims[3] > 0;
  });
}

bool replace(Editor& editor, int n, const std::set<std::string>& made) {
  const Node concat = editor.node(n);
  if (!joins_channels(editor, concat) || editor.is_output(concat.outputs[0])) return false;
  if (made.contains(editor.tensor(concat.outputs[0]).name)) return false;
  const std::vector<int> readers = editor.readers(concat.outputs[0]);
  if (readers.empty() || !std::ranges::all_of(readers, [&](int r) {
        return can_read(editor, editor.node(r), concat);
      })) {
    return false;
  }
  for (const int r : readers) {
    Node reader = editor.node(r);
    const std::vector<TensorId> parts = parts_of(reader, concat);
    const TensorId bias = reader.inputs.size() > 2 ? reader.inputs[2] : kNoTensor;
    reader.op = parts_op(reader.op);
    reader.inputs = {parts[0], reader.inputs[1], bias};
    reader.inputs.insert(reader.inputs.end(), parts.begin() + 1, parts.end());
    editor.erase(r);
    editor.add_node(std::move(reader), r);
  }
  editor.erase(n);
  return true;
}

}  // namespace

Result<Graph> read_parts(const Graph& graph) {
  return read_parts_but(graph, {});
}

Result<Graph> read_parts_but(const Graph& graph, const std::set<std::string>& made) {
  Editor editor(graph);
  bool changed = true;
  while (changed) {  // a concatenation inside another waits for the outer one
    changed = false;
    for (int n = 0; n < editor.node_count(); ++n) {
      if (editor.alive(n) && replace(editor, n, made)) changed = true;
    }
  }
  return editor.finish();
}

}  // namespace netkit
