// SPDX-License-Identifier: MIT
// Packed constants of the DSP rows (dsp_pack.h).
#include "ops/common/arm/dsp_pack.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>

#include "ops/common/arm/dsp_requantize.h"
#include "ops/common/arm/mve.h"
#include "ops/common/host/op_helpers.h"

namespace netkit {
namespace {

constexpr int64_t kShortLimit = int64_t{1} << 30;  // of sums that take the short way

int64_t whole_vectors(int64_t bytes) {
  return (bytes + NK_MVE_BYTES - 1) / NK_MVE_BYTES * NK_MVE_BYTES;
}

struct ChannelSums {
  int64_t sum = 0, magnitude = 0;
};

ChannelSums sums_of(const ChannelWeights& weights, int64_t channel) {
  ChannelSums sums;
  for (int64_t k = 0; k < weights.count; ++k) {
    sums.sum += weights.at(channel, k);
    sums.magnitude += std::abs(weights.at(channel, k));
  }
  return sums;
}

struct Scale {
  int32_t multiplier, shift;
};

// The output of a channel that gives the same for every input: sums lie between two ends, and
// requantisation never falls as long as no sum and no left shift can wrap.
std::optional<int32_t> settled_output(int64_t bias, const ChannelSums& sums, const Scale& scale,
                                      int32_t output_offset) {
  const int64_t lo = bias - 128 * sums.magnitude, hi = bias + 128 * sums.magnitude;
  if (scale.shift > 0 || lo < INT32_MIN || hi > INT32_MAX) return std::nullopt;
  const auto output = [&](int64_t acc) {
    return nk_requantize(static_cast<int32_t>(acc), scale.multiplier, scale.shift, output_offset,
                         INT8_MIN, INT8_MAX);
  };
  const int32_t least = output(lo);
  return least == output(hi) ? std::optional(least) : std::nullopt;
}

std::vector<int32_t> int32_values(const Graph& graph, const StepArg& arg) {
  const ConstData& data = arg.constant != nullptr ? arg.constant : graph.tensor(arg.tensor).data;
  std::vector<int32_t> values(data->size() / sizeof(int32_t));
  if (!values.empty()) std::memcpy(values.data(), data->data(), data->size());
  return values;
}

}  // namespace

bool are_narrow(const ChannelWeights& weights) {
  for (int64_t c = 0; c < weights.channels; ++c) {
    for (int64_t k = 0; k < weights.count; ++k) {
      if (weights.at(c, k) == INT8_MIN) return false;
    }
    if (sums_of(weights, c).magnitude > NK_NARROW_SUM) return false;
  }
  return true;
}

std::vector<int32_t> pack_pairs2(const ChannelWeights& weights, int64_t rows) {
  const int64_t row = weights.count / rows;
  std::vector<int32_t> words;
  for (int64_t c = 0; c < weights.channels; c += 2) {
    const auto half = [&](int64_t r, int64_t k) -> uint32_t {
      if (k >= row) return 0;
      const int32_t low = weights.at(c, r * row + k);
      const int32_t high = c + 1 < weights.channels ? weights.at(c + 1, r * row + k) : 0;
      return static_cast<uint32_t>(256 * high + low) & 0xFFFFu;
    };
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < row; k += 4) {
        for (const int64_t first : {k, k + 1}) {
          words.push_back(static_cast<int32_t>(half(r, first) | half(r, first + 2) << 16));
        }
      }
    }
  }
  return words;
}

std::vector<int8_t> pack_taps4(const ChannelWeights& weights, int64_t rows) {
  const int64_t row = weights.count / rows;
  const auto tap = [&](int64_t c, int64_t r, int64_t k) -> int8_t {
    if (row == 3 && k == 3) k = 1;
    return static_cast<int8_t>(k < row ? weights.at(c, r * row + k) : 0);
  };
  std::vector<int8_t> taps;
  for (int64_t c = 0; c < weights.channels; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < row; k += 4) {
        for (const int64_t at : {k, k + 2, k + 1, k + 3}) taps.push_back(tap(c, r, at));
      }
    }
  }
  return taps;
}

DspChannels dsp_channels(const ChannelWeights& weights, const ChannelScales& scales,
                         const ChannelOffsets& offsets) {
  DspChannels out{{weights.values.begin(), weights.values.end()}, {}};
  for (int64_t c = 0; c < weights.channels; ++c) {
    const size_t q = scales.shift.size() > 1 ? static_cast<size_t>(c) : 0;
    const ChannelSums sums = sums_of(weights, c);
    const int64_t bias = scales.bias[static_cast<size_t>(c)] + offsets.input_offset * sums.sum;
    const Scale scale{scales.multiplier[q], scales.shift[q]};
    if (const auto settled = settled_output(bias, sums, scale, offsets.output_offset)) {
      for (int64_t k = 0; k < weights.count; ++k) out.weights[weights.index(c, k)] = 0;
      // A half by the multiplier and a half by the shift: a quarter, without a rest.
      const int32_t quarter[] = {4 * (*settled - offsets.output_offset), 1 << 30, 1};
      out.table.insert(out.table.end(), std::begin(quarter), std::end(quarter));
      continue;
    }
    const bool is_short = std::abs(bias) + 128 * sums.magnitude < kShortLimit && scale.shift < 0 &&
                          -scale.shift <= NK_DSP_MAX_SHIFT;
    out.table.push_back(static_cast<int32_t>(static_cast<uint32_t>(bias)));
    out.table.push_back(scale.multiplier);
    out.table.push_back(is_short ? -scale.shift : scale.shift + NK_DSP_ANY_SHIFT);
  }
  return out;
}

std::vector<StepArg> dsp_args(const Graph& graph, const ChannelWeights& weights,
                              const std::vector<StepArg>& args, const ChannelOffsets& offsets,
                              const std::function<StepArg(const ChannelWeights&)>& pack) {
  const std::vector<int32_t> bias = int32_values(graph, args[2]);
  const std::vector<int32_t> multiplier = int32_values(graph, args[3]);
  const std::vector<int32_t> shift = int32_values(graph, args[4]);
  const DspChannels channels = dsp_channels(weights, {bias, multiplier, shift}, offsets);
  ChannelWeights settled = weights;
  settled.values = channels.weights;
  StepArg packed = pack(settled);
  packed.label = "weights";
  return {args[0],
          std::move(packed),
          {kNoTensor, constant_of(channels.table), NK_INT32, 4, "channels"}};
}

StepArg blocks2(const ChannelWeights& weights) {
  const int64_t bytes = whole_vectors(weights.count);
  std::vector<int8_t> blocks;
  for (int64_t c = 0; c < weights.channels; c += 2) {
    for (int64_t block = 0; block < bytes; block += NK_MVE_BYTES) {
      for (const int64_t channel : {c, c + 1}) {
        for (int64_t k = block; k < block + NK_MVE_BYTES; ++k) {
          const bool inside = channel < weights.channels && k < weights.count;
          blocks.push_back(inside ? static_cast<int8_t>(weights.at(channel, k)) : int8_t{0});
        }
      }
    }
  }
  return {kNoTensor, constant_of(blocks), NK_INT8, NK_MVE_BYTES, {}};
}

StepArg tap_columns(const ChannelWeights& weights, const TapColumns& layout) {
  const int64_t width = weights.count / layout.rows;
  const int64_t bytes = whole_vectors((layout.upright ? layout.rows : width) * layout.height);
  std::vector<int8_t> taps(static_cast<size_t>(weights.channels * bytes), 0);
  for (int64_t c = 0; c < weights.channels; ++c) {
    for (int64_t k = 0; k < weights.count; ++k) {
      const int64_t row = k / width, column = k % width;
      const int64_t at =
          layout.upright ? row * layout.height + column : column * layout.height + row;
      taps[static_cast<size_t>(c * bytes + at)] = static_cast<int8_t>(weights.at(c, k));
    }
  }
  return {kNoTensor, constant_of(taps), NK_INT8, NK_MVE_BYTES, {}};
}

StepArg unpacked(const ChannelWeights& weights) {
  const std::vector<int8_t> values(weights.values.begin(), weights.values.end());
  return {kNoTensor, constant_of(values), NK_INT8, 4, {}};
}

}  // namespace netkit
