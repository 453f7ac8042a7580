// SPDX-License-Identifier: MIT
// What the host faces of operators (*_op.cc) share: parameter tables, bytes, places for messages,
// checked reads of types and attributes. Host only.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/ir/lower_context.h"
#include "compiler/ir/op_def.h"

namespace netkit {

// NK_PARAM_TABLE(kFoo, nk_foo_params, NK_FOO_FIELDS): kFoo::fields and kFoo::bytes for OpDef, from
// the X-macro of kernel.h. The struct has no hidden padding: its size is the sum of its fields.
#define NK_TABLE_FIELD(type, name) {#name, #type, offsetof(Params, name), 1},
#define NK_TABLE_FIELD_ARRAY(type, name, count) {#name, #type, offsetof(Params, name), count},
#define NK_SUM_FIELD(type, name) +sizeof(type)
#define NK_SUM_FIELD_ARRAY(type, name, count) +sizeof(type) * (count)
#define NK_PARAM_TABLE(table, Struct, FIELDS)                                                  \
  struct table {                                                                               \
    using Params = Struct;                                                                     \
    static constexpr ParamField fields[] = {FIELDS(NK_TABLE_FIELD, NK_TABLE_FIELD_ARRAY)};     \
    static constexpr uint32_t bytes = sizeof(Params);                                          \
    static_assert(bytes == 0 FIELDS(NK_SUM_FIELD, NK_SUM_FIELD_ARRAY), "padding in " #Struct); \
  }

// The bytes of a parameter struct.
template <typename T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
ConstData constant_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

// For Error::where: "conv2d 'name'".
std::string place_of(const Node& node);
std::string place_of(const ForeignNode& node);

// Type of the node's i-th input; nullptr where it is absent.
const TensorType* input_type(const Graph& graph, const Node& node, size_t i);
// As input_type, an error where it is absent or has another rank (any rank: -1).
Result<const TensorType*> need_input(const Graph& graph, const Node& node, size_t i, int rank);
// Input i as a step argument; absent where the node has none.
StepArg tensor_arg(const Node& node, size_t i, std::string label);

// "s8" for int8, "f32" for float32 …; the parts of kernel signatures.
std::string_view signature_of(nk_dtype dtype);

// Every element count of the types is below 2^31 (kernels index with int32 and size_t).
Result<void> check_sizes(std::span<const TensorType* const> types, const std::string& where);

// value as int32, or an error "<what> <value> is not in [lo, hi]".
Result<int32_t> checked_int32(int64_t value, int64_t lo, int64_t hi, std::string_view what,
                              const std::string& where);

// Type that the foreign file states for the node's i-th output, for LowerContext::add.
std::optional<TensorType> declared_type(const LowerContext& context, const ForeignNode& node,
                                        size_t i);

// The node's i-th input, or an error where it is absent.
Result<TensorId> need_foreign_input(const LowerContext& context, const ForeignNode& node, size_t i);

// x with another shape of as many elements; a constant is folded. Per-channel quantisation stays on
// its axis, so the sizes up to and including that axis must not change.
Result<TensorId> reshape_to(LowerContext& context, TensorId x, Dims dims);

// x as the real numbers that it stands for, where x is of 8 bits or float16 (weights beside float32
// activations); a constant is folded. Others as they are.
Result<TensorId> as_real(LowerContext& context, TensorId x);
// Weights `w` of an operator whose input is x: as_real where x is float32.
Result<TensorId> weights_beside(LowerContext& context, TensorId x, TensorId w);

// TFLite's fused_activation_function as the canonical attribute `activation`.
Result<void> set_fused_activation(const ForeignNode& node, Attrs& attrs);

}  // namespace netkit
