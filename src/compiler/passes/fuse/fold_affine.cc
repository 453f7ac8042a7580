// SPDX-License-Identifier: MIT
// y = x * scale[c] + shift[c] next to an operator with constant weights.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "compiler/eval/weight_layout.h"
#include "compiler/ir/const_values.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"

namespace netkit {
namespace {

struct Affine {
  TensorId x = kNoTensor;
  std::vector<double> scale, shift;  // one value, or one per channel (last axis)
  std::string activation = "none";
};

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

double at(const std::vector<double>& values, size_t i) {
  return values.size() == 1 ? values[0] : values[i];
}

// A float32 constant that varies along the last axis only, as one value or `channels` values.
std::optional<std::vector<double>> per_channel(const Editor& editor, TensorId id,
                                               int64_t channels) {
  if (id == kNoTensor || editor.type(id).dtype != NK_FLOAT32) return std::nullopt;
  const Dims& dims = editor.type(id).dims;
  const auto count = element_count(dims);
  const bool wanted = count && (*count == 1 || (*count == channels && dims.back() == channels));
  if (!wanted) return std::nullopt;  // most weights are not read at all
  auto values = floats_of(editor.tensor(id));
  return values && all_finite(*values) ? std::move(values) : std::nullopt;
}

// add, sub, mul or div of an activation and a constant.
std::optional<Affine> binary_affine(const Editor& editor, const Node& node, int64_t channels) {
  const bool swapped = editor.tensor(node.inputs[0]).is_constant();
  Affine out{
      node.inputs[swapped ? 1 : 0], {1.0}, {0.0}, node.attrs.get_string("activation", "none")};
  auto c = per_channel(editor, node.inputs[swapped ? 0 : 1], channels);
  if (!c) return std::nullopt;
  if (node.op == "add") {
    out.shift = *c;
  } else if (node.op == "sub") {
    out.scale = {swapped ? -1.0 : 1.0};
    if (!swapped) std::ranges::transform(*c, c->begin(), std::negate<>());
    out.shift = *c;
  } else if (node.op == "mul") {
    out.scale = *c;
  } else if (node.op == "div" && !swapped) {
    std::ranges::transform(*c, c->begin(), [](double v) { return 1.0 / v; });
    out.scale = *c;
  } else {
    return std::nullopt;
  }
  return all_finite(out.scale) ? std::optional(out) : std::nullopt;
}

std::optional<Affine> affine_of(const Editor& editor, const Node& node) {
  if (node.outputs.size() != 1 || node.inputs.size() < 2) return std::nullopt;
  const TensorType& y = editor.type(node.outputs[0]);
  if (y.dtype != NK_FLOAT32 || y.dims.empty()) return std::nullopt;
  const int64_t channels = y.dims.back();
  std::optional<Affine> out;
  if (node.op == "batch_norm" && node.inputs.size() == 3) {
    const auto scale = per_channel(editor, node.inputs[1], channels);
    const auto shift = per_channel(editor, node.inputs[2], channels);
    if (scale && shift) out = Affine{node.inputs[0], *scale, *shift, "none"};
  } else if (node.op != "batch_norm") {
    if (node.inputs[0] == kNoTensor || node.inputs[1] == kNoTensor) return std::nullopt;
    out = binary_affine(editor, node, channels);
  }
  if (!out || editor.tensor(out->x).is_constant() || editor.type(out->x) != y) return std::nullopt;
  return out;
}

// Weights and bias of a node, as numbers.
struct Weights {
  WeightLayout layout;
  std::vector<double> w, bias;  // bias: one per output channel
};

bool is_unclamped(const Node& node) {
  return node.attrs.get_string("activation", "none") == "none" && !node.attrs.has("clamp_min") &&
         !node.attrs.has("clamp_max");
}

std::optional<Weights> weights_of(const Editor& editor, const Node& node) {
  const auto layout = WeightLayout::of(editor.graph(), node);
  if (!layout || editor.type(node.inputs[0]).dtype != NK_FLOAT32) return std::nullopt;
  auto values = floats_of(editor.tensor(node.inputs[1]));
  if (!values) return std::nullopt;
  Weights out{*layout, std::move(*values), {}};
  out.bias.assign(layout->out_channels(), 0.0);
  if (node.inputs.size() > 2 && node.inputs[2] != kNoTensor) {
    const auto bias = floats_of(editor.tensor(node.inputs[2]));
    if (!bias || bias->size() != out.bias.size()) return std::nullopt;
    out.bias = *bias;
  }
  return out;
}

void put_weights(Editor& editor, int n, const Weights& weights) {
  const Tensor& w = editor.tensor(editor.node(n).inputs[1]);
  const std::string name = w.name;
  const TensorType type = w.type;
  editor.set_input(n, 1, editor.add_tensor(name, type, constant_floats(NK_FLOAT32, weights.w)));
  const TensorType bias_type{NK_FLOAT32, {static_cast<int64_t>(weights.bias.size())}, {}};
  editor.set_input(
      n, 2,
      editor.add_tensor(name + "/bias", bias_type, constant_floats(NK_FLOAT32, weights.bias)));
}

// affine(weighted(x)): node n is the affine one.
bool fold_back(Editor& editor, int n, const Affine& affine) {
  const int maker = editor.producer(affine.x);
  if (maker < 0 || editor.only_reader(affine.x) != n) return false;
  auto weights = weights_of(editor, editor.node(maker));
  if (!weights || !is_unclamped(editor.node(maker))) return false;
  const auto fits = [&](const std::vector<double>& v) {
    return v.size() == 1 || v.size() == weights->bias.size();
  };
  if (!fits(affine.scale) || !fits(affine.shift)) return false;
  for (size_t i = 0; i < weights->w.size(); ++i) {
    weights->w[i] *= at(affine.scale, weights->layout.out_channel(i));
  }
  for (size_t o = 0; o < weights->bias.size(); ++o) {
    weights->bias[o] = weights->bias[o] * at(affine.scale, o) + at(affine.shift, o);
  }
  put_weights(editor, maker, *weights);
  if (affine.activation != "none") editor.set_attr(maker, "activation", affine.activation);
  const TensorId result = editor.node(n).outputs[0];
  editor.erase(n);
  editor.set_output(maker, 0, result);
  return true;
}

// Not every output is a sum over all taps.
bool has_padding(const Node& node) {
  return node.op == "transpose_conv" ||
         std::ranges::any_of(node.attrs.get_ints("pads"), [](int64_t p) { return p != 0; });
}

// weighted(affine(x)): node n is the affine one.
bool fold_forward(Editor& editor, int n, const Affine& affine) {
  if (affine.activation != "none") return false;
  const TensorId y = editor.node(n).outputs[0];
  const int reader = editor.only_reader(y);
  if (reader < 0) return false;
  const Node node = editor.node(reader);
  if (node.inputs[0] != y) return false;
  const bool shifts = std::ranges::any_of(affine.shift, [](double v) { return v != 0.0; });
  if (shifts && has_padding(node)) return false;
  auto weights = weights_of(editor, node);
  if (!weights) return false;
  const WeightLayout& layout = weights->layout;
  const Dims w = editor.type(node.inputs[1]).dims;
  const int64_t channels = editor.type(y).dims.back();
  const int64_t expected =
      layout.depthwise() ? channels : w.back() * node.attrs.get_int("groups", 1);
  if (channels != expected || channels < 1 ||
      (layout.depthwise() && static_cast<int64_t>(layout.out_channels()) % channels != 0)) {
    return false;
  }
  for (size_t i = 0; i < weights->w.size(); ++i) {
    const size_t c = layout.in_channel(i);
    weights->bias[layout.out_channel(i)] += weights->w[i] * at(affine.shift, c);
    weights->w[i] *= at(affine.scale, c);
  }
  put_weights(editor, reader, *weights);
  editor.set_input(reader, 0, affine.x);
  editor.erase(n);
  return true;
}

}  // namespace

Result<Graph> fold_affine(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    if (!editor.alive(n)) continue;
    const auto affine = affine_of(editor, editor.node(n));
    if (affine && !fold_back(editor, n, *affine)) fold_forward(editor, n, *affine);
  }
  return editor.finish();
}

}  // namespace netkit
