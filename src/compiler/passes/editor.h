// SPDX-License-Identifier: MIT
// Editor: a graph under change, with makers and readers of every tensor kept up to date. What a
// pass is written with: Graph → Editor … finish() → Graph.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"

namespace netkit {

class Editor {
 public:
  explicit Editor(const Graph& graph);

  const Graph& graph() const { return graph_; }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  const TensorType& type(TensorId id) const { return graph_.tensor(id).type; }
  // Nodes keep their numbers; new ones are appended, erased ones stay behind as dead.
  int node_count() const { return static_cast<int>(graph_.nodes.size()); }
  const Node& node(int n) const { return graph_.nodes[static_cast<size_t>(n)]; }
  bool alive(int n) const { return alive_[static_cast<size_t>(n)]; }
  int producer(TensorId id) const { return producer_[static_cast<size_t>(id)]; }
  // The living node that makes `id` and is of operator `op`, or -1.
  int producer_of(TensorId id, std::string_view op) const;
  const std::vector<int>& readers(TensorId id) const { return readers_[static_cast<size_t>(id)]; }
  bool is_input(TensorId id) const;
  bool is_output(TensorId id) const;
  // The only node that reads `id`, or -1 where there are several, none, or it is a graph output.
  int only_reader(TensorId id) const;

  // The name is made unique only in text; `data` makes a constant.
  TensorId add_tensor(std::string name, TensorType type, ConstData data = nullptr);
  // Appends a node that stands, in the finished order, as early as its inputs and `near` allow.
  int add_node(Node node, int near);
  void erase(int n);
  void set_input(int n, size_t i, TensorId id);  // grows the list with kNoTensor
  void set_attr(int n, std::string name, AttrValue value);
  void erase_attr(int n, std::string_view name);
  void set_type(TensorId id, TensorType type) { graph_.tensor(id).type = std::move(type); }
  void set_output(int n, size_t i, TensorId id);
  void rename(TensorId id, std::string name) { graph_.tensor(id).name = std::move(name); }

  // Every reader of `from`, and the graph's outputs, take `to` instead. An output keeps its name;
  // where `to` cannot be an output itself (an input, a constant, another output) it is copied.
  void redirect(TensorId from, TensorId to);

  // The nodes in an executable order, dead ones and unused tensors dropped.
  Result<Graph> finish();

 private:
  void drop_reader(TensorId id, int n);
  void add_reader(TensorId id, int n);

  Graph graph_;
  std::vector<bool> alive_;
  std::vector<int> near_;      // per node: the original node that it stands by
  std::vector<int> producer_;  // per tensor
  std::vector<std::vector<int>> readers_;
};

}  // namespace netkit
