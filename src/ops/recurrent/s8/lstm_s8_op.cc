// SPDX-License-Identifier: MIT
// The host face of lstm_integer (lstm_s8.h): TFLite's LSTM operators on int8.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"
#include "ops/recurrent/recurrent_tflite.h"
#include "ops/recurrent/s8/lstm_s8.h"

namespace netkit {

void lstm_integer_modes(const nk_lstm_integer_params* p, std::vector<KernelMode>& out) {
  KernelMode mode;
  mode.scratch_bytes = p->hidden;
  out.push_back(mode);
}

namespace {

NK_PARAM_TABLE(kTable, nk_lstm_integer_params, NK_LSTM_INTEGER_FIELDS);

Result<nk_lstm_integer_params> sizes_of(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, 3));
  NK_ASSIGN(const TensorType* w, need_input(graph, node, 1, 2));
  NK_ASSIGN(const TensorType* r, need_input(graph, node, 2, 2));
  NK_ASSIGN(const TensorType* bias, need_input(graph, node, 3, 1));
  NK_ASSIGN(const TensorType* h, need_input(graph, node, 4, 2));
  NK_ASSIGN(const TensorType* c, need_input(graph, node, 5, 2));
  NK_TRY(check_sizes(std::array{x, w, r, bias, h, c}, where));
  const bool batch_major = node.attrs.get_int("batch_major") != 0;
  const int64_t steps = x->dims[batch_major ? 1 : 0], batch = x->dims[batch_major ? 0 : 1];
  const int64_t input = x->dims[2], hidden = r->dims[1];
  const Dims state{batch, hidden};
  if (steps < 1 || batch < 1 || input < 1 || hidden < 1 || w->dims != Dims{4 * hidden, input} ||
      r->dims != Dims{4 * hidden, hidden} || bias->dims != Dims{4 * hidden} || h->dims != state ||
      c->dims != state) {
    return bad_input(
        fmt::format("weights {} and {} and state {} do not fit input {}", dims_text(w->dims),
                    dims_text(r->dims), dims_text(h->dims), dims_text(x->dims)),
        where);
  }
  const auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  nk_lstm_integer_params p{};
  p.steps = i32(steps);
  p.batch = i32(batch);
  p.input = i32(input);
  p.hidden = i32(hidden);
  p.x_step = i32(batch_major ? input : batch * input);
  p.x_batch = i32(batch_major ? steps * input : input);
  p.y_step = i32(batch_major ? hidden : batch * hidden);
  p.y_batch = i32(batch_major ? steps * hidden : hidden);
  p.coupled = i32(node.attrs.get_int("coupled"));
  return p;
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_TRY(sizes_of(graph, node));
  const TensorType& h = *input_type(graph, node, 4);
  TensorType y = *input_type(graph, node, 0);
  y.dims[2] = h.dims[1];
  y.quant = h.quant;
  return std::vector{std::move(y), h, *input_type(graph, node, 5)};
}

Result<std::vector<double>> gate_scales(const Node& node, const char* name) {
  const AttrValue* value = node.attrs.find(name);
  const auto* scales = value != nullptr ? std::get_if<std::vector<double>>(value) : nullptr;
  if (scales == nullptr || scales->size() != 4) {
    return bad_input(fmt::format("{} is no list of 4 numbers", name), place_of(node));
  }
  return *scales;
}

// factor * scale / 2^-12 of each gate, in float as TensorFlow Lite prepares it.
Result<void> set_gates(const Node& node, const char* name, float factor, int32_t* multiplier,
                       int32_t* shift) {
  NK_ASSIGN(const std::vector<double> scales, gate_scales(node, name));
  for (size_t i = 0; i < 4; ++i) {
    const float scale = static_cast<float>(scales[i]) * factor / 0x1p-12f;
    NK_ASSIGN(const QuantizedMultiplier m, quantize_multiplier(double{scale}, place_of(node)));
    multiplier[i] = m.mantissa;
    shift[i] = m.shift;
  }
  return {};
}

Result<void> set_cell(const TensorType& c, double clip, const std::string& where,
                      nk_lstm_integer_params& p) {
  NK_ASSIGN(const TensorQuant quant, tensor_quant(c, "the cell state", where));
  int exponent = 0;
  if (std::frexp(quant.scale, &exponent) != 0.5f || exponent - 1 < -15 || exponent - 1 > -11 ||
      quant.zero_point != 0) {
    return bad_input(
        fmt::format("a cell state of scale {} is not supported (2^-15 to 2^-11 are)", quant.scale),
        where);
  }
  p.cell_exponent = exponent - 1;
  if (clip > 0) {
    p.cell_clip = static_cast<int32_t>(std::min(static_cast<float>(clip) / quant.scale, 32767.0f));
  }
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(nk_lstm_integer_params p, sizes_of(graph, node));
  const TensorType &x = *input_type(graph, node, 0), &h = *input_type(graph, node, 4);
  const TensorType& c = *input_type(graph, node, 5);
  const bool fits = x.dtype == NK_INT8 && input_type(graph, node, 1)->dtype == NK_INT8 &&
                    input_type(graph, node, 2)->dtype == NK_INT8 &&
                    input_type(graph, node, 3)->dtype == NK_INT32 && h.dtype == NK_INT8 &&
                    c.dtype == NK_INT16;
  if (!fits) return bad_input("types other than int8 with an int16 cell are not supported", where);
  NK_ASSIGN(const TensorQuant qx, tensor_quant(x, "the input", where));
  NK_ASSIGN(const TensorQuant qh, tensor_quant(h, "the state", where));
  NK_TRY(set_cell(c, node.attrs.get_float("cell_clip"), where, p));
  p.input_offset = -qx.zero_point;
  p.h_offset = -qh.zero_point;
  p.output_offset = qh.zero_point;
  NK_TRY(set_gates(node, "weight_scale", qx.scale, p.multiplier, p.shift));
  NK_TRY(set_gates(node, "recurrent_scale", qh.scale, p.recurrent_multiplier, p.recurrent_shift));
  const float hidden = 0x1p-15f / qh.scale * 0x1p-15f;
  NK_ASSIGN(const QuantizedMultiplier m, quantize_multiplier(double{hidden}, where));
  p.hidden_multiplier = m.mantissa;
  p.hidden_shift = m.shift;
  return StepParams{bytes_of(p), "s8"};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x"),         tensor_arg(node, 1, "weights"),
                     tensor_arg(node, 2, "recurrent"), tensor_arg(node, 3, "bias"),
                     tensor_arg(node, 4, "h"),         tensor_arg(node, 5, "c")};
}

uint64_t macs(const Graph& graph, const Node& node) {
  const auto p = sizes_of(graph, node);
  if (!p) return 0;
  return static_cast<uint64_t>(int64_t{4} * p->steps * p->batch * p->hidden *
                               (p->input + p->hidden));
}

// The inputs `at`, constants of `dtype`, one below the other, and their scales; absent ones are 0.
Result<TensorId> joined(const ForeignNode& node, LowerContext& context,
                        const std::array<LstmInput, 4>& at, nk_dtype dtype, const Dims& dims,
                        std::vector<double>& scales) {
  NK_ASSIGN(const int64_t bytes, byte_count(dtype, dims));
  Bytes all;
  for (const LstmInput input : at) {
    const TensorId id = context.input(node, input);
    scales.push_back(1.0);
    if (id == kNoTensor) {
      all.resize(all.size() + static_cast<size_t>(bytes));
      continue;
    }
    const Tensor& tensor = context.tensor(id);
    if (!tensor.is_constant() || tensor.type.dtype != dtype || tensor.type.dims != dims) {
      return bad_input(
          fmt::format("input {} is {}, constants {}[{}] are supported", static_cast<int>(input),
                      type_text(tensor.type), name_of(dtype), dims_text(dims)),
          place_of(node));
    }
    if (dtype == NK_INT8) {
      NK_ASSIGN(const TensorQuant quant, tensor_quant(tensor.type, "a weight", place_of(node)));
      if (quant.zero_point != 0) return bad_input("weights with a zero point", place_of(node));
      scales.back() = double{quant.scale};
    }
    all.insert(all.end(), tensor.data->begin(), tensor.data->end());
  }
  Dims joined_dims = dims;
  joined_dims[0] *= 4;
  return context.add_constant("gates", {dtype, std::move(joined_dims), {}}, std::move(all));
}

}  // namespace

Result<void> lower_integer_lstm(const ForeignNode& node, LowerContext& context, TensorId x,
                                Attrs attrs, TensorId& y) {
  NK_ASSIGN(const TensorId w, need_foreign_input(context, node, kLstmWeights[2]));
  NK_ASSIGN(const TensorId r, need_foreign_input(context, node, kLstmRecurrent[2]));
  NK_ASSIGN(const TensorId h, need_foreign_input(context, node, kLstmState));
  NK_ASSIGN(const TensorId c, need_foreign_input(context, node, kLstmCell));
  const auto given = [&](LstmInput i) { return context.input(node, i) != kNoTensor; };
  if (std::ranges::any_of(kLstmPeephole, given) || given(kLstmProjection) ||
      node.attrs.get_string("fused_activation_function") != "TANH") {
    return bad_input(
        "peepholes, a projection or an activation other than tanh are not supported "
        "on int8",
        place_of(node));
  }
  const Dims wd = context.type(w).dims, rd = context.type(r).dims;
  if (wd.size() != 2 || rd.size() != 2) return bad_input("weights are no matrices", place_of(node));
  std::vector<double> w_scales, r_scales, ignored;
  NK_ASSIGN(const TensorId weights, joined(node, context, kLstmWeights, NK_INT8, wd, w_scales));
  NK_ASSIGN(const TensorId recurrent, joined(node, context, kLstmRecurrent, NK_INT8, rd, r_scales));
  NK_ASSIGN(const TensorId bias, joined(node, context, kLstmBias, NK_INT32, {wd[0]}, ignored));
  attrs.set("weight_scale", std::move(w_scales));
  attrs.set("recurrent_scale", std::move(r_scales));
  attrs.set("cell_clip", node.attrs.get_float("cell_clip"));
  if (!given(kLstmWeights[0])) attrs.set("coupled", int64_t{2});
  NK_ASSIGN(
      const std::vector<TensorId> made,
      context.add_multi("lstm_integer", {x, weights, recurrent, bias, h, c}, std::move(attrs), {}));
  NK_TRY(context.set_state(node, kLstmState, made[1]));
  NK_TRY(context.set_state(node, kLstmCell, made[2]));
  y = made[0];
  return {};
}

extern const OpDef nk_op_lstm_integer = {"lstm_integer", {},          kTable::fields, kTable::bytes,
                                         infer,          make_params, make_args,      macs};

}  // namespace netkit
