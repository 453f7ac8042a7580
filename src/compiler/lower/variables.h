// SPDX-License-Identifier: MIT
// State of TFLite networks: variable tensors, and resource variables (VAR_HANDLE, READ_VARIABLE,
// ASSIGN_VARIABLE) whose first contents the graph of CALL_ONCE states.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lower/context.h"

namespace netkit {

class Variables {
 public:
  // `foreign` and `builder` must outlive it.
  Variables(const ForeignGraph& foreign, GraphBuilder& builder)
      : foreign_(foreign), builder_(builder) {}

  // Adds the states that the network reads, in the order of their tensors; after the inputs.
  // Errors: a first content that is no constant, or of another type.
  Result<void> start();

  // A node of these operators is lowered here, and no other.
  static bool handles(const ForeignNode& node);
  Result<void> lower(const ForeignNode& node);

 private:
  struct Variable {
    std::optional<size_t> state;  // of the builder; none where nobody reads it
    ConstData initial;
    TensorType type;  // of `initial`
  };
  using Handles = std::map<int, std::string>;  // tensor, key of the variable

  static Handles handles_of(const ForeignGraph& graph);
  Result<void> read_contents(const ForeignGraph& graph);
  Result<void> start_resources();

  const ForeignGraph& foreign_;
  GraphBuilder& builder_;
  Handles handles_;
  std::map<std::string, Variable> variables_;
};

}  // namespace netkit
