// SPDX-License-Identifier: MIT
// The host face of svdf (svdf.h): TFLite SVDF, whose state is a variable tensor.
#include <fmt/format.h>

#include <array>

#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"
#include "ops/recurrent/svdf/svdf.h"

namespace netkit {

void svdf_modes(const nk_svdf_params*, std::vector<KernelMode>& out) {
  out.push_back({});
}

namespace {

NK_PARAM_TABLE(kTable, nk_svdf_params, NK_SVDF_FIELDS);

Result<nk_svdf_params> sizes_of(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, 2));
  NK_ASSIGN(const TensorType* feature, need_input(graph, node, 1, 2));
  NK_ASSIGN(const TensorType* time, need_input(graph, node, 2, 2));
  NK_ASSIGN(const TensorType* state, need_input(graph, node, 4, 2));
  NK_TRY(check_sizes(std::array{x, feature, time, state}, where));
  const int64_t rank = node.attrs.get_int("rank"), filters = feature->dims[0];
  const int64_t memory = time->dims[1];
  if (rank < 1 || filters < 1 || filters % rank != 0 || memory < 1 || x->dims[1] < 1 ||
      x->dims[0] < 1 || feature->dims[1] != x->dims[1] || time->dims[0] != filters ||
      state->dims != Dims{x->dims[0], filters * memory}) {
    return bad_input(fmt::format("weights {} and {} of rank {} and state {} do not fit input {}",
                                 dims_text(feature->dims), dims_text(time->dims), rank,
                                 dims_text(state->dims), dims_text(x->dims)),
                     where);
  }
  const TensorType* bias = input_type(graph, node, 3);
  const nk_dtype bias_dtype = x->dtype == NK_FLOAT32 ? NK_FLOAT32 : NK_INT32;
  if (bias != nullptr && (bias->dims != Dims{filters / rank} || bias->dtype != bias_dtype)) {
    return bad_input(fmt::format("the bias is {}, {} values of {} are needed", type_text(*bias),
                                 filters / rank, name_of(bias_dtype)),
                     where);
  }
  nk_svdf_params p{};
  p.batch = static_cast<int32_t>(x->dims[0]);
  p.input = static_cast<int32_t>(x->dims[1]);
  p.units = static_cast<int32_t>(filters / rank);
  p.rank = static_cast<int32_t>(rank);
  p.memory = static_cast<int32_t>(memory);
  return p;
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_svdf_params p, sizes_of(graph, node));
  NK_TRY(activation_clamp(node.attrs, place_of(node)));
  return std::vector{TensorType{input_type(graph, node, 0)->dtype, {p.batch, p.units}, {}},
                     *input_type(graph, node, 4)};
}

// "f32", "s8", "s8_s16_s8"; other mixtures by their types, which no kernel takes.
std::string signature_of_node(const Graph& graph, const Node& node) {
  const std::string x(signature_of(input_type(graph, node, 0)->dtype));
  const std::string feature(signature_of(input_type(graph, node, 1)->dtype));
  const std::string time(signature_of(input_type(graph, node, 2)->dtype));
  const std::string state(signature_of(input_type(graph, node, 4)->dtype));
  const std::string y(signature_of(graph.tensor(node.outputs[0]).type.dtype));
  if (x == feature && x == time && x == state && x == y) return x;
  if (x == "s8" && feature == "s8" && time == "s16" && state == "s16" && y == "s8") {
    return "s8_s16_s8";
  }
  return fmt::format("{}_{}_{}_{}_{}", x, feature, time, state, y);
}

// TensorFlow Lite multiplies and divides these scales in float.
Result<void> set_scale(const TensorQuant& a, const TensorQuant& b, const TensorQuant& y, size_t i,
                       const std::string& where, nk_svdf_params& p) {
  NK_ASSIGN(const QuantizedMultiplier m,
            quantize_multiplier(double{a.scale * b.scale / y.scale}, where));
  p.multiplier[i] = m.mantissa;
  p.shift[i] = m.shift;
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(nk_svdf_params p, sizes_of(graph, node));
  NK_ASSIGN(const RealRange clamp, activation_clamp(node.attrs, where));
  p.clamp_min = clamp.lo;
  p.clamp_max = clamp.hi;
  const std::string signature = signature_of_node(graph, node);
  if (signature.starts_with("s8")) {
    const auto quant = [&](size_t i, const char* what) {
      return tensor_quant(*input_type(graph, node, i), what, where);
    };
    NK_ASSIGN(const TensorQuant x, quant(0, "the input"));
    NK_ASSIGN(const TensorQuant feature, quant(1, "the feature weights"));
    NK_ASSIGN(const TensorQuant time, quant(2, "the time weights"));
    NK_ASSIGN(const TensorQuant state, quant(4, "the state"));
    NK_ASSIGN(const TensorQuant y,
              tensor_quant(graph.tensor(node.outputs[0]).type, "the output", where));
    if (feature.zero_point != 0 || time.zero_point != 0 ||
        (signature != "s8" && state.zero_point != 0)) {
      return bad_input("weights or int16 state with a zero point that is not 0", where);
    }
    p.input_offset = -x.zero_point;
    p.state_offset = -state.zero_point;
    p.output_offset = y.zero_point;
    NK_TRY(set_scale(x, feature, state, 0, where, p));
    NK_TRY(set_scale(state, time, y, 1, where, p));
  }
  return StepParams{bytes_of(p), signature};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x"), tensor_arg(node, 1, "feature"),
                     tensor_arg(node, 2, "time"), tensor_arg(node, 3, "bias"),
                     tensor_arg(node, 4, "state")};
}

uint64_t macs(const Graph& graph, const Node& node) {
  const auto p = sizes_of(graph, node);
  if (!p) return 0;
  return static_cast<uint64_t>(int64_t{p->batch} * p->units * p->rank * (p->input + p->memory));
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < 5; ++i) inputs.push_back(context.input(node, i));
  Attrs attrs;
  attrs.set("rank", node.attrs.get_int("rank"));
  const bool real = inputs[0] != kNoTensor && context.type(inputs[0]).dtype == NK_FLOAT32;
  if (real) {
    NK_TRY(set_fused_activation(node, attrs));
    for (const size_t i : {size_t{1}, size_t{2}}) {
      if (inputs[i] == kNoTensor) continue;
      NK_ASSIGN(inputs[i], as_real(context, inputs[i]));
    }
  }
  std::vector<TensorType> declared;
  if (const auto type = declared_type(context, node, 0)) declared.push_back(*type);
  NK_ASSIGN(const std::vector<TensorId> made,
            context.add_multi("svdf", std::move(inputs), std::move(attrs), std::move(declared)));
  NK_TRY(context.set_state(node, 4, made[1]));
  return context.bind(node, 0, made[0]);
}

constexpr ForeignRule kRules[] = {{SourceFormat::kTflite, "SVDF", "", lower_tflite}};

}  // namespace

extern const OpDef nk_op_svdf = {"svdf", kRules,      kTable::fields, kTable::bytes,
                                 infer,  make_params, make_args,      macs};

}  // namespace netkit
