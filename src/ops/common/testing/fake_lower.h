// SPDX-License-Identifier: MIT
// A small LowerContext for tests of operator lowerings: one foreign node in, canonical nodes out.
// It asks each operator's own infer() for types and folds transposes of constants. Tests only.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/const_values.h"
#include "compiler/ir/lower_context.h"
#include "compiler/ir/op_def.h"

namespace netkit {

class FakeLower : public LowerContext {
 public:
  explicit FakeLower(SourceFormat format) : format_(format) {}

  // Adds an input (no data) or a constant of the foreign node, in order.
  TensorId give(std::string name, TensorType type, ConstData data = nullptr) {
    given_.push_back(graph.add_tensor(std::move(name), std::move(type), std::move(data)));
    return given_.back();
  }
  void give_absent() { given_.push_back(kNoTensor); }
  void declare(TensorType type) {
    declared_.type = std::move(type);
    has_declared_ = true;
  }
  Result<void> lower(const ForeignNode& node) {
    const ForeignRule* rule = find_rule(format_, node.domain, node.op);
    if (rule == nullptr) return bad_input("no rule for " + node.op);
    return rule->lower(node, *this);
  }
  // The only node of an operator.
  const Node* find(std::string_view op) const {
    for (const Node& node : graph.nodes) {
      if (node.op == op) return &node;
    }
    return nullptr;
  }

  SourceFormat format() const override { return format_; }
  TensorId input(const ForeignNode&, size_t i) const override {
    return i < given_.size() ? given_[i] : kNoTensor;
  }
  const Tensor& tensor(TensorId id) const override { return graph.tensor(id); }
  std::optional<std::vector<int64_t>> const_ints(TensorId id) const override {
    return id == kNoTensor ? std::nullopt : ints_of(graph.tensor(id));
  }
  std::optional<std::vector<double>> const_floats(TensorId id) const override {
    return id == kNoTensor ? std::nullopt : floats_of(graph.tensor(id));
  }
  const ForeignTensor* declared_output(const ForeignNode&, size_t i) const override {
    return i == 0 && has_declared_ ? &declared_ : nullptr;
  }
  Result<TensorId> add_repeated(std::string name, TensorType type, Bytes element) override {
    NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
    return give(std::move(name), std::move(type),
                ConstData::repeated(std::move(element), static_cast<size_t>(bytes)));
  }
  TensorId add_constant(std::string name, TensorType type, Bytes bytes) override {
    return graph.add_tensor(std::move(name), std::move(type),
                            std::make_shared<const Bytes>(std::move(bytes)));
  }
  Result<TensorId> add(std::string_view op, std::vector<TensorId> inputs, Attrs attrs,
                       std::optional<TensorType> declared) override {
    std::vector<TensorType> types;
    if (declared) types.push_back(std::move(*declared));
    NK_ASSIGN(const std::vector<TensorId> ids,
              add_multi(op, std::move(inputs), std::move(attrs), std::move(types)));
    return ids[0];
  }
  Result<std::vector<TensorId>> add_multi(std::string_view op, std::vector<TensorId> inputs,
                                          Attrs attrs, std::vector<TensorType> declared) override {
    Node node{std::string(op),
              std::string(op) + "_" + std::to_string(graph.nodes.size()),
              std::move(inputs),
              {},
              std::move(attrs)};
    const OpDef* def = find_op(op);
    if (def == nullptr) return bad_input("unknown operator " + std::string(op));
    NK_ASSIGN(std::vector<TensorType> types, def->infer(graph, node));
    for (size_t i = 0; i < types.size(); ++i) {
      if (i < declared.size()) {
        if (types[i].dtype == NK_DTYPE_NONE) types[i].dtype = declared[i].dtype;
        if (!declared[i].quant.empty()) types[i].quant = declared[i].quant;
      }
      node.outputs.push_back(graph.add_tensor(node.name, types[i]));
    }
    graph.nodes.push_back(node);
    return node.outputs;
  }
  Result<void> bind(const ForeignNode&, size_t i, TensorId id) override {
    if (!outputs.emplace(i, id).second) return bad_input("output is bound twice");
    if (i == 0) bound = id;
    return {};
  }
  Result<void> set_state(const ForeignNode&, size_t i, TensorId value) override {
    if (!states.emplace(i, value).second) return bad_input("state is set twice");
    return {};
  }
  Result<TensorId> start_state(TensorType type) override {
    graph.inputs.push_back(graph.add_tensor("state", std::move(type)));
    return graph.inputs.back();
  }
  Result<void> keep_state(TensorId, TensorId value) override {
    kept.push_back(value);
    return {};
  }
  void warn(std::string text) override { warnings.push_back(std::move(text)); }
  Result<TensorId> transpose(TensorId x, std::vector<int64_t> perm) override {
    const Tensor& from = graph.tensor(x);
    if (!from.is_constant()) {
      Attrs attrs;
      attrs.set("perm", perm);
      return add("transpose", {x}, attrs, std::nullopt);
    }
    return add_constant(from.name, permuted(from.type, perm), permuted_bytes(from, perm));
  }

  Graph graph;
  TensorId bound = kNoTensor;  // what output 0 became
  std::map<size_t, TensorId> outputs;
  std::map<size_t, TensorId> states;  // by input
  std::vector<TensorId> kept;         // what keep_state was given
  std::vector<std::string> warnings;

 private:
  static TensorType permuted(const TensorType& type, const std::vector<int64_t>& perm) {
    TensorType out = type;
    for (size_t i = 0; i < perm.size(); ++i) {
      out.dims[i] = type.dims[static_cast<size_t>(perm[i])];
      if (perm[i] == type.quant.axis) out.quant.axis = static_cast<int>(i);
    }
    return out;
  }
  static Bytes permuted_bytes(const Tensor& from, const std::vector<int64_t>& perm) {
    const Dims& dims = from.type.dims;
    const auto elem = static_cast<size_t>(bits_of(from.type.dtype) / 8);
    Bytes out(from.data->size());
    std::vector<int64_t> index(dims.size(), 0);  // in the permuted tensor
    for (size_t at = 0; at < out.size(); at += elem) {
      std::vector<int64_t> source(dims.size());
      for (size_t i = 0; i < perm.size(); ++i) source[static_cast<size_t>(perm[i])] = index[i];
      int64_t flat = 0;
      for (size_t i = 0; i < dims.size(); ++i) flat = flat * dims[i] + source[i];
      std::memcpy(out.data() + at, from.data->data() + static_cast<size_t>(flat) * elem, elem);
      for (size_t i = perm.size(); i-- > 0;) {
        if (++index[i] < dims[static_cast<size_t>(perm[i])]) break;
        index[i] = 0;
      }
    }
    return out;
  }
  SourceFormat format_;
  std::vector<TensorId> given_;
  ForeignTensor declared_;
  bool has_declared_ = false;
};

}  // namespace netkit
