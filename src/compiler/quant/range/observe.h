// SPDX-License-Identifier: MIT
// What the samples show of every float32 activation: least and greatest value, a histogram, and per
// channel (last axis) the mean and the greatest magnitude.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "compiler/quant/quant.h"

namespace netkit::quant {

inline constexpr int kBins = 2048;

// A value and how often it was seen.
struct Atom {
  double value = 0;
  uint64_t count = 0;
};

struct Observed {
  double lo = 0, hi = 0;            // nothing seen: lo > hi
  std::vector<uint64_t> histogram;  // kBins from lo to hi; empty where lo == hi or not asked for
  std::array<Atom, 3> atoms;        // 0, lo and hi: what a clamp makes many of (with the histogram)
  std::vector<double> channel_mean, channel_peak;
  bool seen() const { return lo <= hi; }
};

// float32 elements of a value.
std::span<const float> floats(const ConstData& data);

// Runs a graph again and again, carrying its states.
class Runner {
 public:
  explicit Runner(const Graph& graph) : graph_(graph) {}
  // The values of all tensors, by their numbers. One input for each of the model's own.
  Result<std::vector<ConstData>> run(const Sample& inputs);

 private:
  const Graph& graph_;
  std::vector<ConstData> states_;  // empty before the first run
};

// One per tensor of the graph.
Result<std::vector<Observed>> observe(const Graph& graph, std::span<const Sample> samples,
                                      bool histograms, const Progress& progress);

}  // namespace netkit::quant
