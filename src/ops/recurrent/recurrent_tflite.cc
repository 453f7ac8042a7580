// SPDX-License-Identifier: MIT
// TFLite UNIDIRECTIONAL_SEQUENCE_LSTM, LSTM (of one step), UNIDIRECTIONAL_SEQUENCE_RNN and RNN in
// float32. Their states are variable tensors: what a run leaves, the next one finds.
#include "ops/recurrent/recurrent_tflite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/common/host/op_helpers.h"
#include "ops/recurrent/recurrent_lower.h"

namespace netkit {
namespace {

// fused_activation_function by the names of recurrent.h.
Result<std::string> activation_of(const ForeignNode& node) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"NONE", "identity"}, {"RELU", "relu"}, {"RELU6", "relu6"}, {"TANH", "tanh"}};
  const std::string name = node.attrs.get_string("fused_activation_function", "NONE");
  for (const auto& [tflite, ours] : kNames) {
    if (name == tflite) return std::string(ours);
  }
  return bad_input(fmt::format("activation {} is not supported", name), place_of(node));
}

Result<TensorId> zeros(LowerContext& context, Dims dims) {
  return context.add_repeated("zeros", {NK_FLOAT32, std::move(dims), {}}, Bytes(sizeof(float)));
}

// The inputs `at` one below the other; those that are absent become zeros of shape `dims`.
Result<TensorId> joined(const ForeignNode& node, LowerContext& context,
                        std::span<const LstmInput> at, const Dims& dims) {
  std::vector<TensorId> parts;
  for (const LstmInput input : at) {
    TensorId id = context.input(node, input);
    if (id == kNoTensor) {
      NK_ASSIGN(id, zeros(context, dims));
    } else if (context.type(id).dims != dims) {
      return bad_input(fmt::format("input {} is {}, {} is needed", static_cast<int>(input),
                                   type_text(context.type(id)), dims_text(dims)),
                       place_of(node));
    }
    NK_ASSIGN(id, as_real(context, id));
    parts.push_back(id);
  }
  Attrs attrs;
  attrs.set("axis", int64_t{0});
  return context.add("concat", std::move(parts), std::move(attrs));
}

bool any_given(const ForeignNode& node, const LowerContext& context,
               std::span<const LstmInput> at) {
  return std::ranges::any_of(at, [&](LstmInput i) { return context.input(node, i) != kNoTensor; });
}

Result<std::vector<TensorId>> lstm_inputs(const ForeignNode& node, LowerContext& context,
                                          TensorId x) {
  NK_ASSIGN(const TensorId w, need_foreign_input(context, node, kLstmWeights[2]));
  NK_ASSIGN(const TensorId r, need_foreign_input(context, node, kLstmRecurrent[2]));
  const Dims wd = context.type(w).dims, rd = context.type(r).dims;
  if (wd.size() != 2 || rd.size() != 2) {
    return bad_input(fmt::format("weights {} and {} are no matrices", dims_text(wd), dims_text(rd)),
                     place_of(node));
  }
  NK_ASSIGN(const TensorId weights, joined(node, context, kLstmWeights, wd));
  NK_ASSIGN(const TensorId recurrent, joined(node, context, kLstmRecurrent, rd));
  NK_ASSIGN(const TensorId bias, joined(node, context, kLstmBias, {wd[0]}));
  NK_ASSIGN(const TensorId h, need_foreign_input(context, node, kLstmState));
  NK_ASSIGN(const TensorId c, need_foreign_input(context, node, kLstmCell));
  TensorId peephole = kNoTensor;
  if (any_given(node, context, kLstmPeephole)) {
    NK_ASSIGN(peephole, joined(node, context, kLstmPeephole, {wd[0]}));
  }
  TensorId projection = context.input(node, kLstmProjection);
  if (projection != kNoTensor) {
    NK_ASSIGN(projection, as_real(context, projection));
  }
  return std::vector{x,        weights,    recurrent,
                     bias,     h,          c,
                     peephole, projection, context.input(node, kLstmProjectionBias)};
}

// x as a sequence: an operator of one step has no axis for steps.
Result<TensorId> sequence_of(const ForeignNode& node, LowerContext& context, bool one_step) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  if (dims.size() != (one_step ? 2u : 3u)) {
    return bad_input(fmt::format("input {} is not of rank {}", dims_text(dims), one_step ? 2 : 3),
                     place_of(node));
  }
  if (!one_step) return x;
  return reshape_to(context, x, {1, dims[0], dims[1]});
}

Result<void> bind_sequence(const ForeignNode& node, LowerContext& context, TensorId y,
                           bool one_step) {
  if (one_step) {
    const Dims dims = context.type(y).dims;
    NK_ASSIGN(y, reshape_to(context, y, {dims[1], dims[2]}));
  }
  return context.bind(node, 0, y);
}

Attrs sequence_attrs(const ForeignNode& node, bool one_step) {
  Attrs attrs;
  if (!one_step && node.attrs.get_int("time_major") == 0) attrs.set("batch_major", int64_t{1});
  return attrs;
}

Result<void> lower_lstm(const ForeignNode& node, LowerContext& context) {
  const bool one_step = node.op == "LSTM";
  if (node.attrs.get_string("kernel_type", "FULL") != "FULL" || node.inputs.size() < 20) {
    return bad_input("the basic form of LSTM is not supported", place_of(node));
  }
  if (any_given(node, context, kLstmNorm)) {
    return bad_input("layer normalisation inside LSTM is not supported", place_of(node));
  }
  NK_ASSIGN(const TensorId x, sequence_of(node, context, one_step));
  if (context.type(x).dtype == NK_INT8) {
    TensorId y = kNoTensor;
    NK_TRY(lower_integer_lstm(node, context, x, sequence_attrs(node, one_step), y));
    return bind_sequence(node, context, y, one_step);
  }
  if (context.type(x).dtype != NK_FLOAT32) {
    return bad_input(fmt::format("LSTM of {} is not supported", name_of(context.type(x).dtype)),
                     place_of(node));
  }
  NK_ASSIGN(std::vector<TensorId> inputs, lstm_inputs(node, context, x));
  NK_ASSIGN(const std::string activation, activation_of(node));
  Attrs attrs = sequence_attrs(node, one_step);
  attrs.set("activations", std::vector<std::string>{"sigmoid", activation, activation});
  attrs.set("cell_clip", node.attrs.get_float("cell_clip"));
  attrs.set("projection_clip", node.attrs.get_float("proj_clip"));
  if (context.input(node, kLstmWeights[0]) == kNoTensor) attrs.set("coupled", int64_t{2});
  NK_ASSIGN(const std::vector<TensorId> made,
            context.add_multi("lstm", std::move(inputs), std::move(attrs), {}));
  NK_TRY(context.set_state(node, kLstmState, made[1]));
  NK_TRY(context.set_state(node, kLstmCell, made[2]));
  return bind_sequence(node, context, made[0], one_step);
}

// x, weights, recurrent weights, bias, state.
Result<void> lower_rnn(const ForeignNode& node, LowerContext& context) {
  const bool one_step = node.op == "RNN";
  NK_ASSIGN(const TensorId x, sequence_of(node, context, one_step));
  std::vector<TensorId> inputs{x};
  for (size_t i = 1; i < 5; ++i) {
    NK_ASSIGN(TensorId input, need_foreign_input(context, node, i));
    NK_ASSIGN(input, as_real(context, input));
    inputs.push_back(input);
  }
  NK_ASSIGN(const std::string activation, activation_of(node));
  Attrs attrs = sequence_attrs(node, one_step);
  attrs.set("activations", std::vector<std::string>{activation});
  NK_ASSIGN(const std::vector<TensorId> made,
            context.add_multi("rnn", std::move(inputs), std::move(attrs), {}));
  NK_TRY(context.set_state(node, 4, made[1]));
  return bind_sequence(node, context, made[0], one_step);
}

}  // namespace

Result<void> lower_tflite_lstm(const ForeignNode& node, LowerContext& context) {
  return lower_lstm(node, context);
}
Result<void> lower_tflite_rnn(const ForeignNode& node, LowerContext& context) {
  return lower_rnn(node, context);
}

}  // namespace netkit
