// SPDX-License-Identifier: MIT
// The host face of quantize, dequantize, requantize and cast (quantize.h).
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"
#include "ops/quantize/quantize.h"
#include "ops/quantize/quantize_lower.h"

namespace netkit {
namespace {

// A kernel that widens runs from high to low. After the k-th element from the end is written, the
// unread ones end at input end - k * in_bytes, so output end - input end must be at least k *
// (out_bytes - in_bytes) for k < count. The multiple of out_bytes above that is the output starting
// where the input does.
void add_widening_modes(int64_t count, int64_t in_bytes, int64_t out_bytes,
                        std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_backward_mode(0, count * (out_bytes - in_bytes), out);
}

void add_narrowing_modes(std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}

int64_t count_of(const nk_quantize_params* p) {
  return int64_t{p->outer} * p->channels * p->inner;
}

}  // namespace

void quantize_modes(const nk_quantize_params*, std::vector<KernelMode>& out) {
  add_narrowing_modes(out);
}
void dequantize_modes_x8(const nk_quantize_params* p, std::vector<KernelMode>& out) {
  add_widening_modes(count_of(p), 1, 4, out);
}
void dequantize_modes_x16(const nk_quantize_params* p, std::vector<KernelMode>& out) {
  add_widening_modes(count_of(p), 2, 4, out);
}
void dequantize_modes_x32(const nk_quantize_params* p, std::vector<KernelMode>& out) {
  add_widening_modes(count_of(p), 4, 4, out);
}
void requantize_modes(const nk_requantize_params*, std::vector<KernelMode>& out) {
  add_narrowing_modes(out);
}
void requantize_modes_x8_x16(const nk_requantize_params* p, std::vector<KernelMode>& out) {
  add_widening_modes(p->count, 1, 2, out);
}
void requantize_modes_x8_x32(const nk_requantize_params* p, std::vector<KernelMode>& out) {
  add_widening_modes(p->count, 1, 4, out);
}
void requantize_modes_x16_x32(const nk_requantize_params* p, std::vector<KernelMode>& out) {
  add_widening_modes(p->count, 2, 4, out);
}
void cast_modes(const nk_cast_params* p, std::vector<KernelMode>& out) {
  const int64_t from = bits_of(static_cast<nk_dtype>(p->from)) / 8;
  const int64_t to = bits_of(static_cast<nk_dtype>(p->to)) / 8;
  if (to > from) {
    add_widening_modes(p->count, from, to, out);
  } else {
    add_narrowing_modes(out);
  }
}

namespace {

NK_PARAM_TABLE(kQuantizeTable, nk_quantize_params, NK_QUANTIZE_FIELDS);
NK_PARAM_TABLE(kRequantizeTable, nk_requantize_params, NK_REQUANTIZE_FIELDS);
NK_PARAM_TABLE(kCastTable, nk_cast_params, NK_CAST_FIELDS);

const TensorType& output_type(const Graph& graph, const Node& node) {
  return graph.tensor(node.outputs[0]).type;
}

// The side of a quantize or dequantize node that carries the scales.
const TensorType& quantised_side(const Graph& graph, const Node& node) {
  return node.op == "quantize" ? output_type(graph, node) : *input_type(graph, node, 0);
}

// The type comes from the declaration: scales cannot be known from the input.
Result<std::vector<TensorType>> infer_quantize(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  return std::vector{TensorType{dtype_from_name(node.attrs.get_string("to")), x->dims, {}}};
}

Result<std::vector<TensorType>> infer_dequantize(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  return std::vector{TensorType{NK_FLOAT32, x->dims, {}}};
}

Result<void> check_scales(const TensorType& type, const std::string& where) {
  const Quant& q = type.quant;
  bool valid = !q.scale.empty() && (q.zero_point.empty() || q.zero_point.size() == q.scale.size());
  for (const float scale : q.scale) valid = valid && std::isfinite(scale) && scale > 0.0f;
  for (const int64_t zero : q.zero_point) valid = valid && zero >= INT32_MIN && zero <= INT32_MAX;
  if (q.scale.size() > 1) {
    valid = valid && q.axis >= 0 && static_cast<size_t>(q.axis) < type.dims.size() &&
            type.dims[static_cast<size_t>(q.axis)] == static_cast<int64_t>(q.scale.size());
  }
  if (valid) return {};
  return bad_input(fmt::format("{} has no valid scales", type_text(type)), where);
}

Result<StepParams> quantize_params(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  const TensorType& y = output_type(graph, node);
  const TensorType& side = quantised_side(graph, node);
  NK_TRY(check_scales(side, where));
  nk_quantize_params p{};
  p.outer = p.channels = 1;
  p.inner = static_cast<int32_t>(product_of(x->dims, 0, x->dims.size()));
  if (side.quant.scale.size() > 1) {
    const auto axis = static_cast<size_t>(side.quant.axis);
    p.outer = static_cast<int32_t>(product_of(x->dims, 0, axis));
    p.channels = static_cast<int32_t>(x->dims[axis]);
    p.inner = static_cast<int32_t>(product_of(x->dims, axis + 1, x->dims.size()));
  } else {
    p.scale = side.quant.scale[0];
    p.zero_point = static_cast<int32_t>(side.quant.zero_point.empty() ? 0
                                                                      : side.quant.zero_point[0]);
  }
  if (node.op == "quantize") {
    const std::string round = node.attrs.get_string("round", "away");
    if (round != "away" && round != "even") {
      return bad_input(fmt::format("unknown rounding '{}'", round), where);
    }
    p.ties_to_even = round == "even" ? 1 : 0;
    NK_ASSIGN(const IntRange range, value_range(y.dtype, where));
    for (const int64_t zero : side.quant.zero_point) {
      NK_TRY(checked_int32(zero, range.lo, range.hi, "zero point", where));
    }
  }
  return StepParams{bytes_of(p),
                    fmt::format("{}_{}", signature_of(x->dtype), signature_of(y.dtype))};
}

Result<std::vector<StepArg>> quantize_args(const Graph& graph, const Node& node,
                                           const KernelRow&) {
  std::vector<StepArg> args{tensor_arg(node, 0, "x"), {}, {}};
  const Quant& quant = quantised_side(graph, node).quant;
  if (quant.scale.size() <= 1) return args;
  std::vector<int32_t> zeros(quant.scale.size(), 0);
  for (size_t i = 0; i < quant.zero_point.size(); ++i) {
    zeros[i] = static_cast<int32_t>(quant.zero_point[i]);
  }
  args[1].constant = constant_of(quant.scale);
  args[1].dtype = NK_FLOAT32;
  args[1].label = "scales";
  args[2].constant = constant_of(zeros);
  args[2].dtype = NK_INT32;
  args[2].label = "zero_points";
  return args;
}

// A requantize keeps the element type unless `to` names another.
Result<std::vector<TensorType>> infer_requantize(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  const std::string to = node.attrs.get_string("to", std::string(name_of(x->dtype)));
  return std::vector{TensorType{dtype_from_name(to), x->dims, {}}};
}

// Scale and zero point of a type that may also be int32 (zero point 0).
Result<TensorQuant> wide_quant(const TensorType& type, std::string_view what,
                               const std::string& where) {
  if (type.dtype != NK_INT32) return tensor_quant(type, what, where);
  const Quant& q = type.quant;
  if (q.scale.size() == 1 && std::isfinite(q.scale[0]) && q.scale[0] > 0.0f &&
      (q.zero_point.empty() || q.zero_point[0] == 0)) {
    return TensorQuant{q.scale[0], 0};
  }
  return bad_input(fmt::format("{} is {}, one scale and zero point 0 are needed", what,
                               type_text(type)),
                   where);
}

Result<StepParams> requantize_params(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  const TensorType& y = output_type(graph, node);
  NK_ASSIGN(const TensorQuant in, wide_quant(*x, "the input", where));
  NK_ASSIGN(const TensorQuant out, wide_quant(y, "the output", where));
  NK_ASSIGN(const QuantizedMultiplier m,
            quantize_multiplier(double{in.scale} / double{out.scale}, where));
  nk_requantize_params p{};
  p.count = static_cast<int32_t>(product_of(x->dims, 0, x->dims.size()));
  p.in_zero_point = in.zero_point;
  p.zero_point = out.zero_point;
  p.multiplier = m.mantissa;
  p.shift = m.shift;
  return StepParams{bytes_of(p),
                    fmt::format("{}_{}", signature_of(x->dtype), signature_of(y.dtype))};
}

Result<std::vector<StepArg>> one_arg(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x")};
}

bool can_cast(nk_dtype dtype) {
  static constexpr nk_dtype kTypes[] = {NK_FLOAT32, NK_FLOAT16, NK_FLOAT64, NK_INT8,
                                        NK_UINT8,   NK_INT16,   NK_UINT16,  NK_INT32,
                                        NK_UINT32,  NK_INT64,   NK_UINT64, NK_BOOL};
  return std::ranges::find(kTypes, dtype) != std::end(kTypes);
}

Result<std::vector<TensorType>> infer_cast(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  const std::string name = node.attrs.get_string("to");
  const nk_dtype to = dtype_from_name(name);
  if (!can_cast(x->dtype) || !can_cast(to)) {
    return bad_input(fmt::format("a cast from {} to {} is not supported", name_of(x->dtype), name),
                     place_of(node));
  }
  return std::vector{TensorType{to, x->dims, {}}};
}

Result<StepParams> cast_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_cast(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  nk_cast_params p{};
  p.count = static_cast<int32_t>(product_of(x.dims, 0, x.dims.size()));
  p.from = x.dtype;
  p.to = y[0].dtype;
  const bool wide = x.dtype == NK_FLOAT64 || y[0].dtype == NK_FLOAT64;
  return StepParams{bytes_of(p), wide ? "f64" : "any"};
}

uint64_t no_macs(const Graph&, const Node&) { return 0; }

}  // namespace

extern const OpDef nk_op_quantize = {"quantize",            quantize_rules(),
                                     kQuantizeTable::fields, kQuantizeTable::bytes,
                                     infer_quantize,        quantize_params,
                                     quantize_args,         no_macs,
                                     false,                 true};
extern const OpDef nk_op_dequantize = {"dequantize",           dequantize_rules(),
                                       kQuantizeTable::fields, kQuantizeTable::bytes,
                                       infer_dequantize,       quantize_params,
                                       quantize_args,          no_macs,
                                       false,                  true,
                                       "nk_quantize_params"};
extern const OpDef nk_op_requantize = {"requantize",             requantize_rules(),
                                       kRequantizeTable::fields, kRequantizeTable::bytes,
                                       infer_requantize,         requantize_params,
                                       one_arg,                  no_macs,
                                       false,                    true};
extern const OpDef nk_op_cast = {"cast",      cast_rules(), kCastTable::fields, kCastTable::bytes,
                                 infer_cast,  cast_params,  one_arg,            no_macs,
                                 false,       true};

}  // namespace netkit
