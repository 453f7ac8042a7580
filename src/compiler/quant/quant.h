// SPDX-License-Identifier: MIT
// quant: a float32 network with sample inputs → the same network on int8 (or, node by node, int16)
// activations and int8 weights, and how far it is from the first. Graph → Graph.
// Affine per tensor for activations, symmetric per output channel for weights (docs/quantiser.md).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/ir/graph.h"

namespace netkit::quant {

// How the range of an activation follows from what the samples showed.
enum class RangeMethod {
  kMinMax,      // everything seen
  kPercentile,  // but for the rarest values at both ends
  kMse,         // the least mean square of clipping and rounding errors
  kEntropy,     // the least Kullback-Leibler divergence of the quantised distribution
};
std::string_view name_of(RangeMethod method);
const RangeMethod* range_method(std::string_view name);  // nullptr for an unknown name

enum class Mode : uint8_t { kFloat, kInt8, kInt16 };
std::string_view name_of(Mode mode);

struct Options {
  RangeMethod method = RangeMethod::kMinMax;
  double percentile = 99.99;  // of the values inside the range, above 50 to 100
  bool equalise = true;       // cross-layer equalisation, kept where it helps
  bool correct_bias = true;
  bool float_io = false;                // inputs and outputs stay float32
  std::vector<std::string> keep_float;  // nodes by their names or the names of what they make
  std::vector<std::string> int16;
  // Nodes go to int16, or stay float where there is no such kernel, worst first, until no more
  // than this share of the samples changes its answer; below 0: off.
  double max_drop = -1.0;
};

// One run's inputs: float32 in the order and layout of the graph's own inputs, without states.
// State carries over from one sample to the next.
using Sample = std::vector<ConstData>;

using Progress = std::function<void(std::string_view what, double done)>;

// One node that makes a float32 tensor.
struct Layer {
  std::string name, op;  // the node's, or of what it makes where it has no name
  Mode mode = Mode::kFloat;
  std::string why;        // a float one: why; else empty
  double lo = 0, hi = 0;  // of the values seen
  double scale = 0;       // of the result; 0: not quantised
  int64_t zero_point = 0;
  double clipped = 0;  // share of the values outside what the result can hold
  double sqnr_db = 0;  // of the result against the float network's, all errors before it inside
};

struct Report {
  size_t samples = 0;
  bool equalised = false;
  std::vector<Layer> layers;
  int first_fall = -1;  // the first layer with less than kFallDb; -1: none
  double output_sqnr_db = 0;
  double agreement = 1;      // share of samples and output rows with the same greatest element
  bool has_classes = false;  // an output has rows of several elements
};
inline constexpr double kFallDb = 20.0;
inline constexpr double kMaxDb = 200.0;  // stands for no error at all

struct Quantised {
  Graph graph;
  Report report;
};

// The graph as the passes left it, each sample with as many inputs as it has, of their sizes.
// Errors: kUsage for a name in `options` that no node has; kInput where there is nothing to
// quantise, no sample, or a value that is not finite.
Result<Quantised> quantise(const Graph& graph, std::span<const Sample> samples,
                           const Options& options, const Progress& progress);

}  // namespace netkit::quant
