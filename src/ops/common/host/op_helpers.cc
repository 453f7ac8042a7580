// SPDX-License-Identifier: MIT
// What the host faces of operators share (op_helpers.h).
#include "ops/common/host/op_helpers.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace netkit {

std::string place_of(const Node& node) {
  return fmt::format("{} '{}'", node.op, node.name);
}

std::string place_of(const ForeignNode& node) {
  return fmt::format("{} '{}'", node.op, node.name);
}

const TensorType* input_type(const Graph& graph, const Node& node, size_t i) {
  if (i >= node.inputs.size() || node.inputs[i] == kNoTensor) return nullptr;
  return &graph.tensor(node.inputs[i]).type;
}

Result<const TensorType*> need_input(const Graph& graph, const Node& node, size_t i, int rank) {
  const TensorType* type = input_type(graph, node, i);
  if (type == nullptr) return bad_input(fmt::format("input {} is missing", i), place_of(node));
  if (rank >= 0 && type->dims.size() != static_cast<size_t>(rank)) {
    return bad_input(
        fmt::format("input {} has shape {}, rank {} is needed", i, dims_text(type->dims), rank),
        place_of(node));
  }
  return type;
}

StepArg tensor_arg(const Node& node, size_t i, std::string label) {
  StepArg arg;
  arg.label = std::move(label);
  if (i < node.inputs.size()) arg.tensor = node.inputs[i];
  return arg;
}

std::string_view signature_of(nk_dtype dtype) {
  static constexpr std::pair<nk_dtype, std::string_view> kNames[] = {
      {NK_FLOAT32, "f32"}, {NK_INT8, "s8"},     {NK_UINT8, "u8"},    {NK_INT16, "s16"},
      {NK_INT32, "s32"},   {NK_INT64, "s64"},   {NK_FLOAT16, "f16"}, {NK_BOOL, "b8"},
      {NK_INT4, "s4"},     {NK_FLOAT64, "f64"}, {NK_UINT16, "u16"},  {NK_UINT32, "u32"},
      {NK_UINT64, "u64"},  {NK_STRING, "str"}};
  for (const auto& [type, name] : kNames) {
    if (type == dtype) return name;
  }
  return "none";
}

Result<void> check_sizes(std::span<const TensorType* const> types, const std::string& where) {
  for (const TensorType* type : types) {
    NK_ASSIGN(const int64_t count, element_count(type->dims));
    if (count > std::numeric_limits<int32_t>::max()) {
      return bad_input(fmt::format("a tensor of shape {} has more than 2^31 - 1 elements",
                                   dims_text(type->dims)),
                       where);
    }
  }
  return {};
}

Result<int32_t> checked_int32(int64_t value, int64_t lo, int64_t hi, std::string_view what,
                              const std::string& where) {
  if (value < lo || value > hi) {
    return bad_input(fmt::format("{} {} is not in [{}, {}]", what, value, lo, hi), where);
  }
  return static_cast<int32_t>(value);
}

std::optional<TensorType> declared_type(const LowerContext& context, const ForeignNode& node,
                                        size_t i) {
  const ForeignTensor* tensor = context.declared_output(node, i);
  if (tensor == nullptr) return std::nullopt;
  return tensor->type;
}

Result<TensorId> need_foreign_input(const LowerContext& context, const ForeignNode& node,
                                    size_t i) {
  const TensorId id = context.input(node, i);
  if (id == kNoTensor) return bad_input(fmt::format("input {} is missing", i), place_of(node));
  return id;
}

Result<TensorId> reshape_to(LowerContext& context, TensorId x, Dims dims) {
  const Tensor& tensor = context.tensor(x);
  if (tensor.is_constant()) {
    TensorType type = tensor.type;
    type.dims = std::move(dims);
    return context.add_constant(tensor.name, std::move(type), *tensor.data);
  }
  Attrs attrs;
  attrs.set("shape", std::move(dims));
  return context.add("reshape", {x}, std::move(attrs));
}

Result<TensorId> as_real(LowerContext& context, TensorId x) {
  const nk_dtype dtype = context.type(x).dtype;
  if (dtype == NK_INT8 || dtype == NK_UINT8) return context.add("dequantize", {x}, {});
  if (dtype != NK_FLOAT16) return x;
  Attrs attrs;
  attrs.set("to", std::string("float32"));
  return context.add("cast", {x}, std::move(attrs));
}

Result<TensorId> weights_beside(LowerContext& context, TensorId x, TensorId w) {
  if (context.type(x).dtype != NK_FLOAT32) return w;
  return as_real(context, w);
}

Result<void> set_fused_activation(const ForeignNode& node, Attrs& attrs) {
  static constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"RELU", "relu"}, {"RELU6", "relu6"}, {"RELU_N1_TO_1", "relu_n1_to_1"}};
  const std::string name = node.attrs.get_string("fused_activation_function", "NONE");
  if (name == "NONE") return {};
  for (const auto& [foreign, canonical] : kNames) {
    if (name != foreign) continue;
    attrs.set("activation", std::string(canonical));
    return {};
  }
  return bad_input(fmt::format("fused activation {} is not supported", name), place_of(node),
                   "use NONE, RELU, RELU6 or RELU_N1_TO_1, or a separate activation operator");
}

}  // namespace netkit
