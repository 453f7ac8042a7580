// SPDX-License-Identifier: MIT
// The host face of lstm, gru and rnn (recurrent.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/recurrent/recurrent.h"
#include "ops/recurrent/recurrent_lower.h"

namespace netkit {
namespace {

void scratch_mode(const nk_recurrent_params* p, int64_t rows, std::vector<KernelMode>& out) {
  KernelMode mode;
  mode.scratch_bytes = rows * p->hidden * static_cast<int64_t>(sizeof(float));
  out.push_back(mode);
}

}  // namespace

void lstm_modes(const nk_recurrent_params* p, std::vector<KernelMode>& out) {
  scratch_mode(p, 2, out);
}
void gru_modes(const nk_recurrent_params* p, std::vector<KernelMode>& out) {
  scratch_mode(p, 3, out);
}
void rnn_modes(const nk_recurrent_params* p, std::vector<KernelMode>& out) {
  scratch_mode(p, 1, out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_recurrent_params, NK_RECURRENT_FIELDS);

// What tells the three recurrences apart.
struct Kind {
  std::string_view op;
  int64_t gates, biases;
  std::array<std::string_view, 3> activations;
};
constexpr Kind kKinds[] = {{"lstm", 4, 4, {"sigmoid", "tanh", "tanh"}},
                           {"gru", 3, 6, {"sigmoid", "tanh", "identity"}},
                           {"rnn", 1, 1, {"tanh", "identity", "identity"}}};

const Kind& kind_of(const Node& node) {
  return *std::ranges::find(kKinds, std::string_view(node.op), &Kind::op);
}

struct Sizes {
  int64_t steps, batch, input, hidden, output;
  bool batch_major, sequence;
};

Result<void> check_shape(const Graph& graph, const Node& node, size_t i, const Dims& dims) {
  const TensorType* type = input_type(graph, node, i);
  if (type == nullptr || (type->dims == dims && type->dtype == NK_FLOAT32)) return {};
  return bad_input(
      fmt::format("input {} is {}, float32[{}] is needed", i, type_text(*type), dims_text(dims)),
      place_of(node));
}

Result<Sizes> sizes_of(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  const Kind& kind = kind_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, 3));
  NK_ASSIGN(const TensorType* w, need_input(graph, node, 1, 2));
  NK_ASSIGN(const TensorType* r, need_input(graph, node, 2, 2));
  NK_TRY(check_sizes(std::array{x, w, r}, where));
  Sizes s{};
  s.batch_major = node.attrs.get_int("batch_major") != 0;
  s.sequence = node.attrs.get_int("sequence", 1) != 0;
  s.steps = x->dims[s.batch_major ? 1 : 0];
  s.batch = x->dims[s.batch_major ? 0 : 1];
  s.input = x->dims[2];
  s.hidden = w->dims[0] / kind.gates;
  s.output = r->dims[1];
  if (s.steps < 1 || s.batch < 1 || s.input < 1 || s.hidden < 1 || s.output < 1) {
    return bad_input(fmt::format("input {} or weights {} have no elements", dims_text(x->dims),
                                 dims_text(w->dims)),
                     where);
  }
  const bool projected = node.op == "lstm" && input_type(graph, node, 7) != nullptr;
  if (x->dtype != NK_FLOAT32 || w->dims != Dims{kind.gates * s.hidden, s.input} ||
      r->dims != Dims{kind.gates * s.hidden, s.output} || (!projected && s.output != s.hidden)) {
    return bad_input(fmt::format("weights {} and {} do not fit input {}", dims_text(w->dims),
                                 dims_text(r->dims), type_text(*x)),
                     where);
  }
  return s;
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(const Sizes s, sizes_of(graph, node));
  const Kind& kind = kind_of(node);
  NK_TRY(check_shape(graph, node, 1, {kind.gates * s.hidden, s.input}));
  NK_TRY(check_shape(graph, node, 2, {kind.gates * s.hidden, s.output}));
  NK_TRY(check_shape(graph, node, 3, {kind.biases * s.hidden}));
  NK_TRY(check_shape(graph, node, 4, {s.batch, s.output}));
  if (node.op == "lstm") {
    NK_TRY(check_shape(graph, node, 5, {s.batch, s.hidden}));
    NK_TRY(check_shape(graph, node, 6, {3 * s.hidden}));
    NK_TRY(check_shape(graph, node, 7, {s.output, s.hidden}));
    NK_TRY(check_shape(graph, node, 8, {s.output}));
  }
  std::vector<TensorType> types;
  const Dims y =
      s.batch_major ? Dims{s.batch, s.steps, s.output} : Dims{s.steps, s.batch, s.output};
  if (s.sequence) types.push_back({NK_FLOAT32, y, {}});
  types.push_back({NK_FLOAT32, {s.batch, s.output}, {}});
  if (node.op == "lstm") types.push_back({NK_FLOAT32, {s.batch, s.hidden}, {}});
  for (const TensorType& type : types) {
    NK_TRY(check_sizes(std::array<const TensorType*, 1>{&type}, place_of(node)));
  }
  return types;
}

constexpr std::string_view kNames[] = {
#define NK_X(name, alpha, beta) #name,
    NK_RECURRENT_ACTIVATIONS(NK_X)
#undef NK_X
};

Result<void> set_activations(const Node& node, nk_recurrent_params& p) {
  const AttrValue* value = node.attrs.find("activations");
  const auto* given = value != nullptr ? std::get_if<std::vector<std::string>>(value) : nullptr;
  const auto numbers = [&](const char* name) {
    const AttrValue* list = node.attrs.find(name);
    const auto* all = list != nullptr ? std::get_if<std::vector<double>>(list) : nullptr;
    return all != nullptr ? *all : std::vector<double>{};
  };
  const std::vector<double> alpha = numbers("alpha"), beta = numbers("beta");
  for (size_t i = 0; i < 3; ++i) {
    const std::string_view name =
        given != nullptr && i < given->size() ? (*given)[i] : kind_of(node).activations[i];
    const auto* at = std::ranges::find(kNames, name);
    if (at == std::end(kNames)) {
      return bad_input(fmt::format("activation '{}' is not supported", name), place_of(node));
    }
    p.activation[i] = static_cast<int32_t>(at - std::begin(kNames));
    p.alpha[i] = i < alpha.size() ? static_cast<float>(alpha[i]) : 0.0f;
    p.beta[i] = i < beta.size() ? static_cast<float>(beta[i]) : 0.0f;
  }
  return {};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_TRY(infer(graph, node));
  NK_ASSIGN(const Sizes s, sizes_of(graph, node));
  const auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  nk_recurrent_params p{};
  p.steps = i32(s.steps);
  p.batch = i32(s.batch);
  p.input = i32(s.input);
  p.hidden = i32(s.hidden);
  p.output = i32(s.output);
  p.x_step = i32(s.batch_major ? s.input : s.batch * s.input);
  p.x_batch = i32(s.batch_major ? s.steps * s.input : s.input);
  p.y_step = i32(s.batch_major ? s.output : s.batch * s.output);
  p.y_batch = i32(s.batch_major ? s.steps * s.output : s.output);
  p.reverse = node.attrs.get_int("reverse") != 0 ? 1 : 0;
  p.sequence = s.sequence ? 1 : 0;
  p.coupled = i32(node.attrs.get_int("coupled"));
  p.linear_before_reset = node.attrs.get_int("linear_before_reset") != 0 ? 1 : 0;
  p.gate_clip = static_cast<float>(node.attrs.get_float("gate_clip"));
  p.cell_clip = static_cast<float>(node.attrs.get_float("cell_clip"));
  p.projection_clip = static_cast<float>(node.attrs.get_float("projection_clip"));
  NK_TRY(set_activations(node, p));
  return StepParams{bytes_of(p), "f32"};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  static constexpr const char* kLabels[] = {"x", "weights",  "recurrent",  "bias",           "h",
                                            "c", "peephole", "projection", "projection_bias"};
  const size_t count = node.op == "lstm" ? 9 : 5;
  std::vector<StepArg> args;
  for (size_t i = 0; i < count; ++i) args.push_back(tensor_arg(node, i, kLabels[i]));
  return args;
}

uint64_t macs(const Graph& graph, const Node& node) {
  const auto s = sizes_of(graph, node);
  if (!s) return 0;
  const int64_t per_step = kind_of(node).gates * s->hidden * (s->input + s->output);
  const int64_t projection = s->output != s->hidden ? s->output * s->hidden : 0;
  return static_cast<uint64_t>(s->steps * s->batch * (per_step + projection));
}

}  // namespace

extern const OpDef nk_op_lstm = {"lstm", lstm_rules(), kTable::fields, kTable::bytes,
                                 infer,  make_params,  make_args,      macs};
extern const OpDef nk_op_gru = {"gru", gru_rules(), kTable::fields, kTable::bytes,
                                infer, make_params, make_args,      macs};
extern const OpDef nk_op_rnn = {"rnn", rnn_rules(), kTable::fields, kTable::bytes,
                                infer, make_params, make_args,      macs};

}  // namespace netkit
