// SPDX-License-Identifier: MIT
// Cases of reference rows with their constants packed as the DSP rows want them. Tests only.
#pragma once

#include "ops/common/arm/dsp_pack.h"
#include "ops/common/testing/spatial_check.h"

namespace netkit::check {

// The weights of an s8 case (inputs[1]); they stay alive with it.
template <typename Params>
ChannelWeights case_weights(const KernelCase& c, const Params& p, bool channel_last) {
  ChannelWeights w;
  w.values = {reinterpret_cast<const int8_t*>(c.inputs[1].data()), c.inputs[1].size()};
  w.channels = p.out_c;
  w.count = static_cast<int64_t>(c.inputs[1].size()) / p.out_c;
  w.channel_stride = channel_last ? 1 : w.count;
  w.stride = channel_last ? p.out_c : 1;
  return w;
}

// inputs: x, weights as `pack` makes them of those that dsp_channels gives, table.
template <typename Params, typename Pack>
KernelCase dsp_case(const KernelCase& c, ChannelWeights weights, const Params& p, Pack pack) {
  const auto bias = from_bytes<int32_t>(c.inputs[2]);
  const auto multiplier = from_bytes<int32_t>(c.inputs[3]);
  const auto shift = from_bytes<int32_t>(c.inputs[4]);
  const DspChannels channels =
      dsp_channels(weights, {bias, multiplier, shift}, {p.input_offset, p.output_offset});
  weights.values = channels.weights;
  KernelCase packed = c;
  packed.inputs = {c.inputs[0], pack(weights), to_bytes(channels.table)};
  return packed;
}

inline Bytes as_they_stand(const ChannelWeights& weights) {
  return *unpacked(weights).constant;
}

// An s8 case of window p (sizes, channels and padding set), all values drawn, the weights' zero
// point 0. `taps` of one output channel.
template <typename Params>
KernelCase plain_s8_case(Rng& rng, Params& p, uint64_t seed, size_t taps, bool channel_last) {
  random_weighted(rng, p, false);
  p.filter_offset = 0;
  KernelCase c;
  c.mode_offset = offsetof(Params, mode);
  c.text = fmt::format("seed {}: {}", seed, window_text(p));
  c.out_bytes = out_elems(p);
  c.inputs.push_back(to_bytes(rng.ints<int8_t>(in_elems(p), -128, 127)));
  add_s8_constants(rng, p, taps * static_cast<size_t>(p.out_c), taps, false, c);
  p.narrow_weights = are_narrow(case_weights(c, p, channel_last)) ? 1 : 0;
  c.params = bytes_of(p);
  return c;
}

}  // namespace netkit::check
