// SPDX-License-Identifier: MIT
// GraphBuilder: the LowerContext that lower.cc hands to the operators' rules.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/lower_context.h"

namespace netkit {

class GraphBuilder final : public LowerContext {
 public:
  // `foreign` must outlive the builder; its constants must have the sizes of their types.
  explicit GraphBuilder(const ForeignGraph& foreign);

  // Adds a graph input for a foreign tensor.
  void add_input(int foreign_tensor, Dims dims);
  // Adds a state and returns its number. Only after the last add_input.
  size_t add_state(std::string name, TensorType type, ConstData initial);
  // Its value at this point of the network: what a run finds, or what was last assigned (a tensor
  // of the same type; another is an error).
  TensorId state_value(size_t state) const { return states_[state]; }
  Result<void> assign_state(size_t state, TensorId value);
  // The foreign tensor, a variable one, is this state.
  void bind_variable(int foreign_tensor, size_t state);
  // Between enter and leave the nodes are those of `sub`, a graph that a node holds: its constants
  // and what it captures are there, its inputs are for set(). `prefix` goes before the names of its
  // tensors. `sub` must outlive the scope.
  struct Scope {
    const ForeignGraph* foreign;
    std::vector<TensorId> bound;
    std::string prefix;
  };
  Scope enter(const ForeignGraph& sub, std::string prefix);
  void leave(Scope outer);
  void set(int foreign_tensor, TensorId value) {
    bound_[static_cast<size_t>(foreign_tensor)] = value;
  }
  // Call before each node's lowering: names what it adds and makes room, so that references to
  // tensors stay valid while it runs.
  void begin(const ForeignNode& node);
  // Canonical tensor of a foreign one: bound, or a constant; kNoTensor where it is not made yet.
  TensorId resolve(int foreign_tensor) const;
  // Adds the graph outputs, then those of the states. One that is an input, a constant or another
  // output is copied.
  Result<void> finish_outputs();
  Graph take() { return std::move(graph_); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

  SourceFormat format() const override { return foreign_->format; }
  TensorId input(const ForeignNode& node, size_t i) const override;
  const Tensor& tensor(TensorId id) const override { return graph_.tensor(id); }
  // The id that the next tensor will have.
  TensorId end_tensor() const { return static_cast<TensorId>(graph_.tensors.size()); }
  std::optional<std::vector<int64_t>> const_ints(TensorId id) const override;
  std::optional<std::vector<double>> const_floats(TensorId id) const override;
  const ForeignTensor* declared_output(const ForeignNode& node, size_t i) const override;
  TensorId add_constant(std::string name, TensorType type, Bytes bytes) override;
  Result<TensorId> add_repeated(std::string name, TensorType type, Bytes element) override;
  Result<TensorId> add(std::string_view op, std::vector<TensorId> inputs, Attrs attrs,
                       std::optional<TensorType> declared) override;
  Result<std::vector<TensorId>> add_multi(std::string_view op, std::vector<TensorId> inputs,
                                          Attrs attrs, std::vector<TensorType> declared) override;
  Result<void> bind(const ForeignNode& node, size_t i, TensorId tensor) override;
  void warn(std::string text) override { warnings_.push_back(std::move(text)); }
  Result<void> set_state(const ForeignNode& node, size_t i, TensorId value) override;
  Result<TensorId> start_state(TensorType type) override;
  Result<void> keep_state(TensorId state, TensorId value) override;
  Result<TensorId> transpose(TensorId x, std::vector<int64_t> perm) override;

 private:
  TensorId add_tensor(std::string name, TensorType type, ConstData data, bool named);
  Result<void> check_declared(const ForeignTensor& declared, const Tensor& made);
  bool may_be_output(TensorId id) const;
  Result<void> name_output(const std::string& name, TensorId id);

  const ForeignGraph* foreign_;  // the graph whose nodes are being lowered
  std::string prefix_;           // of the names of its tensors; empty in the main graph
  Graph graph_;
  std::vector<TensorId> bound_;     // per foreign tensor
  std::vector<TensorId> states_;    // value of each of graph_.states so far
  std::map<int, size_t> state_of_;  // by foreign tensor
  std::vector<bool> named_;         // per canonical tensor: its name is one of the file's
  std::vector<std::string> warnings_;
  std::string node_name_;       // of the node being lowered
  bool first_node_ = true;      // nothing but transposes was added for it yet
  int64_t repeated_bytes_ = 0;  // of add_repeated, all together
};

}  // namespace netkit
