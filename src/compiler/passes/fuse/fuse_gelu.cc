// SPDX-License-Identifier: MIT
// GELU as exporters write it: a product of x, one half and 1 + erf(x / sqrt 2), in any order.
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "compiler/ir/const_values.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"

namespace netkit {
namespace {

constexpr double kTolerance = 1e-6;  // relative; exporters round the constants to float

bool is_near(double value, double expected) {
  return std::abs(value - expected) <= kTolerance * std::abs(expected);
}

std::optional<double> scalar(const Editor& editor, TensorId id) {
  const auto values = floats_of(editor.tensor(id));
  return values && values->size() == 1 ? std::optional((*values)[0]) : std::nullopt;
}

bool is_plain_binary(const Node& node, std::string_view op) {
  return node.op == op && node.inputs.size() == 2 && node.inputs[0] != kNoTensor &&
         node.inputs[1] != kNoTensor && node.attrs.get_string("activation", "none") == "none";
}

// The other operand where one of `op`'s two is the constant `value`.
TensorId operand_beside(const Editor& editor, int n, std::string_view op, double value) {
  if (n < 0 || !is_plain_binary(editor.node(n), op)) return kNoTensor;
  const Node& node = editor.node(n);
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (op == "div" && i == 0) continue;  // the divisor is the constant
    const auto c = scalar(editor, node.inputs[i]);
    if (c && is_near(*c, value)) return node.inputs[1 - i];
  }
  return kNoTensor;
}

// x where t is 1 + erf(x / sqrt 2).
TensorId inside_of_gate(const Editor& editor, TensorId t) {
  const TensorId e = operand_beside(editor, editor.producer(t), "add", 1.0);
  const int erf = editor.producer_of(e, "erf");
  if (erf < 0) return kNoTensor;
  const int scaled = editor.producer(editor.node(erf).inputs[0]);
  const TensorId divided = operand_beside(editor, scaled, "div", std::numbers::sqrt2);
  if (divided != kNoTensor) return divided;
  return operand_beside(editor, scaled, "mul", 1.0 / std::numbers::sqrt2);
}

// Factors of the product that node n computes, through at most `depth` inner products.
void factors_of(const Editor& editor, int n, int depth, std::vector<TensorId>& out) {
  for (const TensorId id : editor.node(n).inputs) {
    const int maker = editor.producer(id);
    if (depth > 0 && maker >= 0 && is_plain_binary(editor.node(maker), "mul")) {
      factors_of(editor, maker, depth - 1, out);
    } else {
      out.push_back(id);
    }
  }
}

// x where node n computes gelu(x).
TensorId gelu_input(const Editor& editor, int n) {
  const Node& node = editor.node(n);
  if (!is_plain_binary(node, "mul") || editor.type(node.outputs[0]).dtype != NK_FLOAT32) {
    return kNoTensor;
  }
  std::vector<TensorId> factors;
  factors_of(editor, n, 1, factors);
  if (factors.size() != 3) return kNoTensor;
  for (size_t gate = 0; gate < 3; ++gate) {
    const TensorId x = inside_of_gate(editor, factors[gate]);
    if (x == kNoTensor || editor.type(x) != editor.type(node.outputs[0])) continue;
    const TensorId a = factors[(gate + 1) % 3], b = factors[(gate + 2) % 3];
    const auto half_a = scalar(editor, a), half_b = scalar(editor, b);
    if (a == x && half_b && is_near(*half_b, 0.5)) return x;
    if (b == x && half_a && is_near(*half_a, 0.5)) return x;
  }
  return kNoTensor;
}

}  // namespace

Result<Graph> fuse_gelu(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    if (!editor.alive(n)) continue;
    const TensorId x = gelu_input(editor, n);
    if (x == kNoTensor) continue;
    const Node node = editor.node(n);
    editor.erase(n);
    editor.add_node({"gelu", node.name, {x}, node.outputs, {}}, n);
  }
  return editor.finish();
}

}  // namespace netkit
