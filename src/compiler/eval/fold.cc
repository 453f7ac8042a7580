// SPDX-License-Identifier: MIT
#include "compiler/eval/fold.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace netkit {
namespace {

constexpr int64_t kMaxFoldBytes = int64_t{1} << 26;
constexpr uint64_t kMaxFoldMacs = uint64_t{1} << 28;

// The type of integers whose elements are moved as `node` does; nullopt where their scales do not
// follow.
std::optional<TensorType> moved_type(const Graph& graph, const Node& node, const TensorType& from) {
  TensorType to{from.dtype, graph.tensor(node.outputs[0]).type.dims, from.quant};
  if (from.quant.scale.size() == 1) return to;
  const auto axis = static_cast<size_t>(from.quant.axis);
  if (node.op == "transpose") {
    const auto& perm = node.attrs.get_ints("perm");
    to.quant.axis =
        static_cast<int>(std::ranges::find(perm, static_cast<int64_t>(axis)) - perm.begin());
    return to;
  }
  // Row-major: the axis stays one where as many elements stand before it, and as many of it.
  size_t at = 0;
  int64_t before = 1, outer = 1;
  for (size_t i = 0; i < axis; ++i) outer *= from.dims[i];
  while (at < to.dims.size() && (before < outer || to.dims[at] == 1)) before *= to.dims[at++];
  if (before != outer || at == to.dims.size() || to.dims[at] != from.dims[axis]) return {};
  to.quant.axis = static_cast<int>(at);
  return to;
}

// The integers behind the float32 value that `node` made, where there are some.
std::shared_ptr<const Dequantised> integers_of(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 1 || node.outputs.size() != 1) return nullptr;
  const Tensor& x = graph.tensor(node.inputs[0]);
  if (node.op == "dequantize") return std::make_shared<Dequantised>(x.type, x.data);
  const Dequantised* from = x.data.integers();
  if (from == nullptr || !moves_only(node)) return nullptr;
  const auto type = moved_type(graph, node, from->type);
  if (!type) return nullptr;
  Graph alone;
  const TensorId in = alone.add_tensor("in", from->type, from->data);
  const TensorId out = alone.add_tensor("out", *type);
  auto moved = evaluate_constant(alone, {node.op, node.name, {in}, {out}, node.attrs},
                                 kMaxFoldBytes);
  return moved ? std::make_shared<Dequantised>(*type, (*moved)[0]) : nullptr;
}

}  // namespace

std::vector<ConstData> fold_node(const Graph& graph, const Node& node) {
  const auto present = [](TensorId id) { return id != kNoTensor; };
  const auto open = [&](TensorId id) { return present(id) && !graph.tensor(id).is_constant(); };
  if (std::ranges::none_of(node.inputs, present)) return {};
  if (std::ranges::any_of(node.inputs, open)) return {};
  const OpDef* op = find_op(node.op);
  if (op == nullptr) return {};
  if (op->macs != nullptr && op->macs(graph, node) > kMaxFoldMacs) return {};
  // One repeated element is not written out for a larger sum of inputs than a result may have.
  size_t repeated = 0;
  for (const TensorId id : node.inputs) {
    const bool counts = present(id) && graph.tensor(id).data.element() != nullptr;
    if (counts && !moves_only(node)) repeated += graph.tensor(id).data.size();
  }
  if (repeated > static_cast<size_t>(kMaxFoldBytes)) return {};
  auto values = evaluate_constant(graph, node, kMaxFoldBytes);
  if (!values) return {};
  if (values->size() == 1) (*values)[0].set_integers(integers_of(graph, node));
  return std::move(*values);
}

}  // namespace netkit
