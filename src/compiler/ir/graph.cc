// SPDX-License-Identifier: MIT
// Graph: structure checks, uses, compaction.
#include "compiler/ir/graph.h"

#include <fmt/format.h>

namespace netkit {
namespace {

enum class Made : uint8_t { kNo, kInput, kConstant, kNode };

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), made_(graph.tensors.size(), Made::kNo) {}

  Result<void> run() {
    NK_TRY(constants());
    for (const TensorId id : graph_.inputs) NK_TRY(define(id, Made::kInput, "graph input"));
    for (const Node& node : graph_.nodes) {
      for (const TensorId id : node.inputs) {
        if (id != kNoTensor) NK_TRY(used(id, node_text(node)));
      }
      for (const TensorId id : node.outputs) NK_TRY(define(id, Made::kNode, node_text(node)));
    }
    for (const TensorId id : graph_.outputs) NK_TRY(used(id, "graph output"));
    return states();
  }

 private:
  static std::string node_text(const Node& node) {
    return fmt::format("node {} ({})", node.name, node.op);
  }

  Result<void> constants() {
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const Tensor& t = graph_.tensors[i];
      if (!t.is_constant()) continue;
      NK_ASSIGN(const int64_t bytes, byte_count(t.type.dtype, t.type.dims));
      if (static_cast<uint64_t>(bytes) != t.data.size()) {
        return bad_input(fmt::format("constant {} of type {} has {} bytes, not {}", t.name,
                                     type_text(t.type), t.data.size(), bytes));
      }
      made_[i] = Made::kConstant;
    }
    return {};
  }

  // The last inputs and outputs, in order.
  Result<void> states() const {
    const size_t count = graph_.states.size();
    if (count > graph_.inputs.size() || count > graph_.outputs.size()) {
      return bad_input("more states than inputs or outputs");
    }
    for (size_t i = 0; i < count; ++i) {
      const GraphState& state = graph_.states[i];
      if (state.input != graph_.model_inputs() + i || state.output != graph_.model_outputs() + i) {
        return bad_input(fmt::format("state {} is not the last inputs and outputs in order", i));
      }
      const TensorType& from = graph_.tensor(graph_.inputs[state.input]).type;
      const TensorType& to = graph_.tensor(graph_.outputs[state.output]).type;
      NK_ASSIGN(const int64_t bytes, byte_count(from.dtype, from.dims));
      if (from != to || (state.initial && state.initial.size() != static_cast<size_t>(bytes))) {
        return bad_input(fmt::format("state of {} becomes {}, or its content has another size",
                                     type_text(from), type_text(to)));
      }
    }
    return {};
  }

  Result<void> in_range(TensorId id, const std::string& where) const {
    if (id >= 0 && static_cast<size_t>(id) < graph_.tensors.size()) return {};
    return bad_input(fmt::format("tensor id {} is out of range", id), where);
  }

  Result<void> define(TensorId id, Made how, const std::string& where) {
    NK_TRY(in_range(id, where));
    Made& made = made_[static_cast<size_t>(id)];
    if (made != Made::kNo) {
      return bad_input(fmt::format("tensor {} is made twice", graph_.tensor(id).name), where);
    }
    NK_TRY(element_count(graph_.tensor(id).type.dims));
    made = how;
    return {};
  }

  Result<void> used(TensorId id, const std::string& where) const {
    NK_TRY(in_range(id, where));
    if (made_[static_cast<size_t>(id)] != Made::kNo) return {};
    return bad_input(fmt::format("tensor {} is read before it is made", graph_.tensor(id).name),
                     where);
  }

  const Graph& graph_;
  std::vector<Made> made_;
};

}  // namespace

TensorId Graph::add_tensor(std::string name, TensorType type, ConstData data) {
  tensors.push_back({std::move(name), std::move(type), std::move(data)});
  return static_cast<TensorId>(tensors.size() - 1);
}

Uses uses_of(const Graph& graph) {
  Uses uses;
  uses.producer.assign(graph.tensors.size(), -1);
  uses.readers.resize(graph.tensors.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const int index = static_cast<int>(n);
    for (const TensorId id : graph.nodes[n].inputs) {
      if (id == kNoTensor) continue;
      auto& readers = uses.readers[static_cast<size_t>(id)];
      if (readers.empty() || readers.back() != index) readers.push_back(index);
    }
    for (const TensorId id : graph.nodes[n].outputs) {
      uses.producer[static_cast<size_t>(id)] = index;
    }
  }
  return uses;
}

Result<void> verify(const Graph& graph) {
  return Verifier(graph).run();
}

Graph compacted(const Graph& graph) {
  std::vector<TensorId> renumbered(graph.tensors.size(), kNoTensor);
  const auto mark = [&](const std::vector<TensorId>& ids) {
    for (const TensorId id : ids) {
      if (id != kNoTensor) renumbered[static_cast<size_t>(id)] = 0;
    }
  };
  mark(graph.inputs);
  mark(graph.outputs);
  for (const Node& node : graph.nodes) {
    mark(node.inputs);
    mark(node.outputs);
  }

  Graph out;
  out.source = graph.source;
  out.sha256 = graph.sha256;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (renumbered[i] == kNoTensor) continue;
    renumbered[i] = static_cast<TensorId>(out.tensors.size());
    out.tensors.push_back(graph.tensors[i]);
  }
  const auto renumber = [&](std::vector<TensorId> ids) {
    for (TensorId& id : ids) {
      if (id != kNoTensor) id = renumbered[static_cast<size_t>(id)];
    }
    return ids;
  };
  out.inputs = renumber(graph.inputs);
  out.outputs = renumber(graph.outputs);
  out.states = graph.states;
  out.nodes = graph.nodes;
  for (Node& node : out.nodes) {
    node.inputs = renumber(std::move(node.inputs));
    node.outputs = renumber(std::move(node.outputs));
  }
  return out;
}

}  // namespace netkit
