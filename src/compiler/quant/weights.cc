// SPDX-License-Identifier: MIT
#include "compiler/quant/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/const_values.h"

namespace netkit::quant {
namespace {

constexpr double kMaxWeight = 127;
constexpr double kMaxSum = std::numeric_limits<int32_t>::max();
constexpr double kMaxInput = 255;  // |int8 - zero point|

// One output channel: its weights' places and what its scale must serve.
struct Channel {
  double peak = 0, bias = 0;
  std::vector<size_t> elements;
};

std::vector<Channel> channels_of(const WeightLayout& layout, const std::vector<double>& weights,
                                 const std::vector<double>& bias) {
  std::vector<Channel> channels(layout.out_channels());
  for (size_t i = 0; i < weights.size(); ++i) {
    Channel& channel = channels[layout.out_channel(i)];
    channel.peak = std::max(channel.peak, std::abs(weights[i]));
    channel.elements.push_back(i);
  }
  for (size_t c = 0; c < bias.size(); ++c) channels[c].bias = bias[c];
  return channels;
}

int64_t rounded(double weight, double scale) {
  return static_cast<int64_t>(std::clamp(std::round(weight / scale), -kMaxWeight, kMaxWeight));
}

double sum_of_magnitudes(const Channel& channel, const std::vector<double>& weights, double scale) {
  double sum = 0;
  for (const size_t i : channel.elements) {
    sum += static_cast<double>(std::abs(rounded(weights[i], scale)));
  }
  return sum;
}

// The least power-of-two multiple of the tightest scale with which every sum fits into int32.
double scale_for(const Channel& channel, const std::vector<double>& weights, double x_scale) {
  double scale = static_cast<float>(channel.peak / kMaxWeight);
  if (scale <= 0) scale = static_cast<float>(1.0 / kMaxWeight);
  // A correction of the bias is half a step per weight and input step at most.
  const double correction = static_cast<double>(channel.elements.size()) * kMaxInput / 2;
  while (sum_of_magnitudes(channel, weights, scale) * kMaxInput + correction +
             std::abs(channel.bias) / (scale * x_scale) >
         kMaxSum) {
    scale *= 2;
  }
  return scale;
}

}  // namespace

Result<IntWeights> quantise_weights(const Graph& graph, const Node& node,
                                    const WeightLayout& layout, const TensorType& x,
                                    const std::vector<double>& input_mean) {
  const Tensor& tensor = graph.tensor(node.inputs[1]);
  const auto weights = floats_of(tensor);
  std::vector<double> bias(layout.out_channels(), 0.0);
  if (node.inputs.size() > 2 && node.inputs[2] != kNoTensor) {
    bias = floats_of(graph.tensor(node.inputs[2])).value_or(bias);
  }
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!weights || !std::ranges::all_of(*weights, finite) || !std::ranges::all_of(bias, finite)) {
    return bad_input("a weight or bias is not finite", fmt::format("{} ({})", node.op, node.name),
                     "--keep-float leaves the layer as it is");
  }
  const double x_scale = x.quant.scale[0];
  const bool wide = x.dtype == NK_INT16;
  std::vector<Channel> channels = channels_of(layout, *weights, bias);
  std::vector<int64_t> values(layout.size()), sums(layout.out_channels());
  Quant quant, bias_quant;
  quant.axis = layout.channel_axis();
  for (size_t c = 0; c < channels.size(); ++c) {
    const double scale = scale_for(channels[c], *weights, wide ? HUGE_VAL : x_scale);
    double error = 0;
    for (const size_t i : channels[c].elements) {
      values[i] = rounded((*weights)[i], scale);
      const double mean = input_mean.empty() ? 0.0 : input_mean[layout.in_channel(i)];
      error += (static_cast<double>(values[i]) * scale - (*weights)[i]) * mean;
    }
    const double steps = std::round((channels[c].bias - error) / (scale * x_scale));
    sums[c] =
        static_cast<int64_t>(std::clamp(steps, wide ? -0x1p46 : -kMaxSum, wide ? 0x1p46 : kMaxSum));
    quant.scale.push_back(static_cast<float>(scale));
    bias_quant.scale.push_back(static_cast<float>(scale * x_scale));
  }
  quant.zero_point.assign(quant.scale.size(), 0);
  bias_quant.zero_point.assign(quant.scale.size(), 0);
  const nk_dtype bias_dtype = wide ? NK_INT64 : NK_INT32;
  return IntWeights{{NK_INT8, tensor.type.dims, std::move(quant)},
                    {bias_dtype, {static_cast<int64_t>(sums.size())}, std::move(bias_quant)},
                    constant_ints(NK_INT8, values),
                    constant_ints(bias_dtype, sums)};
}

}  // namespace netkit::quant
