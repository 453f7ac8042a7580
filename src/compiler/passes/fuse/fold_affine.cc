// SPDX-License-Identifier: MIT
// y = x * scale[c] + shift[c] next to an operator with constant weights.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "compiler/ir/const_values.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"

namespace netkit {
namespace {

// Operators with node inputs x, weights, bias.
struct WeightedRow {
  std::string_view op;
  size_t rank;      // of the weights
  size_t out_axis;  // that counts output channels
  bool depthwise;   // weights [1, kh, kw, in_c * multiplier]; else the last axis counts input
                    // channels (of one group)
};
constexpr WeightedRow kWeighted[] = {{"conv2d", 4, 0, false},
                                     {"dwconv2d", 4, 3, true},
                                     {"fully_connected", 2, 0, false},
                                     {"transpose_conv", 4, 0, false}};

const WeightedRow* weighted_row(const Node& node) {
  const auto row = std::ranges::find(kWeighted, node.op, &WeightedRow::op);
  return row == std::end(kWeighted) ? nullptr : row;
}

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
  std::vector<double> w, bias;  // bias: one per output channel
  size_t out_channels = 0;
};

bool is_unclamped(const Node& node) {
  return node.attrs.get_string("activation", "none") == "none" && !node.attrs.has("clamp_min") &&
         !node.attrs.has("clamp_max");
}

std::optional<Weights> weights_of(const Editor& editor, const Node& node, const WeightedRow& row) {
  if (node.inputs.size() < 2 || node.inputs[0] == kNoTensor || node.inputs[1] == kNoTensor) {
    return std::nullopt;
  }
  const Tensor& w = editor.tensor(node.inputs[1]);
  if (editor.type(node.inputs[0]).dtype != NK_FLOAT32 || w.type.dtype != NK_FLOAT32 ||
      w.type.dims.size() != row.rank) {
    return std::nullopt;
  }
  auto values = floats_of(w);
  if (!values) return std::nullopt;
  Weights out{std::move(*values), {}, static_cast<size_t>(w.type.dims[row.out_axis])};
  out.bias.assign(out.out_channels, 0.0);
  if (node.inputs.size() > 2 && node.inputs[2] != kNoTensor) {
    const auto bias = floats_of(editor.tensor(node.inputs[2]));
    if (!bias || bias->size() != out.out_channels) return std::nullopt;
    out.bias = *bias;
  }
  return out;
}

void put_weights(Editor& editor, int n, const Weights& weights) {
  const Tensor& w = editor.tensor(editor.node(n).inputs[1]);
  const std::string name = w.name;
  const TensorType type = w.type;
  editor.set_input(n, 1, editor.add_tensor(name, type, constant_floats(NK_FLOAT32, weights.w)));
  const TensorType bias_type{NK_FLOAT32, {static_cast<int64_t>(weights.out_channels)}, {}};
  editor.set_input(
      n, 2,
      editor.add_tensor(name + "/bias", bias_type, constant_floats(NK_FLOAT32, weights.bias)));
}

// Output channel of the i-th weight.
size_t out_channel(const WeightedRow& row, const Weights& weights, size_t i) {
  return row.depthwise ? i % weights.out_channels : i / (weights.w.size() / weights.out_channels);
}

// affine(weighted(x)): node n is the affine one.
bool fold_back(Editor& editor, int n, const Affine& affine) {
  const int maker = editor.producer(affine.x);
  if (maker < 0 || editor.only_reader(affine.x) != n) return false;
  const WeightedRow* row = weighted_row(editor.node(maker));
  if (row == nullptr || !is_unclamped(editor.node(maker))) return false;
  auto weights = weights_of(editor, editor.node(maker), *row);
  if (!weights || weights->w.empty()) return false;
  const auto fits = [&](const std::vector<double>& v) {
    return v.size() == 1 || v.size() == weights->out_channels;
  };
  if (!fits(affine.scale) || !fits(affine.shift)) return false;
  for (size_t i = 0; i < weights->w.size(); ++i) {
    weights->w[i] *= at(affine.scale, out_channel(*row, *weights, i));
  }
  for (size_t o = 0; o < weights->out_channels; ++o) {
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

// Input channel of the i-th weight.
size_t in_channel(const Node& node, const WeightedRow& row, const Weights& weights, const Dims& w,
                  size_t i, int64_t in_channels) {
  if (row.depthwise) {
    return i % weights.out_channels / (weights.out_channels / static_cast<size_t>(in_channels));
  }
  const auto per_group = static_cast<size_t>(w.back());
  const auto groups = static_cast<size_t>(node.attrs.get_int("groups", 1));
  const size_t group = out_channel(row, weights, i) / (weights.out_channels / groups);
  return group * per_group + i % per_group;
}

// weighted(affine(x)): node n is the affine one.
bool fold_forward(Editor& editor, int n, const Affine& affine) {
  if (affine.activation != "none") return false;
  const TensorId y = editor.node(n).outputs[0];
  const int reader = editor.only_reader(y);
  if (reader < 0) return false;
  const Node node = editor.node(reader);
  const WeightedRow* row = weighted_row(node);
  if (row == nullptr || node.inputs[0] != y) return false;
  const bool shifts = std::ranges::any_of(affine.shift, [](double v) { return v != 0.0; });
  if (shifts && has_padding(node)) return false;
  auto weights = weights_of(editor, node, *row);
  if (!weights || weights->w.empty()) return false;
  const Dims w = editor.type(node.inputs[1]).dims;
  const int64_t channels = editor.type(y).dims.back();
  const int64_t expected = row->depthwise ? channels : w.back() * node.attrs.get_int("groups", 1);
  if (channels != expected || channels < 1 ||
      (row->depthwise && static_cast<int64_t>(weights->out_channels) % channels != 0)) {
    return false;
  }
  for (size_t i = 0; i < weights->w.size(); ++i) {
    const size_t c = in_channel(node, *row, *weights, w, i, channels);
    weights->bias[out_channel(*row, *weights, i)] += weights->w[i] * at(affine.shift, c);
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
