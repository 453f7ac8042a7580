// SPDX-License-Identifier: MIT
// Constants of the DSP, Helium and scalar rows, packed on the host: words of weights (layout
// pairs2, arm/dsp_dot.h), blocks of them (blocks2, arm/mve_dot.h), taps (dwconv2d/planar.h), the
// table of channels (arm/dsp_requantize.h). Host only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/ir/op_def.h"

namespace netkit {

// int8 weights of out_c channels: those of channel c stand at c * channel_stride + k * stride for
// k in [0, count).
struct ChannelWeights {
  std::span<const int8_t> values;
  int64_t channels = 0, count = 0, channel_stride = 0, stride = 0;

  size_t index(int64_t channel, int64_t k) const {
    return static_cast<size_t>(channel * channel_stride + k * stride);
  }
  int32_t at(int64_t channel, int64_t k) const { return values[index(channel, k)]; }
};

// Whether nk_weighted.narrow_weights may be 1.
bool are_narrow(const ChannelWeights& weights);

// pairs2 of narrow weights; each of `rows` equal parts of a channel begins a new four.
std::vector<int32_t> pack_pairs2(const ChannelWeights& weights, int64_t rows);

// taps4 (dwconv2d/arm/dwconv2d_dsp.h): a channel's kernel is `rows` equal parts.
std::vector<int8_t> pack_taps4(const ChannelWeights& weights, int64_t rows);

// bias [channels], multiplier and shift [channels] or [1].
struct ChannelScales {
  std::span<const int32_t> bias, multiplier, shift;
};
struct ChannelOffsets {
  int32_t input_offset = 0, output_offset = 0;
};

// Weights in their places and the table. A channel whose output is the same for every input (a
// trained network has dead ones, with scales beyond the short way) gets weights of 0 and a bias and
// scale that give this output the short way.
struct DspChannels {
  std::vector<int8_t> weights;
  std::vector<int32_t> table;
};
DspChannels dsp_channels(const ChannelWeights& weights, const ChannelScales& scales,
                         const ChannelOffsets& offsets);

// x, weights and table as step arguments. `args` are the reference row's (weighted_args), weights
// and bias constants; `pack` makes the weights' constant of those that dsp_channels gave.
std::vector<StepArg> dsp_args(const Graph& graph, const ChannelWeights& weights,
                              const std::vector<StepArg>& args, const ChannelOffsets& offsets,
                              const std::function<StepArg(const ChannelWeights&)>& pack);
// Layout blocks2 (arm/mve_dot.h).
StepArg blocks2(const ChannelWeights& weights);

// Columns of taps (dwconv2d/arm/dwconv2d_mve.h): tap k of part r of a channel's `rows` equal parts
// stands at k * height + r of the channel's whole vectors; upright: at r * height + k.
struct TapColumns {
  int64_t rows = 0, height = 0;
  bool upright = false;
};
StepArg tap_columns(const ChannelWeights& weights, const TapColumns& layout);

// The weights where they stand, for rows with the layout of the node.
StepArg unpacked(const ChannelWeights& weights);

}  // namespace netkit
