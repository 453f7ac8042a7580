// SPDX-License-Identifier: MIT
#include "compiler/quant/equalise.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compiler/ir/const_values.h"
#include "compiler/quant/weights.h"

namespace netkit::quant {
namespace {

constexpr int kMaxExponent = 10;  // factors from 2^-10 to 2^10

// f(s * x) = s * f(x) for s > 0, channel by channel.
bool scales_through(const Node& node) {
  static constexpr std::string_view kOps[] = {"relu", "leaky_relu", "max_pool2d", "avg_pool2d",
                                              "pad"};
  if (std::ranges::find(kOps, node.op) == std::end(kOps)) return false;
  const std::string activation = node.attrs.get_string("activation", "none");
  const bool clamped = node.attrs.has("clamp_min") || node.attrs.has("clamp_max");
  return (activation == "none" || activation == "relu") && !clamped &&
         node.attrs.get_float("value", 0.0) == 0.0;
}

bool has_weights(const Node& node) {
  const OpDef* op = find_op(node.op);
  return op != nullptr && op->quant.rule == QuantRule::kWeighted;
}

// Two layers and what lies between them: node numbers.
struct Pair {
  size_t first, second;
};

class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph), uses_(uses_of(graph)) {}

  std::vector<Pair> pairs() const {
    std::vector<Pair> pairs;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (!has_weights(node) || !is_open_above(node)) continue;
      int next = only_reader(node.outputs[0]);
      while (next >= 0 && scales_through(at(next))) next = only_reader(at(next).outputs[0]);
      if (next >= 0 && has_weights(at(next))) pairs.push_back({n, static_cast<size_t>(next)});
    }
    return pairs;
  }

 private:
  const Node& at(int n) const { return graph_.nodes[static_cast<size_t>(n)]; }

  static bool is_open_above(const Node& node) {
    const std::string activation = node.attrs.get_string("activation", "none");
    return (activation == "none" || activation == "relu") && !node.attrs.has("clamp_min") &&
           !node.attrs.has("clamp_max");
  }

  // -1 where there are others, the value is an output, or it is not the reader's first input alone.
  int only_reader(TensorId id) const {
    const std::vector<int>& readers = uses_.readers[static_cast<size_t>(id)];
    if (readers.size() != 1 || std::ranges::find(graph_.outputs, id) != graph_.outputs.end()) {
      return -1;
    }
    const Node& reader = at(readers[0]);
    const bool first = reader.inputs[0] == id && std::ranges::count(reader.inputs, id) == 1;
    return first ? readers[0] : -1;
  }

  const Graph& graph_;
  const Uses uses_;
};

// A new constant: element i times factor(i).
template <typename Factor>
Result<void> scale_constant(Graph& graph, TensorId& id, Factor factor) {
  const Tensor& tensor = graph.tensor(id);
  auto values = floats_of(tensor);
  if (!values) return bad_input("the weights are no float32 constants", tensor.name);
  for (size_t i = 0; i < values->size(); ++i) (*values)[i] *= factor(i);
  id = graph.add_tensor(tensor.name, tensor.type, constant_floats(NK_FLOAT32, *values));
  return {};
}

// What channel c of the activation is divided by.
std::vector<double> factors(const Graph& graph, const Node& second, const WeightLayout& layout,
                            const std::vector<double>& peaks) {
  std::vector<double> weight_peaks(peaks.size());
  const auto weights = floats_of(graph.tensor(second.inputs[1]));
  for (size_t i = 0; weights && i < weights->size(); ++i) {
    double& peak = weight_peaks[layout.in_channel(i)];
    peak = std::max(peak, std::abs((*weights)[i]));
  }
  std::vector<double> out(peaks.size(), 1.0);
  for (size_t c = 0; c < peaks.size(); ++c) {
    if (peaks[c] <= 0 || weight_peaks[c] <= 0) continue;
    const double exponent = std::round(std::log2(peaks[c] / weight_peaks[c]) / 2);
    out[c] = std::ldexp(
        1.0, static_cast<int>(std::clamp<double>(exponent, -kMaxExponent, kMaxExponent)));
  }
  return out;
}

}  // namespace

Result<Equalised> equalise(const Graph& graph, const std::vector<Observed>& seen) {
  Equalised out{graph, 0};
  for (const Pair& pair : Search(graph).pairs()) {
    Node& first = out.graph.nodes[pair.first];
    Node& second = out.graph.nodes[pair.second];
    const auto above = WeightLayout::of(out.graph, first);
    const auto below = WeightLayout::of(out.graph, second);
    const std::vector<double>& peaks = seen[static_cast<size_t>(first.outputs[0])].channel_peak;
    if (!above || !below || above->out_channels() != below->in_channels() ||
        peaks.size() != above->out_channels()) {
      continue;
    }
    const std::vector<double> by = factors(out.graph, second, *below, peaks);
    out.channels += static_cast<size_t>(std::ranges::count_if(by, [](double s) { return s != 1; }));
    NK_TRY(scale_constant(out.graph, first.inputs[1],
                          [&](size_t i) { return 1.0 / by[above->out_channel(i)]; }));
    if (first.inputs.size() > 2 && first.inputs[2] != kNoTensor) {
      NK_TRY(scale_constant(out.graph, first.inputs[2], [&](size_t c) { return 1.0 / by[c]; }));
    }
    NK_TRY(scale_constant(out.graph, second.inputs[1],
                          [&](size_t i) { return by[below->in_channel(i)]; }));
  }
  return out;
}

}  // namespace netkit::quant
