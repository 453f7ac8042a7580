// SPDX-License-Identifier: MIT
// The host face of the elementwise functions of two tensors and of where (binary.h).
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "ops/binary/binary_lower.h"
#include "ops/binary/binary_quant.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"

namespace netkit {
namespace {

// Whether an operand is read once, in order.
bool is_full(const int32_t* strides, int32_t rank) {
  return std::none_of(strides, strides + rank, [](int32_t stride) { return stride == 0; });
}

}  // namespace

void binary_modes(const nk_binary_params* p, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  std::vector<int> inputs;
  if (is_full(p->a_strides, p->rank)) inputs.push_back(0);
  if (is_full(p->b_strides, p->rank)) inputs.push_back(1);
  add_forward_mode(std::move(inputs), out);
}

void where_modes(const nk_where_params* p, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  std::vector<int> inputs;
  if (is_full(p->a_strides, p->rank)) inputs.push_back(1);
  if (is_full(p->b_strides, p->rank)) inputs.push_back(2);
  add_forward_mode(std::move(inputs), out);
}

namespace {

NK_PARAM_TABLE(kBinaryTable, nk_binary_params, NK_BINARY_FIELDS);
NK_PARAM_TABLE(kWhereTable, nk_where_params, NK_WHERE_FIELDS);

bool is_compare(std::string_view op) {
  static constexpr std::string_view kOps[] = {
#define NK_NAME(op, onnx, tflite) #op,
      NK_BINARY_COMPARE_OPS(NK_NAME)
#undef NK_NAME
  };
  return std::ranges::find(kOps, op) != std::end(kOps);
}

bool is_shift(std::string_view op) { return op == "shift_left" || op == "shift_right"; }

bool takes_activation(std::string_view op) {
  return op == "add" || op == "sub" || op == "mul" || op == "div";
}

Result<void> check_rank(const Dims& dims, const std::string& where) {
  if (dims.size() <= NK_MAX_RANK) return {};
  return bad_input(fmt::format("shape {} has more than {} axes", dims_text(dims), NK_MAX_RANK),
                   where);
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* a, need_input(graph, node, 0, -1));
  NK_ASSIGN(const TensorType* b, need_input(graph, node, 1, -1));
  if (a->dtype != b->dtype) {
    return bad_input(fmt::format("inputs of types {} and {}", name_of(a->dtype),
                                 name_of(b->dtype)),
                     where);
  }
  NK_ASSIGN(Dims dims, broadcast_dims({&a->dims, &b->dims}, where));
  NK_TRY(check_rank(dims, where));
  NK_ASSIGN(const RealRange clamp, activation_clamp(node.attrs, where));
  const bool clamps = clamp.lo > -std::numeric_limits<float>::infinity() ||
                      clamp.hi < std::numeric_limits<float>::infinity();
  const bool plain = a->dtype == NK_INT32 || a->dtype == NK_INT64 || a->dtype == NK_FLOAT64;
  if (clamps && (plain || !takes_activation(node.op))) {
    return bad_input(fmt::format("a fused activation on {} is not supported", name_of(a->dtype)),
                     where, "use a separate activation operator");
  }
  TensorType y{is_compare(node.op) ? NK_BOOL : a->dtype, std::move(dims), {}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> inferred, infer(graph, node));
  const TensorType& a = *input_type(graph, node, 0);
  const TensorType& b = *input_type(graph, node, 1);
  const Dims& dims = inferred[0].dims;
  const NdBox box =
      merged({dims, {broadcast_strides(a.dims, dims), broadcast_strides(b.dims, dims)}});
  nk_binary_params p{};
  p.rank = static_cast<int32_t>(box.dims.size());
  fill_array(p.dims, box.dims);
  fill_array(p.a_strides, box.strides[0]);
  fill_array(p.b_strides, box.strides[1]);
  NK_ASSIGN(const RealRange clamp, activation_clamp(node.attrs, place_of(node)));
  p.act_min_f32 = clamp.lo;
  p.act_max_f32 = clamp.hi;
  if (!is_shift(node.op) &&
      (a.dtype == NK_INT8 || a.dtype == NK_UINT8 || a.dtype == NK_INT16)) {
    if (is_compare(node.op)) {
      NK_TRY(set_compare_quant(node, a, b, p));
    } else {
      NK_TRY(set_binary_quant(node, a, b, graph.tensor(node.outputs[0]).type, p));
    }
  }
  return StepParams{bytes_of(p), std::string(signature_of(a.dtype))};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "a"), tensor_arg(node, 1, "b")};
}

Result<std::vector<TensorType>> infer_where(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* c, need_input(graph, node, 0, -1));
  NK_ASSIGN(const TensorType* a, need_input(graph, node, 1, -1));
  NK_ASSIGN(const TensorType* b, need_input(graph, node, 2, -1));
  if (c->dtype != NK_BOOL || a->dtype != b->dtype || !(a->quant == b->quant)) {
    return bad_input(fmt::format("condition of type {}, choices of types {} and {}",
                                 name_of(c->dtype), type_text(*a), type_text(*b)),
                     where, "the condition is bool and both choices have one type");
  }
  NK_ASSIGN(Dims dims, broadcast_dims({&c->dims, &a->dims, &b->dims}, where));
  NK_TRY(check_rank(dims, where));
  TensorType y{a->dtype, std::move(dims), a->quant};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<StepParams> where_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_where(graph, node));
  const Dims& dims = y[0].dims;
  NdBox box{dims, {}};
  for (size_t i = 0; i < 3; ++i) {
    box.strides.push_back(broadcast_strides(input_type(graph, node, i)->dims, dims));
  }
  box = merged(box);
  nk_where_params p{};
  p.rank = static_cast<int32_t>(box.dims.size());
  fill_array(p.dims, box.dims);
  fill_array(p.c_strides, box.strides[0]);
  fill_array(p.a_strides, box.strides[1]);
  fill_array(p.b_strides, box.strides[2]);
  return StepParams{bytes_of(p), fmt::format("x{}", bits_of(y[0].dtype))};
}

Result<std::vector<StepArg>> where_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "condition"), tensor_arg(node, 1, "a"),
                     tensor_arg(node, 2, "b")};
}

uint64_t no_macs(const Graph&, const Node&) { return 0; }

constexpr QuantForm quant_form(std::string_view op) {
  if (op == "minimum" || op == "maximum") return {QuantRule::kSame};
  const bool has_form = op == "add" || op == "sub" || op == "mul" || op == "prelu";
  return {has_form ? QuantRule::kRange : QuantRule::kNone};
}

}  // namespace

#define NK_BINARY_DEF(op, onnx, tflite)                                                           \
  extern const OpDef nk_op_##op = with_quant(                                                     \
      {#op,   binary_rules(#op), kBinaryTable::fields,                                            \
       kBinaryTable::bytes, infer, make_params, make_args, no_macs,                               \
       false, true, "nk_binary_params"},                                                          \
      quant_form(#op));
NK_BINARY_OPS(NK_BINARY_DEF)
#undef NK_BINARY_DEF

extern const OpDef nk_op_where =
    with_quant({"where",     binary_rules("where"), kWhereTable::fields,
                kWhereTable::bytes, infer_where,  where_params,
                where_args,  no_macs,               false,
                true},
               {QuantRule::kSame});

}  // namespace netkit
