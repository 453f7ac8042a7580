// SPDX-License-Identifier: MIT
// The host face of fully_connected: TFLite FULLY_CONNECTED, ONNX Gemm.
#include <fmt/format.h>

#include <cstring>

#include "ops/common/arm/dsp_pack.h"
#include "ops/common/host/op_helpers.h"
#include "ops/common/host/weighted.h"
#include "ops/matmul/arm/fully_connected_mve.h"
#include "ops/matmul/fully_connected.h"

namespace netkit {

void fully_connected_modes(const nk_fully_connected_params*, std::vector<KernelMode>& out) {
  out.push_back({});
}

void fully_connected_modes_mve(const nk_fully_connected_params* p, std::vector<KernelMode>& out) {
  out.push_back({0, nk_fully_connected_mve_scratch(p), {}});
}

namespace {

NK_PARAM_TABLE(kTable, nk_fully_connected_params, NK_FULLY_CONNECTED_FIELDS);

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_ASSIGN(const TensorType* w, need_input(graph, node, 1, 2));
  const int64_t in_features = w->dims[1];
  const int64_t out_features = w->dims[0];
  const bool keep = node.attrs.get_int("keep_num_dims") != 0;
  NK_ASSIGN(const int64_t elements, element_count(x->dims));
  if (in_features == 0 || out_features == 0 || elements % in_features != 0 ||
      (keep && (x->dims.empty() || x->dims.back() != in_features))) {
    return bad_input(
        fmt::format("weights {} do not fit input {}", dims_text(w->dims), dims_text(x->dims)),
        where);
  }
  NK_TRY(check_weighted(graph, node, out_features));
  NK_TRY(activation_clamp(node.attrs, where));
  TensorType y{x->dtype, {elements / in_features, out_features}, {}};
  if (keep) {
    y.dims = x->dims;
    y.dims.back() = out_features;
  }
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_TRY(infer(graph, node));
  const Dims& w = input_type(graph, node, 1)->dims;
  NK_ASSIGN(const int64_t elements, element_count(input_type(graph, node, 0)->dims));
  NK_ASSIGN(const WeightedFields fields, weighted_fields(graph, node, w[0], 0));
  nk_fully_connected_params p{};
  p.rows = static_cast<int32_t>(elements / w[1]);
  p.in_features = static_cast<int32_t>(w[1]);
  p.out_features = static_cast<int32_t>(w[0]);
  set_weighted(p, fields);
  return weighted_step(graph, node, p);
}

Result<std::vector<StepArg>> make_args(const Graph& graph, const Node& node, const KernelRow& row) {
  const Dims& w = input_type(graph, node, 1)->dims;
  NK_ASSIGN(const std::vector<StepArg> args,
            weighted_args(graph, node, w[0], ScaleProduct::kFloat));
  if (row.layout == "oi") return args;
  const auto weights = channel_weights(graph, node, 0);
  NK_ASSIGN(const WeightedFields fields, weighted_fields(graph, node, w[0], 0));
  const ChannelOffsets offsets{fields.input_offset, fields.output_offset};
  if (row.layout == "oi_table") return dsp_args(graph, *weights, args, offsets, unpacked);
  if (row.layout == "blocks2") return dsp_args(graph, *weights, args, offsets, blocks2);
  return dsp_args(graph, *weights, args, offsets, [](const ChannelWeights& settled) -> StepArg {
    return {kNoTensor, constant_of(pack_pairs2(settled, 1)), NK_INT32, 4, {}};
  });
}

uint64_t macs(const Graph& graph, const Node& node) {
  uint64_t product = static_cast<uint64_t>(input_type(graph, node, 1)->dims[1]);
  for (const int64_t dim : graph.tensor(node.outputs[0]).type.dims) {
    product *= static_cast<uint64_t>(dim);
  }
  return product;
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId w, need_foreign_input(context, node, 1));
  NK_ASSIGN(w, weights_beside(context, x, w));
  const std::string format = node.attrs.get_string("weights_format", "DEFAULT");
  if (format != "DEFAULT") {
    return bad_input(fmt::format("weights_format {} is not supported", format), place_of(node));
  }
  Attrs attrs;
  NK_TRY(set_fused_activation(node, attrs));
  const std::optional<TensorType> declared = declared_type(context, node, 0);
  const int64_t keep = node.attrs.get_int("keep_num_dims");
  if (keep != 0) attrs.set("keep_num_dims", int64_t{1});
  NK_ASSIGN(TensorId y,
            context.add("fully_connected", {x, w, context.input(node, 2)}, attrs, declared));
  // Some converters declare the kept shape without saying so.
  if (declared && declared->dims != context.type(y).dims) {
    NK_ASSIGN(const int64_t made, element_count(context.type(y).dims));
    const Result<int64_t> stated = element_count(declared->dims);
    if (stated && *stated == made) {
      NK_ASSIGN(y, reshape_to(context, y, declared->dims));
    }
  }
  return context.bind(node, 0, y);
}

constexpr size_t kMaxScaledBytes = size_t{1} << 26;

// factor * values of a float32 constant, `repeat` times.
TensorId scaled_constant(LowerContext& context, TensorId id, float factor, Dims dims,
                         size_t repeat) {
  const Tensor& tensor = context.tensor(id);
  std::vector<float> values(tensor.data->size() / sizeof(float));
  if (!values.empty()) {
    std::memcpy(values.data(), tensor.data->data(), values.size() * sizeof(float));
  }
  std::vector<float> out;
  for (size_t i = 0; i < repeat; ++i) {
    for (const float value : values) out.push_back(factor == 1.0f ? value : factor * value);
  }
  Bytes bytes(out.size() * sizeof(float));
  if (!out.empty()) std::memcpy(bytes.data(), out.data(), bytes.size());
  return context.add_constant(tensor.name, {NK_FLOAT32, std::move(dims), {}}, std::move(bytes));
}

// One of values that the file holds, or of one repeated value within a bound.
bool is_float_constant(const LowerContext& context, TensorId id) {
  const Tensor& tensor = context.tensor(id);
  return tensor.is_constant() && tensor.type.dtype == NK_FLOAT32 &&
         (tensor.data.element() == nullptr || tensor.data.size() <= kMaxScaledBytes);
}

// x * factor by a mul node, or x itself where factor is 1.
Result<TensorId> scaled(LowerContext& context, TensorId x, float factor) {
  if (factor == 1.0f) return x;
  Bytes bytes(sizeof factor);
  std::memcpy(bytes.data(), &factor, sizeof factor);
  const TensorId scale = context.add_constant("factor", {NK_FLOAT32, {1}, {}}, std::move(bytes));
  return context.add("mul", {x, scale}, {});
}

// The addend C of Gemm as a bias [n], where it is one value or row for all rows; else kNoTensor.
TensorId gemm_bias(LowerContext& context, TensorId c, float beta, int64_t n) {
  const Dims dims = context.type(c).dims;
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  const bool row = count == n && !dims.empty() && dims.back() == n;
  if (is_float_constant(context, c) && (row || count == 1)) {
    return scaled_constant(context, c, beta, {n}, row ? 1 : static_cast<size_t>(n));
  }
  return row && dims.size() == 1 && beta == 1.0f ? c : kNoTensor;
}

Result<void> lower_gemm(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(TensorId a, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId w, need_foreign_input(context, node, 1));
  TensorId c = context.input(node, 2);
  const Dims ad = context.type(a).dims;
  const Dims wd = context.type(w).dims;
  if (ad.size() != 2 || wd.size() != 2 || context.type(a).dtype != NK_FLOAT32) {
    return bad_input(fmt::format("Gemm of {} and {} is not supported", type_text(context.type(a)),
                                 type_text(context.type(w))),
                     where, "float32 matrices are supported");
  }
  const auto alpha = static_cast<float>(node.attrs.get_float("alpha", 1.0));
  const auto beta = static_cast<float>(node.attrs.get_float("beta", 1.0));
  if (node.attrs.get_int("transA") != 0) {
    NK_ASSIGN(a, context.transpose(a, {1, 0}));
  }
  if (node.attrs.get_int("transB") == 0) {
    NK_ASSIGN(w, context.transpose(w, {1, 0}));
  }
  if (alpha != 1.0f && is_float_constant(context, w)) {
    w = scaled_constant(context, w, alpha, context.type(w).dims, 1);
  } else {
    NK_ASSIGN(a, scaled(context, a, alpha));
  }
  const int64_t n = context.type(w).dims[0];
  const TensorId bias = c == kNoTensor || beta == 0.0f ? kNoTensor : gemm_bias(context, c, beta, n);
  if (bias != kNoTensor || beta == 0.0f) c = kNoTensor;
  NK_ASSIGN(TensorId y, context.add("fully_connected", {a, w, bias}, {}));
  if (c != kNoTensor) {
    NK_ASSIGN(c, scaled(context, c, beta));
    NK_ASSIGN(y, context.add("add", {y, c}, {}));
  }
  return context.bind(node, 0, y);
}

const ForeignRule kRules[] = {{SourceFormat::kTflite, "FULLY_CONNECTED", "", lower_tflite},
                              {SourceFormat::kOnnx, "Gemm", "", lower_gemm}};

}  // namespace

extern const OpDef nk_op_fully_connected =
    with_quant({
                "fully_connected", kRules, kTable::fields, kTable::bytes, infer, make_params,
                make_args, macs},
               {QuantRule::kWeighted, 0});

}  // namespace netkit
