// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "compiler/ir/const_values.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/simplify/simplify.h"

namespace netkit {
namespace {

using Check = bool (*)(const Editor& editor, const Node& node);

bool always(const Editor&, const Node&) { return true; }

bool all_equal(const std::vector<int64_t>& values, int64_t to) {
  return std::ranges::all_of(values, [&](int64_t v) { return v == to; });
}

bool keeps_order(const Editor& editor, const Node& node) {
  return moves_nothing(editor.type(node.inputs[0]).dims, node.attrs.get_ints("perm"));
}

bool pads_nothing(const Editor&, const Node& node) {
  return all_equal(node.attrs.get_ints("before"), 0) && all_equal(node.attrs.get_ints("after"), 0);
}

bool slices_all(const Editor&, const Node& node) {
  return all_equal(node.attrs.get_ints("starts"), 0) && all_equal(node.attrs.get_ints("steps"), 1);
}

bool has_no_bounds(const Editor&, const Node& node) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return node.attrs.get_float("min", -kInfinity) == -kInfinity &&
         node.attrs.get_float("max", kInfinity) == kInfinity;
}

bool has_one_input(const Editor&, const Node& node) { return node.inputs.size() == 1; }

bool repeats_itself(const Editor& editor, const Node& node) {
  return editor.producer_of(node.inputs[0], node.op) >= 0;
}

bool is_unactivated(const Node& node) {
  return node.attrs.get_string("activation", "none") == "none";
}

// The second operand is the float constant `neutral` throughout.
bool has_neutral(const Editor& editor, const Node& node, double neutral) {
  if (!is_unactivated(node) || editor.type(node.inputs[0]).dtype != NK_FLOAT32) return false;
  const auto values = floats_of(editor.tensor(node.inputs[1]));
  return values && std::ranges::all_of(*values, [&](double v) { return v == neutral; });
}
bool adds_zero(const Editor& e, const Node& n) { return has_neutral(e, n, 0.0); }
bool times_one(const Editor& e, const Node& n) { return has_neutral(e, n, 1.0); }

// Operators that can be identities, where their output has the type of their first input.
constexpr struct {
  std::string_view op;
  size_t inputs;  // that must be there
  Check check;
} kChecks[] = {
    {"copy", 1, always},         {"reshape", 1, always},     {"transpose", 1, keeps_order},
    {"pad", 1, pads_nothing},    {"slice", 1, slices_all},   {"expand", 1, always},
    {"tile", 1, always},         {"requantize", 1, always},  {"cast", 1, always},
    {"clip", 1, has_no_bounds},  {"concat", 1, has_one_input}, {"relu", 1, repeats_itself},
    {"relu6", 1, repeats_itself}, {"add", 2, adds_zero},     {"sub", 2, adds_zero},
    {"mul", 2, times_one},       {"div", 2, times_one},
};

bool is_identity(const Editor& editor, const Node& node) {
  const auto row = std::ranges::find(kChecks, node.op, [](const auto& r) { return r.op; });
  if (row == std::end(kChecks) || node.inputs.size() < row->inputs) return false;
  if (node.outputs.size() != 1) return false;
  for (size_t i = 0; i < row->inputs; ++i) {
    if (node.inputs[i] == kNoTensor) return false;
  }
  return editor.type(node.inputs[0]) == editor.type(node.outputs[0]) && row->check(editor, node);
}

}  // namespace

Result<Graph> remove_identities(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    if (!editor.alive(n) || !is_identity(editor, editor.node(n))) continue;
    const TensorId from = editor.node(n).outputs[0], to = editor.node(n).inputs[0];
    const bool stands_alone =
        !editor.is_input(to) && !editor.is_output(to) && !editor.tensor(to).is_constant();
    if (editor.is_output(from) && !stands_alone) continue;  // it makes the output's own memory
    editor.redirect(from, to);
    editor.erase(n);
  }
  return editor.finish();
}

}  // namespace netkit
