// SPDX-License-Identifier: MIT
// LowerContext: the only door through which an operator's lowering reads the foreign graph and
// writes the canonical one. Implemented by lower/.
//
// Layout. TFLite is NHWC already. ONNX spatial operators are lowered as transpose(to NHWC), the
// operator, transpose(to NCHW); passes/transpose_* then move and cancel the transposes. A lowering
// therefore always sees and yields tensors in the foreign layout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/foreign.h"
#include "compiler/ir/graph.h"

namespace netkit {

class LowerContext {
 public:
  virtual ~LowerContext() = default;

  virtual SourceFormat format() const = 0;
  // Canonical tensor of the node's i-th input; kNoTensor where it is absent or beyond the list.
  virtual TensorId input(const ForeignNode& node, size_t i) const = 0;
  virtual const Tensor& tensor(TensorId id) const = 0;
  const TensorType& type(TensorId id) const { return tensor(id).type; }
  // Integer values of a constant (int32 or int64) or of a folded shape; nullopt when not constant.
  virtual std::optional<std::vector<int64_t>> const_ints(TensorId id) const = 0;
  virtual std::optional<std::vector<double>> const_floats(TensorId id) const = 0;
  // Type that the file itself states for the node's i-th output (quantisation and dtype are
  // binding for TFLite), nullptr where it says nothing.
  virtual const ForeignTensor* declared_output(const ForeignNode& node, size_t i) const = 0;

  virtual TensorId add_constant(std::string name, TensorType type, Bytes bytes) = 0;
  // One element over and over, not written out (const_data.h). Error: all of them together would
  // have more than 1 GiB.
  virtual Result<TensorId> add_repeated(std::string name, TensorType type, Bytes element) = 0;
  // Adds a node with fresh outputs whose types come from the operator's infer(); `quant` gives the
  // quantisation of output 0 where infer cannot know it. Returns output 0.
  virtual Result<TensorId> add(std::string_view op, std::vector<TensorId> inputs, Attrs attrs,
                               std::optional<TensorType> declared = std::nullopt) = 0;
  // As add, with several outputs.
  virtual Result<std::vector<TensorId>> add_multi(std::string_view op, std::vector<TensorId> inputs,
                                                  Attrs attrs,
                                                  std::vector<TensorType> declared) = 0;
  // Binds the node's i-th output to a canonical tensor. Each used output is bound exactly once.
  // The type is checked against the declared one; what differs is an error.
  virtual Result<void> bind(const ForeignNode& node, size_t i, TensorId tensor) = 0;
  virtual void warn(std::string text) = 0;
  // The node's i-th input is state, whose value input() gives: from here on it is `value`, of the
  // same type. An error where it is none.
  virtual Result<void> set_state(const ForeignNode& node, size_t i, TensorId value) = 0;
  // A state that the node has of its own, all 0 after a reset: start_state gives what a run finds,
  // keep_state, once, says what it leaves, of the same type. An error inside control flow, where a
  // node may run often or not at all.
  virtual Result<TensorId> start_state(TensorType type) = 0;
  virtual Result<void> keep_state(TensorId state, TensorId value) = 0;

  // transpose(x, perm); returns x itself where perm is the identity or x is constant (folded).
  virtual Result<TensorId> transpose(TensorId x, std::vector<int64_t> perm) = 0;
};

}  // namespace netkit
