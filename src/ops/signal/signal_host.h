// SPDX-License-Identifier: MIT
// What the host faces of the audio front end share.
#pragma once

#include "ops/common/flex/flex_options.h"
#include "ops/common/host/nd_layout.h"

namespace netkit {

// Input i of the node, of one element or more and of this type.
Result<const TensorType*> signal_input(const Graph& graph, const Node& node, size_t i,
                                       nk_dtype dtype);
// As signal_input, of rank 1: its elements as int32.
Result<int32_t> signal_elems(const Graph& graph, const Node& node, size_t i, nk_dtype dtype);

// A whole number that the custom options state under `name`, becoming the attribute `name`.
struct SignalOption {
  const char* name;
  int64_t lo, hi;
};
// All of `options` as attributes; further ones are left out.
Result<Attrs> signal_attrs(const ForeignNode& node, std::span<const SignalOption> options);

// Adds `op` of the node's inputs 0 to count - 1 and binds its outputs.
Result<void> lower_signal(const ForeignNode& node, LowerContext& context, const char* op,
                          size_t count, std::span<const SignalOption> options);

uint64_t signal_macs(const Graph& graph, const Node& node);

}  // namespace netkit
