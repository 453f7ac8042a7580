// SPDX-License-Identifier: MIT
// Chains of reshapes and of transposes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/ir/op_def.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/simplify/simplify.h"

namespace netkit {
namespace {

// perm of transpose(transpose(x, first), second).
std::vector<int64_t> composed(const std::vector<int64_t>& first,
                              const std::vector<int64_t>& second) {
  std::vector<int64_t> perm;
  for (const int64_t axis : second) perm.push_back(first[static_cast<size_t>(axis)]);
  return perm;
}

// The node reads what the maker of its input reads; true where there is such a maker.
bool skip_maker(Editor& editor, int n, std::string_view op) {
  const int maker = editor.producer_of(editor.node(n).inputs[0], op);
  if (maker < 0) return false;
  editor.set_input(n, 0, editor.node(maker).inputs[0]);
  return true;
}

// A constant that broadcasts along the last axis only (or not at all), as [c] or a scalar; nullopt
// for others. Such a one means the same before and after a reshape that keeps the last axis.
std::optional<Dims> last_axis_dims(const Dims& dims, bool same_last_axis) {
  const size_t rank = dims.size();
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (dims[i] != 1) return std::nullopt;
  }
  if (rank == 0 || dims.back() == 1) return Dims{};
  if (!same_last_axis) return std::nullopt;
  return Dims{dims.back()};
}

// The dims that all activations of an elementwise node have before they are reshaped to the dims
// of its output; nullopt where that is not so.
std::optional<Dims> dims_before_reshape(const Editor& editor, const Node& node) {
  const Dims& out = editor.type(node.outputs[0]).dims;
  if (editor.type(node.outputs[0]).quant.scale.size() > 1) return std::nullopt;
  std::optional<Dims> before;
  for (const TensorId id : node.inputs) {
    if (id == kNoTensor) return std::nullopt;
    if (editor.tensor(id).is_constant()) continue;
    const int maker = editor.producer_of(id, "reshape");
    if (maker < 0 || editor.type(id).dims != out) return std::nullopt;
    const TensorType& from = editor.type(editor.node(maker).inputs[0]);
    if (!(from.quant == editor.type(id).quant)) return std::nullopt;  // it states the scale, too
    if (before && *before != from.dims) return std::nullopt;
    before = from.dims;
  }
  if (!before || before->size() > NK_MAX_RANK) return std::nullopt;
  const bool same_last = !before->empty() && !out.empty() && before->back() == out.back();
  for (const TensorId id : node.inputs) {
    const Tensor& t = editor.tensor(id);
    if (t.is_constant() && (t.type.quant.scale.size() > 1 ||
                            !last_axis_dims(t.type.dims, same_last))) {
      return std::nullopt;
    }
  }
  return before;
}

// f(reshape(x), constant) becomes reshape(f(x, constant)).
void move_reshape_behind(Editor& editor, int n, const Dims& before) {
  const Node node = editor.node(n);
  const TensorId out = node.outputs[0];
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Tensor& t = editor.tensor(node.inputs[i]);
    if (t.is_constant()) {
      TensorType type = t.type;
      type.dims = *last_axis_dims(t.type.dims, true);
      editor.set_input(n, i, editor.add_tensor(t.name, std::move(type), t.data));
    } else {
      const int maker = editor.producer_of(node.inputs[i], "reshape");
      editor.set_input(n, i, editor.node(maker).inputs[0]);
    }
  }
  TensorType type = editor.type(out);
  type.dims = before;
  const TensorId moved = editor.add_tensor(editor.tensor(out).name + "/flat", std::move(type));
  editor.set_output(n, 0, moved);
  Attrs attrs;
  attrs.set("shape", editor.type(out).dims);
  editor.add_node({"reshape", node.name + "/reshape", {moved}, {out}, std::move(attrs)}, n);
}

bool is_elementwise(const Node& node) {
  const OpDef* op = find_op(node.op);
  return op != nullptr && op->is_elementwise && node.outputs.size() == 1;
}

// The first of equal transposes (or reshapes) of one tensor.
class Duplicates {
 public:
  int first(const Editor& editor, int n) {
    const Node& node = editor.node(n);
    const TensorType& type = editor.type(node.outputs[0]);
    const std::string key = fmt::format("{} {} {} {}", node.op, node.inputs[0], type_text(type, 99),
                                        fmt::join(node.attrs.get_ints("perm"), ","));
    return seen_.try_emplace(key, n).first->second;
  }

 private:
  std::map<std::string, int> seen_;
};

void merge_duplicate(Editor& editor, Duplicates& duplicates, int n) {
  const int first = duplicates.first(editor, n);
  if (first == n || editor.is_output(editor.node(n).outputs[0])) return;
  editor.redirect(editor.node(n).outputs[0], editor.node(first).outputs[0]);
  editor.erase(n);
}

}  // namespace

bool moves_nothing(const Dims& dims, const std::vector<int64_t>& perm) {
  int64_t last = -1;
  for (const int64_t axis : perm) {
    if (dims[static_cast<size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

Result<Graph> merge_reshapes(const Graph& graph) {
  Editor editor(graph);
  Duplicates duplicates;
  for (int n = 0; n < editor.node_count(); ++n) {
    if (!editor.alive(n)) continue;
    if (editor.node(n).op == "reshape") {
      while (skip_maker(editor, n, "reshape")) {
      }
      merge_duplicate(editor, duplicates, n);
    } else if (is_elementwise(editor.node(n))) {
      if (const auto before = dims_before_reshape(editor, editor.node(n))) {
        move_reshape_behind(editor, n, *before);
      }
    }
  }
  return editor.finish();
}

Result<Graph> merge_transposes(const Graph& graph) {
  Editor editor(graph);
  Duplicates duplicates;
  for (int n = 0; n < editor.node_count(); ++n) {
    if (!editor.alive(n) || editor.node(n).op != "transpose") continue;
    for (int maker; (maker = editor.producer_of(editor.node(n).inputs[0], "transpose")) >= 0;) {
      const auto perm = composed(editor.node(maker).attrs.get_ints("perm"),
                                 editor.node(n).attrs.get_ints("perm"));
      skip_maker(editor, n, "transpose");
      editor.set_attr(n, "perm", perm);
    }
    merge_duplicate(editor, duplicates, n);
  }
  return editor.finish();
}

Result<Graph> transposes_to_reshapes(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    if (!editor.alive(n) || editor.node(n).op != "transpose") continue;
    const Node node = editor.node(n);
    if (!moves_nothing(editor.type(node.inputs[0]).dims, node.attrs.get_ints("perm"))) continue;
    Attrs attrs;
    attrs.set("shape", editor.type(node.outputs[0]).dims);
    editor.erase(n);
    editor.add_node({"reshape", node.name, node.inputs, node.outputs, std::move(attrs)}, n);
  }
  return editor.finish();
}

Result<Graph> separate_outputs(const Graph& graph) {
  Editor editor(graph);
  const auto root_of = [&](TensorId id) {
    for (int maker; (maker = editor.producer(id)) >= 0;) {
      const OpDef* op = find_op(editor.node(maker).op);
      if (op == nullptr || op->make_params != nullptr) break;
      id = editor.node(maker).inputs[0];
    }
    return id;
  };
  std::vector<TensorId> roots = graph.inputs;
  for (const TensorId output : graph.outputs) {
    const TensorId root = root_of(output);
    const bool shared = std::ranges::find(roots, root) != roots.end() ||
                        editor.tensor(root).is_constant();
    roots.push_back(root);
    if (!shared) continue;
    // The view keeps its place under another tensor; a copy of it takes the output's.
    const int maker = editor.producer(output);
    if (maker < 0) return bad_input("a graph output is a graph input or a constant", graph.source);
    const TensorId view =
        editor.add_tensor(editor.tensor(output).name + "/view", editor.type(output));
    editor.set_output(maker, 0, view);
    for (const int n : std::vector<int>(editor.readers(output))) {
      for (size_t i = 0; i < editor.node(n).inputs.size(); ++i) {
        if (editor.node(n).inputs[i] == output) editor.set_input(n, i, view);
      }
    }
    editor.add_node({"copy", editor.tensor(output).name + "/copy", {view}, {output}, {}}, maker);
  }
  return editor.finish();
}

}  // namespace netkit
