// SPDX-License-Identifier: MIT
// How operators take permuted tensors: data, one row per operator or family.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/passes/editor.h"

namespace netkit {

using Perm = std::vector<int64_t>;  // axis i of the permuted tensor is axis perm[i] of the other

Perm inverse_of(const Perm& perm);
Dims permuted(const Dims& dims, const Perm& perm);

// What a node may do about its operands under a permutation.
enum class LayoutRole : uint8_t {
  kFixed,  // stays as it is
  kBoth,   // inputs and outputs permuted together
  kSink,   // input 0 may be permuted, the output stays
};
LayoutRole layout_role(const Editor& editor, int n, const Perm& perm);

// Makes node n right for operands permuted by perm: attributes, constant inputs, the weights of
// readers. The activations themselves are exchanged by the caller, before. Only after layout_role
// said kBoth or kSink.
Result<void> permute_node(Editor& editor, int n, const Perm& perm);

}  // namespace netkit
