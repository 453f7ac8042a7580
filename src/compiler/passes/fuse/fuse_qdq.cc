// SPDX-License-Identifier: MIT
// Models that state their quantisation around float32 operators (ONNX QDQ): dequantize → operator →
// quantize becomes the operator on integers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/eval/eval.h"
#include "compiler/ir/const_values.h"
#include "compiler/eval/quant_forms.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"
#include "compiler/passes/passes.h"
#include "ops/common/host/onnx_quant.h"
#include "ops/common/host/op_helpers.h"

namespace netkit {
namespace {

constexpr int64_t kMaxConstantBytes = int64_t{1} << 30;
constexpr double kSameScale = 1e-5;  // relative: a product of two float32 scales

bool is_per_tensor(const TensorType& type) {
  return type.quant.scale.size() == 1 && (is_x8(type.dtype) || type.dtype == NK_INT16);
}

// ONNX's; what TensorFlow Lite dequantises it means to compute in float32.
bool is_onnx_quantize(const Node& node) {
  return node.op == "quantize" && node.attrs.get_string("round", "") == "even";
}

bool states_quantisation(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, is_onnx_quantize);
}

bool is_stated(const Editor& editor, const Node& node) {
  return is_onnx_quantize(node) && is_per_tensor(editor.type(node.outputs[0]));
}

bool is_mover(const Editor& editor, int n) {
  const Node& node = editor.node(n);
  return moves_only(node) && node.inputs.size() == 1;
}

bool is_shift(const TensorType& from, const TensorType& to) {
  return from.dtype != to.dtype && as_x8(from, to.dtype) == to;
}

// A node on integers and what it reads, in a graph of its own.
struct Planned {
  Graph probe;
  Node node;  // its tensors are the probe's
  TensorType out;
};

class QdqFuser {
 public:
  explicit QdqFuser(const Graph& graph) : e_(graph) {}

  Result<Graph> run() {
    for (int n = 0; n < e_.node_count(); ++n) {
      if (!e_.alive(n) || e_.node(n).outputs.size() != 1) continue;
      if (raise_mover(n) || sink_mover(n) || join(n) || cancel(n)) continue;
      NK_TRY(fuse(n));
    }
    return e_.finish();
  }

 private:
  // The integers that stand for the activation `id`; kNoTensor where there are none.
  TensorId integers(TensorId id) const {
    const int maker = e_.producer_of(id, "dequantize");
    if (maker < 0) return kNoTensor;
    const TensorId q = e_.node(maker).inputs[0];
    return is_per_tensor(e_.type(q)) ? q : kNoTensor;
  }

  TensorId add_before(int n, Node node, const TensorType& type) {
    const TensorId made = e_.add_tensor(e_.tensor(node.outputs[0]).name + "/moved", type);
    node.outputs = {made};
    e_.add_node(std::move(node), n);
    return made;
  }

  // move(dequantize(q)) → dequantize(move(q)), and so for a change between int8 and uint8
  bool raise_mover(int n) {
    if (!is_mover(e_, n)) return false;
    const Node node = e_.node(n);
    const int maker = e_.producer(node.inputs[0]);
    if (maker < 0 || e_.node(maker).inputs.size() != 1) return false;
    const Node change = e_.node(maker);
    const TensorId q = change.inputs[0];
    TensorType type = e_.type(q);
    const bool shifts =
        change.op == "requantize" && is_per_tensor(type) && is_shift(type, e_.type(node.inputs[0]));
    if (!shifts && integers(node.inputs[0]) == kNoTensor) return false;
    type.dims = e_.type(node.outputs[0]).dims;
    e_.erase(n);
    const TensorId moved = add_before(n, {node.op, node.name, {q}, node.outputs, node.attrs}, type);
    e_.add_node({change.op, change.name, {moved}, node.outputs, change.attrs}, n);
    return true;
  }

  // int8 → uint8 → int8, or the other way round
  bool cancel(int n) {
    const Node& node = e_.node(n);
    if (node.op != "requantize") return false;
    const int maker = e_.producer_of(node.inputs[0], "requantize");
    if (maker < 0) return false;
    const TensorId from = e_.node(maker).inputs[0], out = node.outputs[0];
    if (e_.type(from) != e_.type(out) || !is_shift(e_.type(from), e_.type(node.inputs[0]))) {
      return false;
    }
    e_.redirect(out, from);
    e_.erase(n);
    return true;
  }

  // f(move(x)) → move(f(x)) for f of one element each, quantize among them
  bool sink_mover(int n) {
    const Node node = e_.node(n);
    const OpDef* op = find_op(node.op);
    if (node.inputs.size() != 1 || op == nullptr || !op->is_elementwise) return false;
    if (node.op == "quantize" && !is_stated(e_, node)) return false;
    const int mover = e_.producer(node.inputs[0]);
    if (mover < 0 || !is_mover(e_, mover) || e_.only_reader(node.inputs[0]) != n ||
        e_.type(node.inputs[0]).dtype != NK_FLOAT32) {
      return false;
    }
    const Node move = e_.node(mover);
    TensorType type = e_.type(node.outputs[0]);
    type.dims = e_.type(move.inputs[0]).dims;
    e_.erase(n);
    e_.erase(mover);
    const TensorId made =
        add_before(n, {node.op, node.name, move.inputs, node.outputs, node.attrs}, type);
    e_.add_node({move.op, move.name, {made}, node.outputs, move.attrs}, n);
    return true;
  }

  // quantize(dequantize(q)) → q, or q in the other scale
  bool join(int n) {
    const Node node = e_.node(n);
    if (!is_stated(e_, node)) return false;
    const TensorId q = integers(node.inputs[0]);
    if (q == kNoTensor) return false;
    const TensorId out = node.outputs[0];
    if (e_.type(q) == e_.type(out)) {
      e_.redirect(out, q);
      e_.erase(n);
      return true;
    }
    Graph probe;
    Node other{"requantize", node.name, {q}, {out}, to_type(e_.type(out))};
    const Node asked{other.op,
                     other.name,
                     {probe.add_tensor("q", e_.type(q))},
                     {probe.add_tensor("y", e_.type(out))},
                     other.attrs};
    if (!has_kernel(probe, asked)) return false;
    e_.erase(n);
    e_.add_node(std::move(other), n);
    return true;
  }

  static Attrs to_type(const TensorType& type) {
    Attrs attrs;
    attrs.set("to", std::string(name_of(type.dtype)));
    return attrs;
  }

  Result<void> fuse(int n) {
    const Node& node = e_.node(n);
    const TensorId out = node.outputs[0];
    if (form_of(node).rule == QuantRule::kNone || e_.type(out).dtype != NK_FLOAT32) return {};
    const int quantize = e_.only_reader(out);
    if (quantize < 0 || !is_stated(e_, e_.node(quantize))) return {};
    const TensorType stated = e_.type(e_.node(quantize).outputs[0]);
    Planned planned;
    planned.out = output_type(form_of(node), as_x8(stated, NK_INT8));
    return plan(n, planned) ? commit(n, quantize, planned) : Result<void>();
  }

  static TensorType output_type(const QuantForm& form, TensorType type) {
    if (form.rule == QuantRule::kFixed && type.dtype == NK_INT8) {
      type.quant = {{form.scale}, {form.zero_point}, 0};
    }
    return type;
  }

  // Fails where an input has no integers, or the integers no kernel.
  Result<void> plan(int n, Planned& planned) const {
    const Node& node = e_.node(n);
    planned.node = node;
    NK_TRY(choose_mean(planned));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoTensor) continue;
      NK_ASSIGN(Tensor tensor, planned_input(node, i, planned));
      planned.node.inputs[i] =
          planned.probe.add_tensor(std::move(tensor.name), std::move(tensor.type), tensor.data);
    }
    planned.node.outputs = {planned.probe.add_tensor("out", planned.out)};
    return has_kernel(planned.probe, planned.node);
  }

  // A mean of all rows and columns may have another scale than its input, a pool may not.
  Result<void> choose_mean(Planned& planned) const {
    Node& node = planned.node;
    if (form_of(node).rule != QuantRule::kSame || !form_of(node).rounds) return {};
    const TensorId q = integers(node.inputs[0]);
    if (q == kNoTensor) return bad_input("no integers");
    const TensorType from = as_x8(e_.type(q), NK_INT8);
    if (from.dtype == planned.out.dtype && from.quant == planned.out.quant) return {};
    const Dims& in = e_.type(node.inputs[0]).dims;
    const bool pools_all = node.op == "avg_pool2d" && node.attrs.get_int("kernel_h") == in[1] &&
                           node.attrs.get_int("kernel_w") == in[2] &&
                           std::ranges::count(node.attrs.get_ints("pads"), 0) ==
                               std::ssize(node.attrs.get_ints("pads")) &&
                           node.attrs.get_string("activation", "none") == "none" &&
                           !node.attrs.has("clamp_min") && !node.attrs.has("clamp_max") &&
                           planned.out.dims[1] == 1 && planned.out.dims[2] == 1;
    if (!pools_all) return bad_input("the kernel keeps the scale of its input");
    node.op = "reduce_mean";
    node.attrs = {};
    node.attrs.set("axes", std::vector<int64_t>{1, 2});
    node.attrs.set("keepdims", int64_t{1});
    return {};
  }

  Result<Tensor> planned_input(const Node& node, size_t i, const Planned& planned) const {
    const Tensor& tensor = e_.tensor(node.inputs[i]);
    const QuantForm& form = form_of(planned.node);
    if (!is_real(e_.graph(), node, i)) {
      const bool is_table =
          form.table != nullptr && tensor.is_constant() && tensor.type.dtype == NK_FLOAT32;
      return is_table ? form.table(tensor) : Result<Tensor>(tensor);
    }
    if (form.rule == QuantRule::kWeighted && i == 1) return weights_of(tensor);
    if (form.rule == QuantRule::kWeighted && i == 2) return bias_of(tensor, planned);
    const Dequantised* constant = tensor.data.integers();
    const TensorId q = integers(node.inputs[i]);
    if (constant == nullptr && q == kNoTensor) return bad_input("no integers");
    TensorType type = as_x8(constant != nullptr ? constant->type : e_.type(q), NK_INT8);
    if (form.rule == QuantRule::kSame) {
      type = {planned.out.dtype, tensor.type.dims, planned.out.quant};
    }
    if (type.dtype != planned.out.dtype) return bad_input("other integers than the output's");
    if (constant == nullptr) return Tensor{e_.tensor(q).name, std::move(type), {}};
    return quantised(tensor, std::move(type));
  }

  static Result<Tensor> quantised(const Tensor& tensor, TensorType type) {
    Graph alone;
    Attrs attrs = to_type(type);
    attrs.set("round", std::string("even"));
    const TensorId x = alone.add_tensor(tensor.name, tensor.type, tensor.data);
    const TensorId y = alone.add_tensor(tensor.name, type);
    NK_ASSIGN(const auto values,
              evaluate_constant(alone, {"quantize", tensor.name, {x}, {y}, std::move(attrs)},
                                kMaxConstantBytes));
    return Tensor{tensor.name, std::move(type), values[0]};
  }

  static Result<Tensor> weights_of(const Tensor& tensor) {
    const Dequantised* from = tensor.is_constant() ? tensor.data.integers() : nullptr;
    if (from == nullptr || !is_x8(from->type.dtype)) return bad_input("no 8-bit weights");
    TensorType type = as_x8(from->type, NK_INT8);
    const bool same = type.dtype == from->type.dtype;
    return Tensor{tensor.name, std::move(type), same ? from->data : flipped_x8(from->data)};
  }

  // In steps of input scale times weight scale, as the kernel adds it.
  static Result<Tensor> bias_of(const Tensor& tensor, const Planned& planned) {
    const TensorType& x = planned.probe.tensor(planned.node.inputs[0]).type;
    const Quant& w = planned.probe.tensor(planned.node.inputs[1]).type.quant;
    const auto values = floats_of(tensor);
    if (!values) return bad_input("the bias is no constant");
    const bool wide = x.dtype == NK_INT16;
    const Dequantised* from = tensor.data.integers();
    const auto stored = from != nullptr && from->type.dtype == NK_INT32
                            ? ints_of({tensor.name, from->type, from->data})
                            : std::nullopt;
    const double limit = wide ? 0x1p46 : std::numeric_limits<int32_t>::max();
    std::vector<int64_t> steps;
    Quant quant;
    for (size_t c = 0; c < values->size(); ++c) {
      const double scale = double{x.quant.scale[0]} * w.scale[w.scale.size() == 1 ? 0 : c];
      if (!std::isfinite((*values)[c])) return bad_input("the bias is not finite");
      double step = std::round((*values)[c] / scale);
      if (stored && from->type.quant.scale.size() <= values->size()) {
        const Quant& own = from->type.quant;
        const size_t at = own.scale.size() == 1 ? 0 : c;
        const bool same = std::abs(own.scale[at] / scale - 1) < kSameScale;
        if (same && (own.zero_point.empty() || own.zero_point[at] == 0)) {
          step = static_cast<double>((*stored)[c]);
        }
      }
      if (std::abs(step) > limit) return bad_input("the bias is beyond its integers");
      steps.push_back(static_cast<int64_t>(step));
      if (quant.scale.size() < w.scale.size()) quant.scale.push_back(static_cast<float>(scale));
    }
    quant.zero_point.assign(quant.scale.size(), 0);
    const nk_dtype dtype = wide ? NK_INT64 : NK_INT32;
    return Tensor{
        tensor.name, {dtype, tensor.type.dims, std::move(quant)}, constant_ints(dtype, steps)};
  }

  // q in another type: what it was made of, what was made of it before, or a new node.
  TensorId converted(TensorId q, const TensorType& wanted, int near) {
    if (e_.type(q) == wanted) return q;
    for (const int reader : e_.readers(q)) {
      const Node& node = e_.node(reader);
      if (node.op == "requantize" && e_.type(node.outputs[0]) == wanted) return node.outputs[0];
    }
    const std::string name = fmt::format("{}/{}", e_.tensor(q).name, name_of(wanted.dtype));
    const TensorId made = e_.add_tensor(name, wanted);
    e_.add_node({"requantize", name, {q}, {made}, to_type(wanted)}, near);
    return made;
  }

  Result<void> commit(int n, int quantize, Planned& planned) {
    const Node from = e_.node(n);
    Node node = std::move(planned.node);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoTensor) continue;
      Tensor& tensor = planned.probe.tensor(node.inputs[i]);
      if (tensor.is_constant()) {
        node.inputs[i] = e_.add_tensor(tensor.name, tensor.type, tensor.data);
      } else if (is_real(e_.graph(), from, i)) {
        node.inputs[i] = converted(integers(from.inputs[i]), tensor.type, n);
      } else {
        node.inputs[i] = from.inputs[i];
      }
    }
    const TensorId stated = e_.node(quantize).outputs[0];
    e_.erase(quantize);
    e_.erase(n);
    if (planned.out == e_.type(stated)) {
      node.outputs = {stated};
      e_.add_node(std::move(node), n);
      return {};
    }
    const std::string name = e_.tensor(stated).name;
    const TensorId made =
        e_.add_tensor(fmt::format("{}/{}", name, name_of(planned.out.dtype)), planned.out);
    node.outputs = {made};
    e_.add_node(std::move(node), n);
    e_.add_node({"requantize", name, {made}, {stated}, to_type(e_.type(stated))}, n);
    return {};
  }

  Editor e_;
};

}  // namespace

Result<Graph> fuse_qdq(const Graph& graph) {
  if (!states_quantisation(graph)) return graph;
  // Each change takes a float32 mover or a quantize away, or moves one towards its integers.
  Graph current = graph;
  for (;;) {
    NK_ASSIGN(const Graph fused, fuse_activations(current));
    NK_ASSIGN(Graph next, QdqFuser(fused).run());
    if (same_graph(next, current)) return next;
    current = std::move(next);
  }
}

std::vector<std::string> float_between_integers(const Graph& graph) {
  if (!states_quantisation(graph)) return {};
  const Uses uses = uses_of(graph);
  const auto maker_is = [&](TensorId id, std::string_view op) {
    const int maker = id == kNoTensor ? -1 : uses.producer[static_cast<size_t>(id)];
    return maker >= 0 && graph.nodes[static_cast<size_t>(maker)].op == op;
  };
  std::vector<std::string> places;
  for (const Node& node : graph.nodes) {
    const bool reads =
        std::ranges::any_of(node.inputs, [&](TensorId id) { return maker_is(id, "dequantize"); });
    if (reads && !moves_only(node) && node.op != "quantize") places.push_back(place_of(node));
  }
  return places;
}

}  // namespace netkit
