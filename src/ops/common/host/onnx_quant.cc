// SPDX-License-Identifier: MIT
#include "ops/common/host/onnx_quant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"

namespace netkit {

nk_dtype onnx_dtype(int64_t value) {
  static constexpr nk_dtype kTypes[] = {NK_DTYPE_NONE, NK_FLOAT32, NK_UINT8,  NK_INT8,   NK_UINT16,
                                        NK_INT16,      NK_INT32,   NK_INT64,  NK_STRING, NK_BOOL,
                                        NK_FLOAT16,    NK_FLOAT64, NK_UINT32, NK_UINT64};
  return value >= 0 && value < static_cast<int64_t>(std::size(kTypes)) ? kTypes[value]
                                                                       : NK_DTYPE_NONE;
}

Result<OnnxQuant> onnx_quant(const ForeignNode& node, const LowerContext& context, size_t scale,
                             size_t zero, const Dims& dims, std::optional<int64_t> along) {
  const std::string where = place_of(node);
  if (node.attrs.get_int("block_size", 0) != 0) {
    return bad_input("blocked quantisation is not supported", where);
  }
  NK_ASSIGN(const TensorId scale_id, need_foreign_input(context, node, scale));
  const auto scales = context.const_floats(scale_id);
  if (!scales.has_value() || scales->empty()) {
    return bad_input("the scale is not constant", where);
  }
  OnnxQuant out;
  for (const double value : *scales) {
    const auto s = static_cast<float>(value);
    if (!std::isfinite(s) || !(s > 0.0f)) {
      return bad_input(fmt::format("the scale {} is not above 0", value), where);
    }
    out.quant.scale.push_back(s);
  }
  out.quant.zero_point.assign(scales->size(), 0);
  if (const TensorId id = context.input(node, zero); id != kNoTensor) {
    const auto zeros = context.const_ints(id);
    out.zero_dtype = context.type(id).dtype;
    if (!zeros.has_value() || zeros->size() != scales->size()) {
      return bad_input("the zero point is not constant or not as long as the scale", where);
    }
    out.quant.zero_point = *zeros;
  }
  if (scales->size() == 1) return out;
  NK_ASSIGN(const int64_t axis,
            normal_axis(along.value_or(node.attrs.get_int("axis", 1)), dims.size(), where));
  if (dims[static_cast<size_t>(axis)] != static_cast<int64_t>(scales->size())) {
    return bad_input(
        fmt::format("{} scales along axis {} of shape {}", scales->size(), axis, dims_text(dims)),
        where);
  }
  out.quant.axis = static_cast<int>(axis);
  return out;
}

Result<TensorId> with_quant(LowerContext& context, TensorId x, const Quant& quant) {
  const Tensor& tensor = context.tensor(x);
  TensorType type = tensor.type;
  if (type.quant == quant) return x;
  type.quant = quant;
  if (tensor.is_constant()) {
    const ConstData data = tensor.data;  // add_constant may move the tensors
    return context.add_constant(tensor.name, std::move(type), *data);
  }
  Attrs attrs;
  attrs.set("shape", type.dims);
  return context.add("reshape", {x}, std::move(attrs), std::move(type));
}

Result<TensorId> quantised_input(const ForeignNode& node, LowerContext& context, size_t at,
                                 int64_t axis) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, at));
  const TensorType& type = context.type(x);
  NK_ASSIGN(const OnnxQuant q, onnx_quant(node, context, at + 1, at + 2, type.dims, axis));
  if (q.zero_dtype != NK_DTYPE_NONE && q.zero_dtype != type.dtype) {
    return bad_input(
        fmt::format("zero point of type {} for {}", name_of(q.zero_dtype), name_of(type.dtype)),
        place_of(node));
  }
  return with_quant(context, x, q.quant);
}

Result<TensorId> offset_input(const ForeignNode& node, LowerContext& context, size_t at,
                              size_t zero, int64_t axis) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, at));
  Quant quant{{1.0f}, {0}, 0};
  if (const TensorId id = context.input(node, zero); id != kNoTensor) {
    const auto zeros = context.const_ints(id);
    if (!zeros.has_value() || zeros->empty()) {
      return bad_input("the zero point is not constant", place_of(node));
    }
    const Dims& dims = context.type(x).dims;
    NK_ASSIGN(const int64_t along, zeros->size() == 1
                                       ? Result<int64_t>(0)
                                       : normal_axis(axis, dims.size(), place_of(node)));
    if (zeros->size() != 1 &&
        dims[static_cast<size_t>(along)] != static_cast<int64_t>(zeros->size())) {
      return bad_input(fmt::format("{} zero points along axis {} of shape {}", zeros->size(), along,
                                   dims_text(dims)),
                       place_of(node));
    }
    const bool same = std::ranges::count(*zeros, zeros->front()) == std::ssize(*zeros);
    quant.zero_point = same ? std::vector<int64_t>{zeros->front()} : *zeros;
    quant.scale.assign(quant.zero_point.size(), 1.0f);
    quant.axis = same ? 0 : static_cast<int>(along);
  }
  return with_quant(context, x, quant);
}

bool is_x8(nk_dtype dtype) {
  return dtype == NK_INT8 || dtype == NK_UINT8;
}

TensorType as_x8(TensorType type, nk_dtype dtype) {
  if (type.dtype == dtype || !is_x8(type.dtype) || !is_x8(dtype)) return type;
  type.dtype = dtype;
  type.quant.zero_point.resize(type.quant.scale.size(), 0);
  for (int64_t& zero : type.quant.zero_point) zero += dtype == NK_INT8 ? -128 : 128;
  return type;
}

ConstData flipped_x8(const ConstData& data) {
  Bytes bytes = *data;
  for (std::byte& b : bytes) b ^= std::byte{0x80};
  return std::make_shared<const Bytes>(std::move(bytes));
}

Result<TensorId> as_x8(LowerContext& context, TensorId x, nk_dtype dtype,
                       const std::string& where) {
  const Tensor& tensor = context.tensor(x);
  if (!is_x8(tensor.type.dtype) || !is_x8(dtype)) {
    return bad_input(fmt::format("{} is neither int8 nor uint8, others are not supported",
                                 name_of(is_x8(dtype) ? tensor.type.dtype : dtype)),
                     where);
  }
  if (tensor.type.dtype == dtype) return x;
  TensorType type = as_x8(tensor.type, dtype);
  if (tensor.is_constant()) {
    return context.add_constant(tensor.name, std::move(type), *flipped_x8(tensor.data));
  }
  Attrs attrs;
  attrs.set("to", std::string(name_of(dtype)));
  return context.add("requantize", {x}, std::move(attrs), std::move(type));
}

Result<QuantisedOutput> quantised_output(const ForeignNode& node, const LowerContext& context,
                                         size_t at, nk_dtype made) {
  NK_ASSIGN(const OnnxQuant q, onnx_quant(node, context, at, at + 1, {}, 0));
  const nk_dtype stated = q.zero_dtype == NK_DTYPE_NONE ? NK_UINT8 : q.zero_dtype;
  if (q.quant.scale.size() != 1 || !is_x8(stated)) {
    return bad_input("one scale and an int8 or uint8 zero point are supported for the output",
                     place_of(node));
  }
  const TensorType type{stated, {}, q.quant};
  return QuantisedOutput{type, as_x8(type, made)};
}

}  // namespace netkit
