// SPDX-License-Identifier: MIT
#include "compiler/quant/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/eval/eval.h"
#include "compiler/eval/quant_forms.h"
#include "compiler/quant/weights.h"

namespace netkit::quant {
namespace {

constexpr int64_t kMaxConstantBytes = int64_t{1} << 30;

nk_dtype dtype_of(Mode mode) {
  return mode == Mode::kFloat ? NK_FLOAT32 : mode == Mode::kInt8 ? NK_INT8 : NK_INT16;
}

class Rewriter {
 public:
  Rewriter(const Graph& from, const std::vector<Observed>& seen, const std::vector<Range>& ranges,
           const std::vector<Mode>& wanted, const Options& options)
      : from_(from),
        uses_(uses_of(from)),
        seen_(seen),
        ranges_(ranges),
        wanted_(wanted),
        options_(options),
        forms_(from.tensors.size()) {}

  Result<Rewritten> run() {
    to().source = from_.source;
    to().sha256 = from_.sha256;
    out_.mode.assign(from_.nodes.size(), Mode::kFloat);
    out_.why.resize(from_.nodes.size());
    want_back();
    add_inputs();
    for (size_t n = 0; n < from_.nodes.size(); ++n) NK_TRY(add_node(n));
    NK_TRY(add_outputs());
    to().states = from_.states;
    for (const auto& forms : forms_) out_.made.push_back(forms.empty() ? kNoTensor : forms[0].id);
    NK_TRY(verify(to()));
    return std::move(out_);
  }

 private:
  struct Form {  // one of the tensors that hold a value; the first is the one that was made
    Mode mode;
    TensorId id;
  };

  Graph& to() { return out_.graph; }
  std::vector<Form>& forms(TensorId id) { return forms_[static_cast<size_t>(id)]; }

  TensorType type_in(TensorId id, Mode mode) const {
    const TensorType& type = from_.tensor(id).type;
    if (mode == Mode::kFloat) return type;
    return {dtype_of(mode), type.dims, quant_for(ranges_[static_cast<size_t>(id)], mode)};
  }

  // What the readers of a value want of it: int16 where all that are quantised do.
  Mode wanted_of(TensorId id) const {
    Mode mode = Mode::kFloat;
    for (const int reader : uses_.readers[static_cast<size_t>(id)]) {
      const auto n = static_cast<size_t>(reader);
      if (!is_candidate(n)) continue;
      if (mode == Mode::kFloat || wanted_[n] == Mode::kInt8) mode = wanted_[n];
    }
    return mode;
  }

  // Does the node compute real numbers, and may it be quantised?
  bool is_candidate(size_t n) const {
    const Node& node = from_.nodes[n];
    const auto real = [&](TensorId id) {
      return id != kNoTensor && from_.tensor(id).type.dtype == NK_FLOAT32;
    };
    return form_of(node).rule != QuantRule::kNone && wanted_[n] != Mode::kFloat &&
           (std::ranges::any_of(node.inputs, real) || std::ranges::any_of(node.outputs, real));
  }

  // A node that moves an input's values passes its readers' wish on to it.
  void want_back() {
    for (size_t n = from_.nodes.size(); n-- > 0;) {
      const Node& node = from_.nodes[n];
      if (form_of(node).rule != QuantRule::kSame || wanted_[n] != Mode::kInt8) continue;
      if (wanted_of(node.outputs[0]) == Mode::kInt16) wanted_[n] = Mode::kInt16;
    }
  }

  void add_inputs() {
    for (size_t i = 0; i < from_.inputs.size(); ++i) {
      const TensorId id = from_.inputs[i];
      const Tensor& tensor = from_.tensor(id);
      const bool converted =
          i < from_.model_inputs() && !options_.float_io && tensor.type.dtype == NK_FLOAT32;
      const Mode mode = converted ? wanted_of(id) : Mode::kFloat;
      const TensorId made = to().add_tensor(tensor.name, type_in(id, mode));
      to().inputs.push_back(made);
      forms(id).push_back({mode, made});
    }
  }

  Result<void> add_outputs() {
    for (size_t i = 0; i < from_.outputs.size(); ++i) {
      const TensorId id = from_.outputs[i];
      const bool as_made = i < from_.model_outputs() && !options_.float_io;
      NK_TRY(constant_form(id));
      to().outputs.push_back(as_made ? forms(id)[0].id : named_float(id));
    }
    return {};
  }

  // The float32 form under the value's own name.
  TensorId named_float(TensorId id) {
    const TensorId made = float_form(id);
    if (made != forms(id)[0].id) {
      std::swap(to().tensor(made).name, to().tensor(forms(id)[0].id).name);
    }
    return made;
  }

  // A constant stands in the new graph when it is first asked for.
  Result<void> constant_form(TensorId id) {
    const Tensor& tensor = from_.tensor(id);
    if (!forms(id).empty() || !tensor.is_constant()) return {};
    forms(id).push_back({Mode::kFloat, to().add_tensor(tensor.name, tensor.type, tensor.data)});
    return {};
  }

  TensorId convert(TensorId id, const Form& source, Mode mode, const TensorType& type) {
    const std::string name =
        fmt::format("{}/{}", from_.tensor(id).name, netkit::name_of(type.dtype));
    const TensorId made = to().add_tensor(name, type);
    const std::string op = source.mode == Mode::kFloat ? "quantize"
                           : mode == Mode::kFloat      ? "dequantize"
                                                       : "requantize";
    to().nodes.push_back({op, name, {source.id}, {made}, {}});
    forms(id).push_back({mode, made});
    return made;
  }

  TensorId float_form(TensorId id) {
    for (const Form& form : forms(id)) {
      if (form.mode == Mode::kFloat) return form.id;
    }
    return convert(id, forms(id)[0], Mode::kFloat, from_.tensor(id).type);
  }

  // The value in a mode; with `type`, of that type.
  Result<TensorId> form_in(TensorId id, Mode mode, const TensorType* type) {
    NK_TRY(constant_form(id));
    for (const Form& form : forms(id)) {
      if (form.mode == mode && (type == nullptr || to().tensor(form.id).type == *type)) {
        return form.id;
      }
    }
    const TensorType wanted = type != nullptr ? *type : type_in(id, mode);
    const Form source = forms(id)[0];
    const TensorId made = convert(id, source, mode, wanted);
    if (!to().tensor(source.id).is_constant()) return made;
    NK_ASSIGN(const auto values, evaluate_constant(to(), to().nodes.back(), kMaxConstantBytes));
    to().nodes.pop_back();
    to().tensor(made).data = values[0];
    return made;
  }

  // The mode in which node n would run: values that are only moved stay what they are.
  Mode mode_for(size_t n) {
    const Node& node = from_.nodes[n];
    if (!is_candidate(n)) return Mode::kFloat;
    if (form_of(node).rule != QuantRule::kSame) return wanted_[n];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_real(from_, node, i) || from_.tensor(node.inputs[i]).is_constant()) continue;
      const bool is_input = uses_.producer[static_cast<size_t>(node.inputs[i])] < 0;
      return is_input ? wanted_[n] : forms(node.inputs[i])[0].mode;
    }
    return Mode::kFloat;
  }

  TensorType output_type(const Node& node, TensorId id, Mode mode) const {
    TensorType type = type_in(id, mode);
    const QuantForm& form = form_of(node);
    if (form.rule == QuantRule::kFixed && mode == Mode::kInt8) {
      type.quant = {{form.scale}, {form.zero_point}, 0};
    }
    return type;
  }

  // What a real input looks like to the quantised node, without making it.
  TensorType input_type(const Node& node, TensorId id, Mode mode) {
    if (form_of(node).rule != QuantRule::kSame && !forms(id).empty() && forms(id)[0].mode == mode) {
      return to().tensor(forms(id)[0].id).type;
    }
    return type_in(id, mode);
  }

  Result<void> add_node(size_t n) {
    const Node& node = from_.nodes[n];
    const Mode mode = mode_for(n);
    if (mode == Mode::kFloat) {
      const bool asked = form_of(node).rule != QuantRule::kNone && wanted_[n] == Mode::kFloat;
      const bool has_form = form_of(node).rule != QuantRule::kNone;
      return add_float(n, asked      ? "asked for"
                          : has_form ? "moves float32 values"
                                     : "the operator has no integer form");
    }
    Node quantised = node;
    auto tried = quantise_inputs(node, mode, quantised);
    if (!tried) return add_float(n, tried.error().message);
    NK_TRY(take_inputs(node, mode, quantised));
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      const TensorId id = node.outputs[o];
      if (id == kNoTensor) continue;
      const Tensor& tensor = from_.tensor(id);
      const bool real = tensor.type.dtype == NK_FLOAT32;
      const TensorId made =
          to().add_tensor(tensor.name, real ? output_type(node, id, mode) : tensor.type);
      forms(id).push_back({real ? mode : Mode::kFloat, made});
      quantised.outputs[o] = made;
    }
    to().nodes.push_back(std::move(quantised));
    out_.mode[n] = mode;
    return {};
  }

  // A float32 constant that holds no real values, and has another form beside integers.
  bool is_table(const Node& node, size_t i) const {
    const Tensor& tensor = from_.tensor(node.inputs[i]);
    return form_of(node).table != nullptr && !is_real(from_, node, i) &&
           tensor.type.dtype == NK_FLOAT32 && tensor.is_constant();
  }

  // Weights and bias of `quantised`, and an answer: is there a kernel? Nothing is added before.
  Result<void> quantise_inputs(const Node& node, Mode mode, Node& quantised) {
    Graph probe;
    weights_.reset();
    tables_.clear();
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id == kNoTensor) continue;
      const Tensor& tensor = from_.tensor(id);
      if (is_table(node, i)) {
        NK_ASSIGN(Tensor table, form_of(node).table(tensor));
        quantised.inputs[i] = probe.add_tensor(table.name, table.type, table.data);
        tables_.emplace(i, std::move(table));
        continue;
      }
      const bool real = is_real(from_, node, i);
      const TensorType type = real ? input_type(node, id, mode) : tensor.type;
      // What a constant holds does not matter to the question.
      ConstData data = tensor.data;
      if (real && data != nullptr) {
        NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
        data = ConstData::repeated(Bytes(static_cast<size_t>(bits_of(type.dtype) / 8)),
                                   static_cast<size_t>(bytes));
      }
      quantised.inputs[i] = probe.add_tensor(tensor.name, type, data);
    }
    if (form_of(node).rule == QuantRule::kWeighted)
      NK_TRY(quantise_weighted(node, probe, quantised));
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o] == kNoTensor) continue;
      const Tensor& tensor = from_.tensor(node.outputs[o]);
      const bool real = tensor.type.dtype == NK_FLOAT32;
      quantised.outputs[o] = probe.add_tensor(
          tensor.name, real ? output_type(node, node.outputs[o], mode) : tensor.type);
    }
    return has_kernel(probe, quantised);
  }

  Result<void> quantise_weighted(const Node& node, Graph& probe, Node& quantised) {
    const auto layout = WeightLayout::of(from_, node);
    if (!layout) return bad_input("weights or bias are no constants");
    const TensorType x = probe.tensor(quantised.inputs[0]).type;
    const Observed& seen = seen_[static_cast<size_t>(node.inputs[0])];
    NK_ASSIGN(weights_,
              quantise_weights(from_, node, *layout, x,
                               options_.correct_bias ? seen.channel_mean : std::vector<double>{}));
    quantised.inputs.resize(3, kNoTensor);
    quantised.inputs[1] = probe.add_tensor("weights", weights_->type, weights_->weights);
    quantised.inputs[2] = probe.add_tensor("bias", weights_->bias_type, weights_->bias);
    return {};
  }

  // The inputs of `quantised`, which has a kernel.
  Result<void> take_inputs(const Node& node, Mode mode, Node& quantised) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId id = node.inputs[i];
      if (id == kNoTensor || (weights_ && i > 0)) continue;
      if (const auto table = tables_.find(i); table != tables_.end()) {
        const Tensor& made = table->second;
        quantised.inputs[i] = to().add_tensor(made.name, made.type, made.data);
        continue;
      }
      NK_TRY(constant_form(id));
      if (!is_real(from_, node, i)) {
        quantised.inputs[i] = forms(id)[0].id;
        continue;
      }
      const TensorType type = input_type(node, id, mode);
      NK_ASSIGN(quantised.inputs[i], form_in(id, mode, &type));
    }
    if (!weights_) return {};
    const std::string& name = from_.tensor(node.inputs[1]).name;
    quantised.inputs[1] = to().add_tensor(name, weights_->type, weights_->weights);
    const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != kNoTensor;
    quantised.inputs[2] =
        to().add_tensor(has_bias ? from_.tensor(node.inputs[2]).name : name + "/bias",
                        weights_->bias_type, weights_->bias);
    return {};
  }

  Result<void> add_float(size_t n, std::string why) {
    Node node = from_.nodes[n];
    for (TensorId& id : node.inputs) {
      if (id == kNoTensor) continue;
      NK_TRY(constant_form(id));
      id = from_.tensor(id).type.dtype == NK_FLOAT32 ? float_form(id) : forms(id)[0].id;
    }
    for (TensorId& id : node.outputs) {
      if (id == kNoTensor) continue;
      const TensorId made = to().add_tensor(from_.tensor(id).name, from_.tensor(id).type);
      forms(id).push_back({Mode::kFloat, made});
      id = made;
    }
    to().nodes.push_back(std::move(node));
    out_.why[n] = std::move(why);
    return {};
  }

  const Graph& from_;
  const Uses uses_;
  const std::vector<Observed>& seen_;
  const std::vector<Range>& ranges_;
  std::vector<Mode> wanted_;
  const Options& options_;
  std::vector<std::vector<Form>> forms_;
  std::optional<IntWeights> weights_;  // of the node at hand, where it has some
  std::map<size_t, Tensor> tables_;    // the same, by input
  Rewritten out_;
};

}  // namespace

Result<Rewritten> rewrite(const Graph& graph, const std::vector<Observed>& seen,
                          const std::vector<Range>& ranges, const std::vector<Mode>& wanted,
                          const Options& options) {
  return Rewriter(graph, seen, ranges, wanted, options).run();
}

}  // namespace netkit::quant
