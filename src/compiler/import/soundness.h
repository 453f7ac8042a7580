// SPDX-License-Identifier: MIT
// Tests and fuzzing only: does an imported graph keep what import_model promises?
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "compiler/import/import.h"

namespace netkit {

// "" where it does, else what is wrong.
inline std::string unsound_graph(const ForeignGraph& graph, const ForeignGraph& root) {
  const int count = static_cast<int>(graph.tensors.size());
  const auto in_range = [count](int t) { return t >= 0 && t < count; };
  std::vector<int> made(graph.tensors.size(), 0);
  for (const int t : graph.inputs) {
    if (!in_range(t) || made[static_cast<size_t>(t)]++ != 0) return "a bad graph input";
  }
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const ForeignTensor& t = graph.tensors[i];
    if (t.data || t.is_variable || t.outer != kAbsent) made[i] = 1;
    if (!t.dim_names.empty() && t.dim_names.size() != t.type.dims.size()) return "dim_names";
    const auto bytes = byte_count(t.type.dtype, t.type.dims);
    if (t.data && bits_of(t.type.dtype) != 0 &&
        (!bytes || static_cast<uint64_t>(*bytes) != t.data.size())) {
      return "a constant of the wrong size";
    }
    const Quant& q = t.type.quant;
    if (q.scale.size() != q.zero_point.size()) return "a bad quantisation";
    for (const float s : q.scale) {
      if (!std::isfinite(s) || s < 0) return "a bad scale";
    }
  }
  for (const ForeignNode& node : graph.nodes) {
    const bool custom = node.op.starts_with("CUSTOM:");
    for (const int t : node.inputs) {
      if (t == kAbsent) continue;
      if (!in_range(t)) return "a bad input index";
      if (made[static_cast<size_t>(t)] == 0 && !custom) return "an input that is not made";
    }
    for (const int t : node.outputs) {
      if (t != kAbsent && (!in_range(t) || made[static_cast<size_t>(t)]++ != 0)) {
        return "a bad output";
      }
    }
    for (const auto& [name, index] : node.subgraphs) {
      if (index < 0 || static_cast<size_t>(index) >= root.subgraphs.size()) return "a bad subgraph";
    }
  }
  for (const int t : graph.outputs) {
    if (!in_range(t) || made[static_cast<size_t>(t)] == 0) return "a graph output that is not made";
  }
  return {};
}

// Imports and checks: a sound graph, or an error of one line with a message.
inline std::string unsound_import(std::span<const std::byte> bytes, const std::string& file) {
  ImportOptions options;
  options.read_external_files = false;
  const auto graph = import_model(bytes, file, options);
  if (!graph) {
    const std::string text = graph.error().where + graph.error().message;
    return graph.error().message.empty() || text.find('\n') != std::string::npos
               ? "an error that is not one line: " + text
               : std::string();
  }
  std::string wrong = unsound_graph(*graph, *graph);
  for (const ForeignGraph& sub : graph->subgraphs) {
    if (wrong.empty()) wrong = unsound_graph(sub, *graph);
  }
  if (wrong.empty() && to_text(*graph).empty()) wrong = "an empty dump";
  return wrong;
}

}  // namespace netkit
