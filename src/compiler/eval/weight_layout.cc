// SPDX-License-Identifier: MIT
#include "compiler/eval/weight_layout.h"

#include <algorithm>

namespace netkit {
namespace {

bool is_float_constant(const Graph& graph, const Node& node, size_t i) {
  if (node.inputs[i] == kNoTensor) return false;
  const Tensor& tensor = graph.tensor(node.inputs[i]);
  return tensor.is_constant() && tensor.type.dtype == NK_FLOAT32;
}

}  // namespace

std::optional<WeightLayout> WeightLayout::of(const Graph& graph, const Node& node) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr || op->quant.rule != QuantRule::kWeighted) return std::nullopt;
  if (node.inputs.size() < 2 || node.inputs[0] == kNoTensor || !is_float_constant(graph, node, 1))
    return std::nullopt;
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != kNoTensor;
  if (has_bias && !is_float_constant(graph, node, 2)) return std::nullopt;
  const Dims& dims = graph.tensor(node.inputs[1]).type.dims;
  const Dims& x = graph.tensor(node.inputs[0]).type.dims;
  WeightLayout layout;
  layout.axis_ = op->quant.channel_axis;
  const auto axis = static_cast<size_t>(layout.axis_);
  if (axis >= dims.size() || x.empty()) return std::nullopt;
  layout.size_ = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    layout.size_ *= static_cast<size_t>(dims[i]);
    if (i > axis) layout.inner_ *= static_cast<size_t>(dims[i]);
  }
  layout.out_channels_ = static_cast<size_t>(dims[axis]);
  layout.in_channels_ = static_cast<size_t>(x.back());
  layout.last_ = static_cast<size_t>(dims.back());
  layout.groups_ = static_cast<size_t>(node.attrs.get_int("groups", 1));
  layout.depthwise_ = axis + 1 == dims.size();
  if (layout.size_ == 0 || layout.in_channels_ == 0) return std::nullopt;
  return layout;
}

size_t WeightLayout::in_channel(size_t i) const {
  const size_t out = out_channel(i);
  if (depthwise_) return out / std::max<size_t>(1, out_channels_ / in_channels_);
  return (out / (out_channels_ / groups_) * last_ + i % last_) % in_channels_;
}

}  // namespace netkit
