// SPDX-License-Identifier: MIT
#include "compiler/passes/layout/layout_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/eval/eval.h"
#include "compiler/ir/op_def.h"
#include "compiler/passes/simplify/simplify.h"

namespace netkit {
namespace {

// Attributes that speak of axes. `op` may end in '*'.
struct AxisRow {
  std::string_view op;
  std::string_view axis;      // one axis
  std::string_view axes;      // ascending list of axes
  std::string_view lists[3];  // one value per axis
};
constexpr AxisRow kAxisRows[] = {
    {"concat", "axis", "", {}},
    {"copy", "", "", {}},
    {"pad", "", "", {"before", "after"}},
    {"slice", "", "", {"starts", "steps", "sizes"}},
    {"expand", "", "", {"shape"}},
    {"tile", "", "", {"repeats"}},
    {"reverse", "", "axes", {}},
    {"cumsum", "axis", "", {}},
    {"arg_max", "axis", "", {}},
    {"arg_min", "axis", "", {}},
    {"reduce_*", "", "axes", {}},
};

bool matches(std::string_view pattern, std::string_view op) {
  if (!pattern.ends_with('*')) return pattern == op;
  return op.starts_with(pattern.substr(0, pattern.size() - 1));
}

const AxisRow* axis_row(std::string_view op) {
  const auto row = std::ranges::find_if(
      kAxisRows, [&](const AxisRow& r) { return matches(r.op, op); });
  return row == std::end(kAxisRows) ? nullptr : row;
}

bool is_elementwise(const Node& node) {
  const OpDef* op = find_op(node.op);
  return op != nullptr && op->is_elementwise;
}

// Axes that the node reduces, in the numbering of its input.
std::vector<int64_t> reduced_axes(const Node& node, const AxisRow& row) {
  if (!row.axes.empty()) return node.attrs.get_ints(row.axes);
  return {node.attrs.get_int(row.axis)};
}

// Attributes must have the form that the header states before they are permuted.
bool has_whole_attributes(const Node& node, const AxisRow& row, size_t rank) {
  const auto in_range = [&](int64_t a) { return a >= 0 && a < static_cast<int64_t>(rank); };
  if (!row.axis.empty() && !in_range(node.attrs.get_int(row.axis, -1))) return false;
  if (!row.axes.empty() &&
      !(node.attrs.has(row.axes) && std::ranges::all_of(node.attrs.get_ints(row.axes), in_range))) {
    return false;
  }
  return std::ranges::all_of(row.lists, [&](std::string_view name) {
    return name.empty() || node.attrs.get_ints(name).size() == rank;
  });
}

// Every activation has the rank and one scale at most; constants can be brought to the rank.
bool operands_fit(const Editor& editor, const Node& node, size_t rank, bool elementwise) {
  const auto fits = [&](TensorId id) {
    if (id == kNoTensor) return true;
    const TensorType& type = editor.type(id);
    if (type.quant.scale.size() > 1) return false;
    if (editor.tensor(id).is_constant() && elementwise) {
      return type.dims.size() <= rank && bits_of(type.dtype) >= 8;
    }
    return type.dims.size() == rank;
  };
  return std::ranges::all_of(node.inputs, fits) && std::ranges::all_of(node.outputs, fits);
}

// Number of leading axes that a flatten keeps apart from the ones it joins; nullopt where the
// reshape of `in` to rows of `columns` is none.
std::optional<size_t> leading_axes(const Dims& in, int64_t columns) {
  int64_t joined = 1;
  for (size_t s = in.size(); s-- > 0;) {
    joined *= in[s];
    if (joined != columns) continue;
    while (s > 0 && in[s - 1] == 1) --s;
    return s;
  }
  return std::nullopt;
}

bool keeps_leading(const Perm& perm, size_t leading) {
  for (size_t i = 0; i < leading; ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// The reshape joins axes into the columns of fully connected layers whose weights can follow.
bool is_flatten_for_dense(const Editor& editor, const Node& node, const Perm& perm) {
  const TensorId out = node.outputs[0];
  const Dims& in = editor.type(node.inputs[0]).dims;
  if (editor.is_output(out) || editor.readers(out).empty() || editor.type(out).dims.empty()) {
    return false;
  }
  const int64_t columns = editor.type(out).dims.back();
  const auto leading = leading_axes(in, columns);
  if (!leading || !keeps_leading(perm, *leading)) return false;
  if (in.size() - *leading + 1 > NK_MAX_RANK) return false;  // the weights, taken apart
  return std::ranges::all_of(editor.readers(out), [&](int n) {
    const Node& dense = editor.node(n);
    if (dense.op != "fully_connected" || dense.inputs.size() < 2) return false;
    if (dense.inputs[0] != out || dense.inputs[1] == kNoTensor || dense.inputs[1] == out) {
      return false;
    }
    const Tensor& w = editor.tensor(dense.inputs[1]);
    return w.is_constant() && w.type.dims.size() == 2 && w.type.dims[1] == columns &&
           bits_of(w.type.dtype) >= 8;
  });
}

// A constant with its axes permuted, through the transpose operator itself.
Result<TensorId> permuted_constant(Editor& editor, TensorId id, const Dims& dims,
                                   const Perm& perm) {
  const Tensor& tensor = editor.tensor(id);
  const TensorType type{tensor.type.dtype, permuted(dims, perm), tensor.type.quant};
  const std::string name = tensor.name;
  if (moves_nothing(dims, perm)) return editor.add_tensor(name, type, tensor.data);
  Graph graph;
  const TensorId from = graph.add_tensor(name, {type.dtype, dims, type.quant}, tensor.data);
  const TensorId to = graph.add_tensor(name, type);
  Attrs attrs;
  attrs.set("perm", perm);
  const Node node{"transpose", name, {from}, {to}, std::move(attrs)};
  NK_ASSIGN(const auto values,
            evaluate_constant(graph, node, 2 * static_cast<int64_t>(tensor.data.size()) + 64));
  return editor.add_tensor(name, type, values[0]);
}

Result<void> permute_columns(Editor& editor, int reshape, const Perm& perm) {
  const TensorId out = editor.node(reshape).outputs[0];
  // The reshape reads the permuted tensor already; this is what it read before.
  const Dims in = permuted(editor.type(editor.node(reshape).inputs[0]).dims, inverse_of(perm));
  const size_t leading = *leading_axes(in, editor.type(out).dims.back());
  for (const int n : editor.readers(out)) {
    const TensorId w = editor.node(n).inputs[1];
    Dims split = {editor.type(w).dims[0]};
    Perm order = {0};
    for (size_t i = leading; i < in.size(); ++i) {
      split.push_back(in[i]);
      order.push_back(perm[i] - static_cast<int64_t>(leading) + 1);
    }
    const TensorType type = editor.type(w);
    NK_ASSIGN(const TensorId moved, permuted_constant(editor, w, split, order));
    editor.set_type(moved, type);
    editor.set_input(n, 1, moved);
  }
  return {};
}

void permute_attributes(Editor& editor, int n, const AxisRow& row, const Perm& perm) {
  const Attrs attrs = editor.node(n).attrs;
  const Perm inverse = inverse_of(perm);
  const auto moved = [&](int64_t axis) { return inverse[static_cast<size_t>(axis)]; };
  if (!row.axis.empty()) {
    editor.set_attr(n, std::string(row.axis), moved(attrs.get_int(row.axis)));
  }
  if (!row.axes.empty()) {
    std::vector<int64_t> axes = attrs.get_ints(row.axes);
    std::ranges::transform(axes, axes.begin(), moved);
    std::ranges::sort(axes);
    editor.set_attr(n, std::string(row.axes), axes);
  }
  for (const std::string_view name : row.lists) {
    if (!name.empty()) editor.set_attr(n, std::string(name), permuted(attrs.get_ints(name), perm));
  }
}

}  // namespace

Perm inverse_of(const Perm& perm) {
  Perm inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

Dims permuted(const Dims& dims, const Perm& perm) {
  Dims out;
  for (const int64_t axis : perm) out.push_back(dims[static_cast<size_t>(axis)]);
  return out;
}

LayoutRole layout_role(const Editor& editor, int n, const Perm& perm) {
  const Node& node = editor.node(n);
  if (node.inputs.empty() || node.inputs[0] == kNoTensor) return LayoutRole::kFixed;
  if (is_elementwise(node)) {
    return operands_fit(editor, node, perm.size(), true) ? LayoutRole::kBoth : LayoutRole::kFixed;
  }
  const Dims& in = editor.type(node.inputs[0]).dims;
  if (in.size() != perm.size() || node.outputs.size() != 1) return LayoutRole::kFixed;
  if (node.op == "reshape") {
    return is_flatten_for_dense(editor, node, perm) ? LayoutRole::kSink : LayoutRole::kFixed;
  }
  const AxisRow* row = axis_row(node.op);
  if (row == nullptr || !has_whole_attributes(node, *row, perm.size())) return LayoutRole::kFixed;
  if (operands_fit(editor, node, perm.size(), false)) return LayoutRole::kBoth;
  // A reduction that drops its axes: what stays must come in the same order.
  const bool reduces = node.op.starts_with("reduce_") || node.op.starts_with("arg_");
  if (!reduces || node.inputs.size() != 1) return LayoutRole::kFixed;
  Dims kept = in;
  for (const int64_t axis : reduced_axes(node, *row)) kept[static_cast<size_t>(axis)] = 1;
  return moves_nothing(kept, perm) ? LayoutRole::kSink : LayoutRole::kFixed;
}

Result<void> permute_node(Editor& editor, int n, const Perm& perm) {
  if (editor.node(n).op == "reshape") return permute_columns(editor, n, perm);
  if (const AxisRow* row = axis_row(editor.node(n).op)) permute_attributes(editor, n, *row, perm);
  const std::vector<TensorId> inputs = editor.node(n).inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == kNoTensor || !editor.tensor(inputs[i]).is_constant()) continue;
    Dims dims = editor.type(inputs[i]).dims;
    if (dims.empty()) continue;
    dims.insert(dims.begin(), perm.size() - dims.size(), 1);
    NK_ASSIGN(const TensorId moved, permuted_constant(editor, inputs[i], dims, perm));
    editor.set_input(n, i, moved);
  }
  return {};
}

}  // namespace netkit
