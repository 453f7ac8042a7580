// SPDX-License-Identifier: MIT
#include "compiler/eval/fold.h"

#include <algorithm>

namespace netkit {
namespace {

constexpr int64_t kMaxFoldBytes = int64_t{1} << 26;
constexpr uint64_t kMaxFoldMacs = uint64_t{1} << 28;

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
  return values ? std::move(*values) : std::vector<ConstData>{};
}

}  // namespace netkit
