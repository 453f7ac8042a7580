// SPDX-License-Identifier: MIT
// ONNX LSTM, GRU and RNN, a node per direction. Node inputs: X, W, R, B, sequence_lens, initial_h
// and, of LSTM, initial_c and P; outputs: Y, Y_h, Y_c.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/common/host/op_helpers.h"
#include "ops/recurrent/recurrent.h"
#include "ops/recurrent/recurrent_lower.h"
#include "ops/recurrent/recurrent_tflite.h"

namespace netkit {
namespace {

constexpr struct {
  std::string_view name;
  double alpha, beta;
} kDefaults[] = {
#define NK_X(name, alpha, beta) {#name, alpha, beta},
    NK_RECURRENT_ACTIVATIONS(NK_X)
#undef NK_X
};

// The part of `x` with index `d` along `axis`, without that axis.
Result<TensorId> part_of(LowerContext& context, TensorId x, size_t axis, int64_t d) {
  const Dims dims = context.type(x).dims;
  Dims starts(dims.size(), 0), steps(dims.size(), 1), sizes = dims, rest = dims;
  starts[axis] = d;
  sizes[axis] = 1;
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(axis));
  if (dims[axis] != 1) {
    Attrs attrs;
    attrs.set("starts", std::move(starts));
    attrs.set("steps", std::move(steps));
    attrs.set("sizes", std::move(sizes));
    NK_ASSIGN(x, context.add("slice", {x}, std::move(attrs)));
  }
  return reshape_to(context, x, std::move(rest));
}

// Elements [begin, end) of a vector.
Result<TensorId> range_of(LowerContext& context, TensorId x, int64_t begin, int64_t end) {
  Attrs attrs;
  attrs.set("starts", Dims{begin});
  attrs.set("steps", Dims{1});
  attrs.set("sizes", Dims{end - begin});
  return context.add("slice", {x}, std::move(attrs));
}

class OnnxRecurrence {
 public:
  OnnxRecurrence(const ForeignNode& node, LowerContext& context, std::string_view op, int64_t gates)
      : node_(node), context_(context), op_(op), gates_(gates) {}

  Result<void> lower() {
    NK_TRY(read_shapes());
    NK_TRY(check_lengths());
    std::vector<std::vector<TensorId>> results(results_per_direction());
    for (int64_t d = 0; d < directions_; ++d) {
      NK_ASSIGN(const std::vector<TensorId> made, direction(d));
      for (size_t i = 0; i < made.size(); ++i) results[i].push_back(made[i]);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const size_t output = i + (wants_sequence() ? 0 : 1);
      if (output >= node_.outputs.size() || node_.outputs[output] == kAbsent) continue;
      const size_t axis = output == 0 ? (batch_first_ ? 2 : 1) : (batch_first_ ? 1 : 0);
      NK_ASSIGN(const TensorId y, stacked(results[i], axis));
      NK_TRY(context_.bind(node_, output, y));
    }
    return {};
  }

 private:
  bool wants_sequence() const { return !node_.outputs.empty() && node_.outputs[0] != kAbsent; }
  bool is_lstm() const { return op_ == "lstm"; }
  size_t results_per_direction() const {
    return (wants_sequence() ? 1u : 0u) + (is_lstm() ? 2u : 1u);
  }

  Result<void> wrong(const char* what, TensorId id, const Dims& wanted) const {
    return bad_input(fmt::format("{} is {}, {} is needed", what, type_text(context_.type(id)),
                                 dims_text(wanted)),
                     place_of(node_));
  }

  Result<void> read_shapes() {
    NK_ASSIGN(x_, need_foreign_input(context_, node_, 0));
    NK_ASSIGN(w_, need_foreign_input(context_, node_, 1));
    NK_ASSIGN(r_, need_foreign_input(context_, node_, 2));
    const std::string direction = node_.attrs.get_string("direction", "forward");
    static constexpr std::string_view kDirections[] = {"forward", "reverse", "bidirectional"};
    if (std::ranges::find(kDirections, direction) == std::end(kDirections)) {
      return bad_input(fmt::format("direction '{}' is unknown", direction), place_of(node_));
    }
    first_reversed_ = direction == "reverse";
    directions_ = direction == "bidirectional" ? 2 : 1;
    batch_first_ = node_.attrs.get_int("layout") != 0;
    const Dims& x = context_.type(x_).dims;
    const Dims& r = context_.type(r_).dims;
    if (x.size() != 3 || r.size() != 3) {
      return bad_input(fmt::format("input {} and recurrent weights {} are not of rank 3",
                                   dims_text(x), dims_text(r)),
                       place_of(node_));
    }
    hidden_ = r[2];
    if (const int64_t stated = node_.attrs.get_int("hidden_size", hidden_); stated != hidden_) {
      return bad_input(
          fmt::format("hidden_size {} does not fit recurrent weights {}", stated, dims_text(r)),
          place_of(node_));
    }
    const Dims w{directions_, gates_ * hidden_, x[2]};
    if (context_.type(w_).dims != w) return wrong("W", w_, w);
    const Dims wanted_r{directions_, gates_ * hidden_, hidden_};
    if (r != wanted_r) return wrong("R", r_, wanted_r);
    bias_ = context_.input(node_, 3);
    const Dims bias{directions_, 2 * gates_ * hidden_};
    if (bias_ != kNoTensor && context_.type(bias_).dims != bias) return wrong("B", bias_, bias);
    const int64_t batch = x[batch_first_ ? 0 : 1];
    for (const size_t i : {size_t{5}, size_t{6}}) {
      const TensorId state = context_.input(node_, i);
      const Dims dims =
          batch_first_ ? Dims{batch, directions_, hidden_} : Dims{directions_, batch, hidden_};
      if (state == kNoTensor || (i == 6 && !is_lstm())) continue;
      if (context_.type(state).dims != dims) return wrong("the initial state", state, dims);
    }
    const TensorId peephole = is_lstm() ? context_.input(node_, 7) : kNoTensor;
    const Dims dims{directions_, 3 * hidden_};
    if (peephole != kNoTensor && context_.type(peephole).dims != dims) {
      return wrong("P", peephole, dims);
    }
    return {};
  }

  // Lengths that shorten a sequence are refused; such as say nothing are not.
  Result<void> check_lengths() const {
    const TensorId id = context_.input(node_, 4);
    if (id == kNoTensor) return {};
    const int64_t steps = context_.type(x_).dims[batch_first_ ? 1 : 0];
    const auto lengths = context_.const_ints(id);
    if (lengths && std::ranges::all_of(*lengths, [&](int64_t n) { return n == steps; })) return {};
    return bad_input("sequence_lens that differ from the length of the input are not supported",
                     place_of(node_));
  }

  // Both biases; but for gru added up.
  Result<TensorId> bias_of(int64_t d) {
    if (bias_ == kNoTensor) return kNoTensor;
    NK_ASSIGN(const TensorId both, part_of(context_, bias_, 0, d));
    if (op_ == "gru") return both;
    const int64_t half = gates_ * hidden_;
    NK_ASSIGN(const TensorId of_w, range_of(context_, both, 0, half));
    NK_ASSIGN(const TensorId of_r, range_of(context_, both, half, 2 * half));
    return context_.add("add", {of_w, of_r}, {});
  }

  Result<TensorId> state_of(size_t i, int64_t d) {
    const TensorId id = context_.input(node_, i);
    if (id == kNoTensor) return kNoTensor;
    return part_of(context_, id, batch_first_ ? 1 : 0, d);
  }

  // Names, and alpha and beta: the lists run through the functions that take one.
  Result<Attrs> attrs_of(int64_t d) const {
    const size_t functions = is_lstm() ? 3 : op_ == "gru" ? 2 : 1;
    const AttrValue* value = node_.attrs.find("activations");
    const auto* given = value != nullptr ? std::get_if<std::vector<std::string>>(value) : nullptr;
    const auto list = [&](const char* name) {
      const AttrValue* found = node_.attrs.find(name);
      const auto* all = found != nullptr ? std::get_if<std::vector<double>>(found) : nullptr;
      return all != nullptr ? *all : std::vector<double>{};
    };
    const std::vector<double> alphas = list("activation_alpha"), betas = list("activation_beta");
    size_t alpha_at = 0, beta_at = 0;
    std::vector<std::string> names;
    std::vector<double> alpha, beta;
    if (given != nullptr && given->size() != functions * static_cast<size_t>(directions_)) {
      return bad_input(fmt::format("{} activations, {} are needed", given->size(),
                                   functions * static_cast<size_t>(directions_)),
                       place_of(node_));
    }
    for (size_t i = 0; given != nullptr && i < given->size(); ++i) {
      NK_ASSIGN(const size_t row, row_of((*given)[i]));
      double a = kDefaults[row].alpha, b = kDefaults[row].beta;
      if (a != 0 && alpha_at < alphas.size()) a = alphas[alpha_at++];
      if (b != 0 && beta_at < betas.size()) b = betas[beta_at++];
      if (kDefaults[row].name == "affine" && beta_at < betas.size()) b = betas[beta_at++];
      if (i / functions != static_cast<size_t>(d)) continue;
      names.emplace_back(kDefaults[row].name);
      alpha.push_back(a);
      beta.push_back(b);
    }
    Attrs attrs;
    if (given != nullptr) attrs.set("activations", std::move(names));
    if (given != nullptr) attrs.set("alpha", std::move(alpha));
    if (given != nullptr) attrs.set("beta", std::move(beta));
    return attrs;
  }

  Result<size_t> row_of(const std::string& name) const {
    std::string plain;
    for (const char c : name) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (plain == "leakyrelu") plain = "leaky_relu";
    for (size_t i = 0; i < std::size(kDefaults); ++i) {
      if (kDefaults[i].name == plain) return i;
    }
    return bad_input(fmt::format("activation '{}' is not supported", name), place_of(node_));
  }

  Result<std::vector<TensorId>> direction(int64_t d) {
    NK_ASSIGN(Attrs attrs, attrs_of(d));
    NK_ASSIGN(const TensorId w, part_of(context_, w_, 0, d));
    NK_ASSIGN(const TensorId r, part_of(context_, r_, 0, d));
    NK_ASSIGN(const TensorId bias, bias_of(d));
    NK_ASSIGN(const TensorId h, state_of(5, d));
    std::vector<TensorId> inputs{x_, w, r, bias, h};
    if (is_lstm()) {
      NK_ASSIGN(const TensorId c, state_of(6, d));
      TensorId peephole = context_.input(node_, 7);
      if (peephole != kNoTensor) {
        NK_ASSIGN(peephole, part_of(context_, peephole, 0, d));
      }
      inputs.insert(inputs.end(), {c, peephole});
      attrs.set("coupled", node_.attrs.get_int("input_forget") != 0 ? int64_t{1} : int64_t{0});
    }
    if (batch_first_) attrs.set("batch_major", int64_t{1});
    if (d == 1 || first_reversed_) attrs.set("reverse", int64_t{1});
    if (!wants_sequence()) attrs.set("sequence", int64_t{0});
    if (node_.attrs.get_int("linear_before_reset") != 0) {
      attrs.set("linear_before_reset", int64_t{1});
    }
    if (node_.attrs.has("clip")) attrs.set("gate_clip", node_.attrs.get_float("clip"));
    return context_.add_multi(op_, std::move(inputs), std::move(attrs), {});
  }

  // The directions' results along a new axis.
  Result<TensorId> stacked(const std::vector<TensorId>& parts, size_t axis) {
    std::vector<TensorId> shaped;
    for (const TensorId part : parts) {
      Dims dims = context_.type(part).dims;
      dims.insert(dims.begin() + static_cast<ptrdiff_t>(axis), 1);
      NK_ASSIGN(const TensorId y, reshape_to(context_, part, std::move(dims)));
      shaped.push_back(y);
    }
    if (shaped.size() == 1) return shaped[0];
    Attrs attrs;
    attrs.set("axis", static_cast<int64_t>(axis));
    return context_.add("concat", std::move(shaped), std::move(attrs));
  }

  const ForeignNode& node_;
  LowerContext& context_;
  std::string_view op_;
  int64_t gates_, directions_ = 1, hidden_ = 0;
  bool first_reversed_ = false, batch_first_ = false;
  TensorId x_ = kNoTensor, w_ = kNoTensor, r_ = kNoTensor, bias_ = kNoTensor;
};

Result<void> lower_lstm(const ForeignNode& node, LowerContext& context) {
  return OnnxRecurrence(node, context, "lstm", 4).lower();
}
Result<void> lower_gru(const ForeignNode& node, LowerContext& context) {
  return OnnxRecurrence(node, context, "gru", 3).lower();
}
Result<void> lower_rnn(const ForeignNode& node, LowerContext& context) {
  return OnnxRecurrence(node, context, "rnn", 1).lower();
}

constexpr ForeignRule kLstm[] = {
    {SourceFormat::kOnnx, "LSTM", "", lower_lstm},
    {SourceFormat::kTflite, "UNIDIRECTIONAL_SEQUENCE_LSTM", "", lower_tflite_lstm},
    {SourceFormat::kTflite, "LSTM", "", lower_tflite_lstm}};
constexpr ForeignRule kGru[] = {{SourceFormat::kOnnx, "GRU", "", lower_gru}};
constexpr ForeignRule kRnn[] = {
    {SourceFormat::kOnnx, "RNN", "", lower_rnn},
    {SourceFormat::kTflite, "UNIDIRECTIONAL_SEQUENCE_RNN", "", lower_tflite_rnn},
    {SourceFormat::kTflite, "RNN", "", lower_tflite_rnn}};

}  // namespace

std::span<const ForeignRule> lstm_rules() {
  return kLstm;
}
std::span<const ForeignRule> gru_rules() {
  return kGru;
}
std::span<const ForeignRule> rnn_rules() {
  return kRnn;
}

}  // namespace netkit
