// SPDX-License-Identifier: MIT
// Weights and bias of one node: which channels an element belongs to, and their int8 form.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/op_def.h"
#include "compiler/quant/quant.h"

namespace netkit::quant {

// The weights of a node whose operator has QuantRule::kWeighted, element by element.
class WeightLayout {
 public:
  // Nothing where weights or bias are no float32 constants.
  static std::optional<WeightLayout> of(const Graph& graph, const Node& node);

  size_t out_channels() const { return out_channels_; }
  size_t in_channels() const { return in_channels_; }
  size_t size() const { return size_; }
  int channel_axis() const { return axis_; }
  // Of element i: the channel of the result that it counts to, and of the input that it multiplies.
  size_t out_channel(size_t i) const { return i / inner_ % out_channels_; }
  size_t in_channel(size_t i) const;

 private:
  size_t size_ = 0, inner_ = 1, out_channels_ = 1, in_channels_ = 1, last_ = 1, groups_ = 1;
  int axis_ = 0;
  bool depthwise_ = false;  // the channel axis is the last: no element is shared by inputs
};

struct IntWeights {
  TensorType type, bias_type;  // int8, one scale per channel; int32 or int64
  ConstData weights, bias;     // bias always there
};

// x: the quantised input. `input_mean`: of each input channel of the float network, for the bias
// correction (Nagel et al., "Data-free quantization", 2019, section 4.2); empty: none is made. For
// int8, each channel's scale is as small as its weights allow, and as large as its sums need: no
// sum with a bias leaves int32, whatever the input.
Result<IntWeights> quantise_weights(const Graph& graph, const Node& node,
                                    const WeightLayout& layout, const TensorType& x,
                                    const std::vector<double>& input_mean);

}  // namespace netkit::quant
