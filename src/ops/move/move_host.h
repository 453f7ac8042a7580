// SPDX-License-Identifier: MIT
// What the host faces of the moving operators share.
#pragma once

#include "compiler/ir/lower_context.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/move/move.h"

namespace netkit {

// Bytes of an element; an error for types that share a byte.
Result<int32_t> element_bytes(nk_dtype dtype, const std::string& where);

// x of a moving node: rank at most NK_MAX_RANK, sizes in range.
Result<const TensorType*> moved_input(const Graph& graph, const Node& node);

// Parameters of the walk over `box` (strides: of the input, of the output) from in_offset; an error
// where more than NK_ND_DIMS axes remain after merging.
Result<StepParams> copy_step(const NdBox& box, int64_t in_offset, nk_dtype dtype,
                             const std::string& where);

Result<std::vector<StepArg>> one_arg(const Graph& graph, const Node& node, const KernelRow& row);
uint64_t no_macs(const Graph& graph, const Node& node);

// reshape of x to `shape`; x itself where it has that shape.
Result<TensorId> reshaped(LowerContext& context, TensorId x, Dims shape,
                          std::optional<TensorType> declared = std::nullopt);

// Integers of a constant input, or an error that names it.
Result<Dims> constant_ints(const LowerContext& context, const ForeignNode& node, size_t i,
                           std::string_view what);

}  // namespace netkit
