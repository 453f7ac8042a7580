// SPDX-License-Identifier: MIT
// Tensors that only move or compare values share one range (ranges.h).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/ir/const_values.h"
#include "compiler/eval/quant_forms.h"
#include "compiler/quant/range/ranges.h"

namespace netkit::quant {
namespace {

Range constant_range(const Tensor& tensor) {
  const auto values = floats_of(tensor);
  if (!values || values->empty()) return {};
  const auto [lo, hi] = std::ranges::minmax(*values);
  return std::isfinite(lo) && std::isfinite(hi) ? Range{lo, hi} : Range{};
}

}  // namespace

std::vector<Range> shared_ranges(const Graph& graph, const std::vector<Observed>& seen,
                                 const Options& options) {
  std::vector<Range> ranges(graph.tensors.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const Tensor& tensor = graph.tensors[i];
    if (tensor.type.dtype != NK_FLOAT32) continue;
    ranges[i] = tensor.is_constant() ? constant_range(tensor)
                                     : range_of(seen[i], options.method, options.percentile);
  }
  std::vector<size_t> root(ranges.size());
  std::iota(root.begin(), root.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const Node& node : graph.nodes) {
    const QuantForm& form = form_of(node);
    if (node.outputs[0] == kNoTensor) continue;
    Range& made = ranges[static_cast<size_t>(node.outputs[0])];
    if (form.rule == QuantRule::kFixed) {
      made = held_by({{form.scale}, {form.zero_point}, 0}, Mode::kInt8);
    }
    if (form.rule != QuantRule::kSame) continue;
    const double padding = node.attrs.get_float("value", 0.0);
    if (node.op == "pad" && std::isfinite(padding)) made = united(made, {padding, padding});
    const size_t shared = find(static_cast<size_t>(node.outputs[0]));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_real(graph, node, i)) root[find(static_cast<size_t>(node.inputs[i]))] = shared;
    }
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) root[find(static_cast<size_t>(id))] = find(shared);
    }
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    Range& range = ranges[find(i)];
    range = united(range, ranges[i]);
  }
  for (size_t i = 0; i < ranges.size(); ++i) ranges[i] = ranges[find(i)];
  return ranges;
}

}  // namespace netkit::quant
