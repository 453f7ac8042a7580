// SPDX-License-Identifier: MIT
// The host faces of softmax and log_softmax: TFLite SOFTMAX and LOG_SOFTMAX, ONNX Softmax and
// LogSoftmax of every opset.
#include "ops/softmax/softmax.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"

namespace netkit {

void softmax_modes(const nk_softmax_params*, std::vector<KernelMode>& out) {
  out.push_back({});
  out.push_back({1, 0, {{0, 0, 0, std::nullopt}}});
}

void softmax_wide_modes(const nk_softmax_params*, std::vector<KernelMode>& out) {
  out.push_back({});
}

namespace {

constexpr int kIntegerBits = 5;  // of the scaled differences

NK_PARAM_TABLE(kTable, nk_softmax_params, NK_SOFTMAX_FIELDS);

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  if (x->dims.empty() || x->dims.back() == 0) {
    return bad_input(fmt::format("input shape {} has no last axis", dims_text(x->dims)),
                     place_of(node));
  }
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  const std::string to = node.attrs.get_string("to", "");
  const nk_dtype dtype = to.empty() ? x->dtype : dtype_from_name(to);
  return std::vector{TensorType{dtype, x->dims, {}}};
}

// Multiplier, shift and least difference of TFLite's PreprocessSoftmaxScaling and
// CalculateInputRadius. A multiplier of 2^30 and more leaves the difference 0 only.
Result<void> set_scaling(double input_scale, const std::string& where, nk_softmax_params& p) {
  const double real = std::min(double{p.beta} * input_scale * (1 << (31 - kIntegerBits)),
                               0x1p31 - 1.0);
  if (!(real > 1.0)) {
    return bad_input(fmt::format("beta {} times the input scale {} is too small", p.beta,
                                 input_scale),
                     where);
  }
  if (real >= 0x1p30) {
    p.multiplier = 1 << 30;
    p.shift = 30;
    p.diff_min = 0;
    return {};
  }
  NK_ASSIGN(const QuantizedMultiplier m, quantize_multiplier(real, where));
  p.multiplier = m.mantissa;
  p.shift = m.shift;
  const double radius = ((1 << kIntegerBits) - 1) * std::ldexp(1.0, 31 - kIntegerBits - m.shift);
  p.diff_min = -static_cast<int32_t>(std::min(std::floor(radius), 2147483647.0));
  return {};
}

Result<void> set_quantised(const Graph& graph, const Node& node, nk_softmax_params& p) {
  const std::string where = place_of(node);
  const TensorType& y_type = graph.tensor(node.outputs[0]).type;
  NK_ASSIGN(const TensorQuant x, tensor_quant(*input_type(graph, node, 0), "the input", where));
  NK_ASSIGN(const TensorQuant y, tensor_quant(y_type, "the output", where));
  const bool log = node.op == "log_softmax";
  NK_ASSIGN(const IntRange range, value_range(y_type.dtype, where));
  const float share = y_type.dtype == NK_INT16 ? 1.0f / 65536 : 1.0f / 256;
  const TensorQuant fixed =
      log ? TensorQuant{16.0f / 256, range.hi} : TensorQuant{share, range.lo};
  // TensorFlow Lite's converter writes 1/65535 where its kernels mean 1/65536.
  const float slack = y_type.dtype == NK_INT16 ? 1e-3f * share : 1e-6f;
  if (y.zero_point != fixed.zero_point || std::fabs(y.scale - fixed.scale) > slack) {
    return bad_input(fmt::format("the output has scale {} and zero point {}, {} and {} are needed",
                                 y.scale, y.zero_point, fixed.scale, fixed.zero_point),
                     where);
  }
  NK_TRY(set_scaling(double{x.scale}, where, p));
  if (!log) return {};
  const double reverse = std::ldexp(1.0, 31 - p.shift) / p.multiplier;
  NK_ASSIGN(const QuantizedMultiplier m, quantize_multiplier(reverse, where));
  p.reverse_multiplier = m.mantissa;
  p.reverse_shift = m.shift;
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_TRY(infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  NK_ASSIGN(const int64_t elements, element_count(x.dims));
  nk_softmax_params p{};
  p.depth = static_cast<int32_t>(x.dims.back());
  p.rows = static_cast<int32_t>(elements / x.dims.back());
  p.beta = static_cast<float>(node.attrs.get_float("beta", 1.0));
  if (!std::isfinite(p.beta)) return bad_input("beta is not finite", place_of(node));
  if (x.dtype == NK_INT8 || x.dtype == NK_UINT8) NK_TRY(set_quantised(graph, node, p));
  std::string signature(signature_of(x.dtype));
  const nk_dtype y = graph.tensor(node.outputs[0]).type.dtype;
  if (y != x.dtype) signature += fmt::format("_{}", signature_of(y));
  return StepParams{bytes_of(p), std::move(signature)};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "input")};
}

uint64_t macs(const Graph&, const Node&) { return 0; }

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context, const char* op) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Attrs attrs;
  if (node.attrs.has("beta")) attrs.set("beta", node.attrs.get_float("beta", 1.0));
  const auto declared = declared_type(context, node, 0);
  if (declared && declared->dtype == NK_INT16 && context.type(x).dtype == NK_INT8) {
    attrs.set("to", std::string("int16"));
  }
  NK_ASSIGN(const TensorId y, context.add(op, {x}, attrs, declared));
  return context.bind(node, 0, y);
}

// Before opset 13 all axes from `axis` on are one; since then `axis` alone counts.
Result<void> lower_onnx(const ForeignNode& node, LowerContext& context, const char* op) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const bool flattens = node.version < 13;
  int64_t axis = node.attrs.get_int("axis", flattens ? 1 : -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) {
    return bad_input(fmt::format("axis {} is outside shape {}", node.attrs.get_int("axis"),
                                 dims_text(dims)),
                     where);
  }
  TensorId y = x;
  if (axis == rank - 1) {
    NK_ASSIGN(y, context.add(op, {x}, {}));
  } else if (flattens) {
    const auto split = static_cast<size_t>(axis);
    NK_ASSIGN(const int64_t rows, element_count(std::span(dims).first(split)));
    NK_ASSIGN(const int64_t depth, element_count(std::span(dims).subspan(split)));
    NK_ASSIGN(const TensorId flat, reshape_to(context, x, {rows, depth}));
    NK_ASSIGN(y, context.add(op, {flat}, {}));
    NK_ASSIGN(y, reshape_to(context, y, dims));
  } else {
    std::vector<int64_t> perm(dims.size()), back(dims.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::rotate(perm.begin() + axis, perm.begin() + axis + 1, perm.end());
    for (int64_t i = 0; i < rank; ++i) {
      back[static_cast<size_t>(perm[static_cast<size_t>(i)])] = i;
    }
    NK_ASSIGN(const TensorId last, context.transpose(x, perm));
    NK_ASSIGN(y, context.add(op, {last}, {}));
    NK_ASSIGN(y, context.transpose(y, back));
  }
  return context.bind(node, 0, y);
}

Result<void> tflite_softmax(const ForeignNode& node, LowerContext& context) {
  return lower_tflite(node, context, "softmax");
}
Result<void> tflite_log_softmax(const ForeignNode& node, LowerContext& context) {
  return lower_tflite(node, context, "log_softmax");
}
Result<void> onnx_softmax(const ForeignNode& node, LowerContext& context) {
  return lower_onnx(node, context, "softmax");
}
Result<void> onnx_log_softmax(const ForeignNode& node, LowerContext& context) {
  return lower_onnx(node, context, "log_softmax");
}

const ForeignRule kSoftmaxRules[] = {{SourceFormat::kTflite, "SOFTMAX", "", tflite_softmax},
                                     {SourceFormat::kOnnx, "Softmax", "", onnx_softmax}};
const ForeignRule kLogRules[] = {{SourceFormat::kTflite, "LOG_SOFTMAX", "", tflite_log_softmax},
                                 {SourceFormat::kOnnx, "LogSoftmax", "", onnx_log_softmax}};

}  // namespace

extern const OpDef nk_op_softmax =
    with_quant({"softmax", kSoftmaxRules, kTable::fields, kTable::bytes,
                infer,     make_params,   make_args,      macs},
               {QuantRule::kFixed, 0, 1.0f / 256, -128});
extern const OpDef nk_op_log_softmax =
    with_quant({"log_softmax", kLogRules,   kTable::fields, kTable::bytes,
                infer,         make_params, make_args,      macs},
               {QuantRule::kFixed, 0, 16.0f / 256, 127});

}  // namespace netkit
