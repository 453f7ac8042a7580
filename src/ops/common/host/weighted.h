// SPDX-License-Identifier: MIT
// Operators with weights, bias and requantisation (conv2d, dwconv2d, fully_connected): checks,
// parameter fields and step arguments. Node inputs: x, weights, bias (or absent). Host only.
#pragma once

#include <cstring>

#include "compiler/ir/op_def.h"
#include "ops/common/arm/dsp_pack.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"
#include "ops/common/parts.h"
#include "ops/common/requantize.h"

namespace netkit {

// Values of NK_WEIGHTED_FIELDS.
struct WeightedFields {
  int32_t input_offset = 0, filter_offset = 0, output_offset = 0;
  int32_t act_min = 0, act_max = 0, per_channel = 0, narrow_weights = 0;
  float clamp_min = 0.0f, clamp_max = 0.0f;
};

// Scale product in double (convolutions), or in float where weights have a single scale (fully
// connected, and every operator on uint8): TensorFlow Lite prepares the two differently, and the
// last bit can differ.
enum class ScaleProduct { kDouble, kFloat };

// Types of x, weights and bias fit each other: bias [out_c] of int32 for integer x, float32 for
// float32. What the kernels lack (hybrid types) is left to the choice of a row.
Result<void> check_weighted(const Graph& graph, const Node& node, int64_t out_c);

// int16 x and output, int8 weights.
inline constexpr std::string_view kWideSignature = "s16_s8_s16";

// "f32", "s8", "u8"; where types differ, those of x, weights and output: "f32_s8_f32".
std::string weighted_signature(const Graph& graph, const Node& node);

// The node makes the int32 sums of 8-bit inputs and weights themselves ("s8_s32", "u8_s32").
bool makes_sums(const Graph& graph, const Node& node);

// Offsets and clamps of the node; channel_axis is the axis of the weights that counts out_c.
Result<WeightedFields> weighted_fields(const Graph& graph, const Node& node, int64_t out_c,
                                       int channel_axis);

template <typename Params>
void set_weighted(Params& p, const WeightedFields& f) {
  p.input_offset = f.input_offset;
  p.filter_offset = f.filter_offset;
  p.output_offset = f.output_offset;
  p.act_min = f.act_min;
  p.act_max = f.act_max;
  p.per_channel = f.per_channel;
  p.narrow_weights = f.narrow_weights;
  p.clamp_min = f.clamp_min;
  p.clamp_max = f.clamp_max;
}

// The constant int8 weights of the node by output channel; nothing where they, or the bias, are no
// constants. channel_axis: 0, or that of the last size.
std::optional<ChannelWeights> channel_weights(const Graph& graph, const Node& node,
                                              int channel_axis);

// x, weights, bias, multiplier, shift as the kernels want them (conv2d.h).
Result<std::vector<StepArg>> weighted_args(const Graph& graph, const Node& node, int64_t out_c,
                                           ScaleProduct product);

// Operators whose input stands in parts (ops/common/parts.h): node inputs are the first part,
// weights, bias or absent, the other parts.
// Index of part k among the node's inputs.
constexpr size_t part_input(size_t k) {
  return k == 0 ? 0 : k + 2;
}

// The operator of this node reads parts.
inline bool reads_parts(const Node& node) {
  return node.op.ends_with("_parts");
}

// Type [n, h, w, c] of a node's spatial input: its first input, or the parts joined along c. An
// error where there are not 2 to NK_MAX_PARTS parts of one type but for their channels.
Result<TensorType> spatial_input(const Graph& graph, const Node& node);

// Fills NK_PARTS_FIELDS from a node for which spatial_input succeeded.
template <typename Params>
void set_parts(const Graph& graph, const Node& node, Params& p) {
  p.parts = static_cast<int32_t>(node.inputs.size()) - 2;
  for (size_t k = 0; k < static_cast<size_t>(p.parts); ++k) {
    p.part_c[k] = static_cast<int32_t>(input_type(graph, node, part_input(k))->dims[3]);
  }
}

// The step of an operator with weights.
template <typename Params>
StepParams weighted_step(const Graph& graph, const Node& node, const Params& p) {
  return {bytes_of(p), weighted_signature(graph, node)};
}

// The step of its form that reads parts, whose parameters (PartsParams) begin with `whole`.
template <typename PartsParams, typename Params>
StepParams parts_step(const Graph& graph, const Node& node, const Params& whole) {
  PartsParams p{};
  std::memcpy(&p, &whole, sizeof whole);
  set_parts(graph, node, p);
  return weighted_step(graph, node, p);
}

// Arguments as weighted_args makes them, with the other parts of a node that has some behind the
// first.
std::vector<StepArg> with_parts(const Node& node, std::vector<StepArg> args);

}  // namespace netkit
