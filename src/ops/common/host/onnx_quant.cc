// SPDX-License-Identifier: MIT
#include "ops/common/host/onnx_quant.h"

#include <cmath>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"

namespace netkit {

nk_dtype onnx_dtype(int64_t value) {
  static constexpr nk_dtype kTypes[] = {
      NK_DTYPE_NONE, NK_FLOAT32, NK_UINT8, NK_INT8,    NK_UINT16,  NK_INT16,  NK_INT32, NK_INT64,
      NK_STRING,     NK_BOOL,    NK_FLOAT16, NK_FLOAT64, NK_UINT32, NK_UINT64};
  return value >= 0 && value < static_cast<int64_t>(std::size(kTypes)) ? kTypes[value]
                                                                       : NK_DTYPE_NONE;
}

Result<OnnxQuant> onnx_quant(const ForeignNode& node, const LowerContext& context, size_t scale,
                             size_t zero, const Dims& dims) {
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
  NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis", 1), dims.size(), where));
  if (dims[static_cast<size_t>(axis)] != static_cast<int64_t>(scales->size())) {
    return bad_input(fmt::format("{} scales along axis {} of shape {}", scales->size(), axis,
                                 dims_text(dims)),
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

}  // namespace netkit
