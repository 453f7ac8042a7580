// SPDX-License-Identifier: MIT
// Constant weights of a node, element by element: which channels each belongs to.
#pragma once

#include <optional>

#include "compiler/ir/op_def.h"

namespace netkit {

// The weights of a node whose operator has QuantRule::kWeighted, element by element.
class WeightLayout {
 public:
  // Nothing where the node has no weights, or weights or bias are no float32 constants.
  static std::optional<WeightLayout> of(const Graph& graph, const Node& node);

  size_t out_channels() const { return out_channels_; }
  size_t in_channels() const { return in_channels_; }
  size_t size() const { return size_; }
  int channel_axis() const { return axis_; }
  bool depthwise() const { return depthwise_; }
  // Of element i: the channel of the result that it counts to, and of the input that it multiplies.
  size_t out_channel(size_t i) const { return i / inner_ % out_channels_; }
  size_t in_channel(size_t i) const;

 private:
  size_t size_ = 0, inner_ = 1, out_channels_ = 1, in_channels_ = 1, last_ = 1, groups_ = 1;
  int axis_ = 0;
  bool depthwise_ = false;  // the channel axis is the last: no element is shared by inputs
};

}  // namespace netkit
