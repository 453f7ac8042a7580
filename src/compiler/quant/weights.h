// SPDX-License-Identifier: MIT
// Weights and bias of one node in int8.
#pragma once

#include <vector>

#include "compiler/eval/weight_layout.h"
#include "compiler/quant/quant.h"

namespace netkit::quant {

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
