// SPDX-License-Identifier: MIT
// ONNX If, Loop and Scan, written out: the graph of a branch is lowered in place of the node, that
// of a body once per pass, so that what follows sees operators only. How often must be constant.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/lower/context.h"

namespace netkit {

class ControlFlow {
 public:
  // Lowers a node of a graph that the builder has entered.
  using LowerNode = std::function<Result<void>(const ForeignGraph&, const ForeignNode&)>;

  // `root` and `builder` must outlive it.
  ControlFlow(const ForeignGraph& root, GraphBuilder& builder, LowerNode lower_node)
      : root_(root), builder_(builder), lower_node_(std::move(lower_node)) {}

  // A node of these operators is lowered here, and no other.
  static bool handles(const ForeignNode& node);
  // An If whose condition is not constant runs both branches and chooses among their results.
  // Errors: a number of passes that depends on data or on sequences, more than kMostNodes nodes
  // or kMostBytes of constants.
  Result<void> lower(const ForeignNode& node);
  // The graphs of the node read a tensor of `graph` (the one that holds it) for which `is` holds.
  bool captures(const ForeignNode& node, const std::function<bool(int)>& is) const;

 private:
  struct Scan;

  Result<const ForeignGraph*> body_of(const ForeignNode& node, std::string_view attribute) const;
  // Lowers `body` for these inputs; its nodes are named after the node and `pass`.
  Result<std::vector<TensorId>> run(const ForeignNode& node, const ForeignGraph& body,
                                    const std::vector<TensorId>& inputs, int64_t pass);
  Result<void> lower_if(const ForeignNode& node);
  Result<void> lower_loop(const ForeignNode& node);
  Result<void> lower_scan(const ForeignNode& node);
  Result<Scan> scan_of(const ForeignNode& node) const;
  Result<TensorId> without_axis(TensorId x, int64_t axis, int64_t at);
  Result<TensorId> stacked(std::vector<TensorId> parts, int64_t axis);

  static constexpr int64_t kMostNodes = 1 << 14;  // of all bodies together
  static constexpr size_t kMostBytes = 1 << 28;   // of the constants that they make

  const ForeignGraph& root_;
  GraphBuilder& builder_;
  LowerNode lower_node_;
  int64_t nodes_ = 0;
  size_t bytes_ = 0;
};

}  // namespace netkit
