// SPDX-License-Identifier: MIT
// What the host faces of this folder share: checks of indices, argument lists.
#pragma once

#include "compiler/ir/lower_context.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/lookup/lookup.h"

namespace netkit {

// Whole bytes of an element.
Result<int32_t> lookup_width(nk_dtype dtype, const std::string& where);

// 4 or 8 for int32 and int64 indices.
Result<int32_t> index_bytes(const TensorType& indices, const std::string& where);

// Every constant index k of node input i lies in [-bounds[k % size], bounds[k % size]); no element
// may be asked of an empty axis.
Result<void> check_indices(const Graph& graph, const Node& node, size_t i, const Dims& bounds);

// Of gather_elements and scatter_elements: the axis, or a refusal where the indices' shape is
// larger than the data's along another axis; and what their parameters have in common.
Result<int64_t> elements_axis(const Node& node, const Dims& data, const Dims& indices);
nk_elements_params elements_layout(const Dims& data, const Dims& indices, int64_t axis);

// NK_SCATTER_* of attribute `reduction`.
Result<int32_t> scatter_reduction(const Node& node);

Result<std::vector<StepArg>> all_args(const Graph& graph, const Node& node, const KernelRow& row);
uint64_t lookup_macs(const Graph& graph, const Node& node);

// ONNX NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss (loss_lower.cc).
Result<void> lower_negative_log_loss(const ForeignNode& node, LowerContext& context);
Result<void> lower_cross_entropy_loss(const ForeignNode& node, LowerContext& context);

// Foreign indices of any integer type as int32 or int64.
Result<TensorId> integer_indices(LowerContext& context, TensorId id);

}  // namespace netkit
