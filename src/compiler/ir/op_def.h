// SPDX-License-Identifier: MIT
// OpDef: the host face of an operator. One constant per canonical operator, defined in its folder's
// *_op.cc and listed in kernels.inc; the phases reach operators through this table only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/ir/foreign.h"
#include "compiler/ir/graph.h"
#include "ops/common/kernel.h"

namespace netkit {

class LowerContext;  // lower_context.h: what a lowering may ask for and add

// A foreign operator that this canonical operator (or a few of them) stands for.
struct ForeignRule {
  SourceFormat format;
  std::string_view op;      // "Conv", "CONV_2D"
  std::string_view domain;  // "" is ai.onnx and TFLite builtins
  // Adds canonical nodes for `node`; an error names the attribute and the reason.
  Result<void> (*lower)(const ForeignNode& node, LowerContext& context);
};

// A field of a parameter struct (from its X-macro).
struct ParamField {
  std::string_view name;
  std::string_view type;  // C spelling: "int32_t", "float"
  uint32_t offset, count;
};

// One way in which a kernel can run: which input bytes its output may overwrite, at which price.
// forward f: the kernel goes from low to high addresses; safe when output address <= input
// address - f (f = 0 is in place). backward b: from high to low; safe when output end >= input
// end + b. A mode without overlaps is the plain one.
struct ModeOverlap {
  int input;   // index among the step's inputs
  int output;  // index among the step's outputs
  std::optional<int64_t> forward_bytes, backward_bytes;
};
struct KernelMode {
  int id = 0;  // written to the params field `mode` where the struct has one
  int64_t scratch_bytes = 0;
  std::vector<ModeOverlap> overlaps;
};

// A copy that a step makes and that need not be made: the smaller of the two arguments may lie in
// the larger one, its first byte at offset_bytes; the kernel then leaves these bytes as they are.
struct StepView {
  int input;   // index among the step's inputs
  int output;  // index among the step's outputs
  int64_t offset_bytes;
};

// A row of kernels.inc.
struct KernelRow {
  std::string_view op, symbol, arch, signature, predicate, layout;
  nk_kernel_fn fn;
  bool (*fits)(const void* params);
  void (*modes)(const void* params, std::vector<KernelMode>& out);
};

// What a node becomes before a row is chosen.
struct StepParams {
  Bytes params;           // the C struct
  std::string signature;  // selects rows: "s8", "f32", "s16", "s8_f32" …
};

// A step argument: an activation of the graph, a constant made for the chosen row, or absent.
struct StepArg {
  TensorId tensor = kNoTensor;
  ConstData constant;        // wins over tensor when set
  nk_dtype dtype = NK_INT8;  // element type of the constant, for emitted arrays
  uint32_t alignment = 4;    // of the constant in flash
  std::string label;         // "weights", "bias", "multiplier", for reports and emitted names
};

// What the quantised form of an operator asks of the scales and zero points of its tensors.
enum class QuantRule : uint8_t {
  kNone,      // it has no such form
  kWeighted,  // input 1: constant weights, symmetric per output channel; input 2: bias or absent;
              // the output has the range of its values
  kRange,     // the output has the range of its values
  kSame,      // outputs and real inputs share one scale and zero point
  kFixed,     // the output's are the operator's own
};
struct QuantForm {
  QuantRule rule = QuantRule::kNone;
  int channel_axis = 0;  // kWeighted: the axis of the weights that counts output channels
  float scale = 0.0f;    // kFixed: of an int8 output
  int32_t zero_point = 0;
  size_t real_inputs = SIZE_MAX;  // so many float32 inputs hold real values, the others tables
  // A constant float32 table as the integer kernels want it; nullptr: they want none.
  Result<Tensor> (*table)(const Tensor& table) = nullptr;
  bool rounds = false;  // kSame: outputs are made of several values and rounded to their scale
};

struct OpDef {
  std::string_view name;
  std::span<const ForeignRule> rules;
  std::span<const ParamField> fields;
  uint32_t params_bytes;

  // Output types from input types and attributes; every geometry error is found here.
  Result<std::vector<TensorType>> (*infer)(const Graph& graph, const Node& node);
  // Parameter struct and signature. nullptr: the operator makes no step (a view).
  Result<StepParams> (*make_params)(const Graph& graph, const Node& node);
  // Inputs of the step in the order of the operator's header, constants packed for row.layout.
  Result<std::vector<StepArg>> (*make_args)(const Graph& graph, const Node& node,
                                            const KernelRow& row);
  // Multiply-accumulates of the node (0 where the word does not apply).
  uint64_t (*macs)(const Graph& graph, const Node& node);

  // Traits that passes ask for.
  bool is_view = false;         // output is input 0 with another shape
  bool is_elementwise = false;  // same-shape or broadcast, layout does not matter

  // C name of the parameter struct where operators share one; empty: nk_<name>_params.
  std::string_view params_type = {};

  // The copies of a step with these parameters that may be left out; nullptr: none. A step whose
  // outputs are made of nothing else is not run where all of them are.
  void (*views)(const void* params, std::vector<StepView>& out) = nullptr;

  QuantForm quant = {};
};

// `def` with a quantised form.
constexpr OpDef with_quant(OpDef def, QuantForm quant) {
  def.quant = quant;
  return def;
}

// All operators and rows, in the order of ops.inc.
std::span<const OpDef* const> all_ops();
const OpDef* find_op(std::string_view name);
std::span<const KernelRow> all_kernel_rows();
const KernelRow* find_kernel(std::string_view symbol);
const ForeignRule* find_rule(SourceFormat format, std::string_view domain, std::string_view op);

}  // namespace netkit
