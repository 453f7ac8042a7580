// SPDX-License-Identifier: MIT
// reshape, the view, and the many operators of ONNX and TFLite that are one: Reshape, Flatten,
// Squeeze, Unsqueeze, ExpandDims; Identity and Dropout, which are nothing at all.
#include <fmt/format.h>

#include <algorithm>

#include "ops/move/move_host.h"

namespace netkit {
namespace {

// Per-axis quantisation survives where its axis does: same size, same product of the axes before.
Result<Quant> reshaped_quant(const TensorType& x, const Dims& shape, const std::string& where) {
  if (x.quant.scale.size() <= 1) return x.quant;
  const auto axis = static_cast<size_t>(x.quant.axis);
  const int64_t before = product_of(x.dims, 0, axis);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != x.dims[axis] || product_of(shape, 0, i) != before) continue;
    Quant quant = x.quant;
    quant.axis = static_cast<int>(i);
    return quant;
  }
  return bad_input("the reshape splits an axis with scales of its own", where);
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  TensorType y{x->dtype, node.attrs.get_ints("shape"), {}};
  if (std::ranges::any_of(y.dims, [](int64_t dim) { return dim < 0; })) {
    return bad_input(fmt::format("shape {} is not complete", dims_text(y.dims)), where);
  }
  NK_ASSIGN(const int64_t have, element_count(x->dims));
  NK_ASSIGN(const int64_t want, element_count(y.dims));
  if (have != want) {
    return bad_input(fmt::format("{} elements of shape {} do not fill shape {}", have,
                                 dims_text(x->dims), dims_text(y.dims)),
                     where);
  }
  NK_ASSIGN(y.quant, reshaped_quant(*x, y.dims, where));
  return std::vector{std::move(y)};
}

// The one -1 becomes what the element count leaves; `copies_zero`: 0 takes the input's dimension.
Result<Dims> resolved(Dims shape, const Dims& from, bool copies_zero, const std::string& where) {
  int64_t known = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && copies_zero) {
      if (i >= from.size()) {
        return bad_input(fmt::format("shape {} copies axis {} of an input of shape {}",
                                     dims_text(shape), i, dims_text(from)),
                         where);
      }
      shape[i] = from[i];
    }
    if (shape[i] < -1 || (shape[i] == -1 && open.has_value())) {
      return bad_input(
          fmt::format("shape {} has more than one open axis or a negative one", dims_text(shape)),
          where);
    }
    if (shape[i] == -1) open = i;
  }
  NK_ASSIGN(const int64_t count, element_count(from));
  Dims rest = shape;
  if (open.has_value()) rest[*open] = 1;
  NK_ASSIGN(known, element_count(rest));
  if (!open.has_value()) return shape;
  if (known == 0 || count % known != 0) {
    return bad_input(fmt::format("{} elements do not fill shape {}", count, dims_text(shape)),
                     where);
  }
  shape[*open] = count / known;
  return shape;
}

Result<void> bind_shape(const ForeignNode& node, LowerContext& context, TensorId x, Dims shape) {
  // Also checks the count where the shape is that of x.
  NK_ASSIGN(const TensorId y,
            reshaped(context, x, std::move(shape), declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

Result<void> lower_reshape_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Dims shape = node.attrs.get_ints("shape");
  if (!node.attrs.has("shape")) {
    NK_ASSIGN(shape, constant_ints(context, node, 1, "shape"));
  }
  const bool copies_zero = node.attrs.get_int("allowzero", 0) == 0;
  NK_ASSIGN(shape, resolved(std::move(shape), context.type(x).dims, copies_zero, place_of(node)));
  return bind_shape(node, context, x, std::move(shape));
}

// The shape is the second input, the option new_shape, or what the output declares.
Result<void> lower_reshape_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Dims shape = node.attrs.get_ints("new_shape");
  bool known = node.attrs.has("new_shape");
  if (const TensorId id = context.input(node, 1); id != kNoTensor) {
    if (const auto values = context.const_ints(id); values.has_value()) {
      shape = *values;
      known = true;
    }
  }
  if (!known) {
    const auto declared = declared_type(context, node, 0);
    if (!declared.has_value()) return bad_input("the shape is not constant", place_of(node));
    shape = declared->dims;
  }
  const ForeignTensor* made = context.declared_output(node, 0);
  if (made != nullptr && is_complex(*made)) shape.push_back(2);
  NK_ASSIGN(shape, resolved(std::move(shape), context.type(x).dims, false, place_of(node)));
  return bind_shape(node, context, x, std::move(shape));
}

Result<void> lower_flatten(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims& dims = context.type(x).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t axis = node.attrs.get_int("axis", 1);
  if (axis < -rank || axis > rank) {
    return bad_input(fmt::format("axis {} is outside rank {}", axis, rank), place_of(node));
  }
  if (axis < 0) axis += rank;
  const auto at = static_cast<size_t>(axis);
  return bind_shape(node, context, x, {product_of(dims, 0, at), product_of(dims, at, dims.size())});
}

// Axes of Squeeze and Unsqueeze: attribute (ONNX before 13, TFLite) or second input.
Result<Dims> axes_of(const ForeignNode& node, const LowerContext& context, const char* attribute) {
  if (node.attrs.has(attribute)) return node.attrs.get_ints(attribute);
  if (context.input(node, 1) == kNoTensor) return Dims();
  return constant_ints(context, node, 1, "axes");
}

Result<void> lower_squeeze(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims& dims = context.type(x).dims;
  NK_ASSIGN(Dims axes, axes_of(node, context, node.op == "SQUEEZE" ? "squeeze_dims" : "axes"));
  NK_ASSIGN(axes, normal_axes(axes, dims.size(), place_of(node)));
  Dims shape;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool named = std::ranges::binary_search(axes, static_cast<int64_t>(i));
    if (named && dims[i] != 1) {
      return bad_input(fmt::format("axis {} of shape {} is not 1", i, dims_text(dims)),
                       place_of(node));
    }
    if (!named && (!axes.empty() || dims[i] != 1)) shape.push_back(dims[i]);
  }
  return bind_shape(node, context, x, std::move(shape));
}

Result<void> lower_unsqueeze(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims& dims = context.type(x).dims;
  NK_ASSIGN(const Dims given, axes_of(node, context, "axes"));
  const size_t rank = dims.size() + given.size();
  NK_ASSIGN(const Dims axes, normal_axes(given, rank, place_of(node)));
  if (axes.size() != given.size()) return bad_input("an axis stands twice", place_of(node));
  Dims shape;
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) {
    const bool fresh = std::ranges::binary_search(axes, static_cast<int64_t>(i));
    shape.push_back(fresh ? 1 : dims[next++]);
  }
  return bind_shape(node, context, x, std::move(shape));
}

Result<void> lower_identity(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  return context.bind(node, 0, x);
}

// Dropout does nothing but in training: is_test 0 (before opset 7) or a true third input; and
// nothing there either where its ratio is 0.
Result<void> lower_dropout(const ForeignNode& node, LowerContext& context) {
  bool training = node.version < 7 && node.attrs.get_int("is_test", 0) == 0;
  if (const TensorId id = context.input(node, 2); id != kNoTensor) {
    const auto mode = context.const_ints(id);
    const auto ratio = context.const_floats(context.input(node, 1));
    const bool drops = !ratio.has_value() || ratio->size() != 1 || (*ratio)[0] != 0.0;
    training = drops && (!mode.has_value() || mode->empty() || (*mode)[0] != 0);
  }
  if (training) {
    return bad_input("training mode is not supported", place_of(node),
                     "export the model for inference");
  }
  if (node.outputs.size() > 1 && node.outputs[1] != kAbsent) {  // the mask: nothing is dropped
    NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
    const Dims dims = context.type(x).dims;
    NK_ASSIGN(const int64_t count, byte_count(NK_BOOL, dims));
    if (count > int64_t{1} << 26) return bad_input("the mask is too large", place_of(node));
    NK_TRY(context.bind(node, 1,
                        context.add_constant(node.name + "_mask", {NK_BOOL, dims, {}},
                                             Bytes(static_cast<size_t>(count), std::byte{1}))));
  }
  return lower_identity(node, context);
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "Reshape", "", lower_reshape_onnx},
    {SourceFormat::kOnnx, "Flatten", "", lower_flatten},
    {SourceFormat::kOnnx, "Squeeze", "", lower_squeeze},
    {SourceFormat::kOnnx, "Unsqueeze", "", lower_unsqueeze},
    {SourceFormat::kOnnx, "Identity", "", lower_identity},
    {SourceFormat::kOnnx, "Dropout", "", lower_dropout},
    {SourceFormat::kTflite, "DENSIFY", "", lower_identity},  // the importer wrote it out
    {SourceFormat::kTflite, "RESHAPE", "", lower_reshape_tflite},
    {SourceFormat::kTflite, "SQUEEZE", "", lower_squeeze},
    {SourceFormat::kTflite, "EXPAND_DIMS", "", lower_unsqueeze}};

}  // namespace

extern const OpDef nk_op_reshape =
    with_quant({"reshape", kRules,  {},      0,    infer,
                nullptr,   nullptr, no_macs, true, false},
               {QuantRule::kSame});

}  // namespace netkit
