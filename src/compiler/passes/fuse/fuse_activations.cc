// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"

namespace netkit {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Range {
  double lo = -kInfinity, hi = kInfinity;
  bool operator==(const Range&) const = default;
};

constexpr struct {
  std::string_view name;  // operator, and value of the attribute `activation`
  Range range;
} kNamed[] = {
    {"none", {-kInfinity, kInfinity}},
    {"relu", {0.0, kInfinity}},
    {"relu6", {0.0, 6.0}},
    {"relu_n1_to_1", {-1.0, 1.0}},
};

// Operators with the attribute `activation`; `clamps`: and with clamp_min and clamp_max.
constexpr struct {
  std::string_view op;
  bool clamps;
} kMakers[] = {
    {"conv2d", true},         {"dwconv2d", true}, {"fully_connected", true},
    {"transpose_conv", true}, {"add", false},     {"sub", false},
    {"mul", false},           {"div", false},     {"max_pool2d", true},
    {"avg_pool2d", true},
};

std::optional<Range> range_of_node(const Node& node) {
  if (node.op == "clip") {
    return Range{node.attrs.get_float("min", -kInfinity), node.attrs.get_float("max", kInfinity)};
  }
  if (node.op == "relu_0_to_1") return Range{0.0, 1.0};
  for (const auto& named : kNamed) {
    if (named.name == node.op) return named.range;
  }
  return std::nullopt;
}

// Bounds that the maker applies already.
std::optional<Range> range_of_maker(const Node& node) {
  const std::string activation = node.attrs.get_string("activation", "none");
  for (const auto& named : kNamed) {
    if (named.name != activation) continue;
    Range range = named.range;
    if (node.attrs.has("clamp_min"))
      range.lo = std::max(range.lo, node.attrs.get_float("clamp_min"));
    if (node.attrs.has("clamp_max"))
      range.hi = std::min(range.hi, node.attrs.get_float("clamp_max"));
    return range.lo <= range.hi ? std::optional(range) : std::nullopt;
  }
  return std::nullopt;
}

Range clamped(Range inner, Range outer) {
  return {std::clamp(inner.lo, outer.lo, outer.hi), std::clamp(inner.hi, outer.lo, outer.hi)};
}

bool set_range(Editor& editor, int n, Range range, bool clamps) {
  const auto named = std::ranges::find(kNamed, range, [](const auto& row) { return row.range; });
  if (named == std::end(kNamed) && !clamps) return false;
  const bool has_name = named != std::end(kNamed);
  editor.set_attr(n, "activation", std::string(has_name ? named->name : "none"));
  editor.erase_attr(n, "clamp_min");
  editor.erase_attr(n, "clamp_max");
  if (has_name) return true;
  if (range.lo > -kInfinity) editor.set_attr(n, "clamp_min", range.lo);
  if (range.hi < kInfinity) editor.set_attr(n, "clamp_max", range.hi);
  return true;
}

bool fuse_activation(Editor& editor, int n) {
  const Node& node = editor.node(n);
  const auto outer = range_of_node(node);
  if (!outer || !(outer->lo <= outer->hi) || node.inputs.empty()) return false;
  const TensorId x = node.inputs[0], y = node.outputs[0];
  if (x == kNoTensor || editor.only_reader(x) != n || editor.type(x) != editor.type(y)) {
    return false;
  }
  const int maker = editor.producer(x);
  if (maker < 0) return false;
  const auto row =
      std::ranges::find(kMakers, editor.node(maker).op, [](const auto& r) { return r.op; });
  if (row == std::end(kMakers)) return false;
  const nk_dtype dtype = editor.type(y).dtype;
  // A clip of quantised values may round its bounds in another way than a clamp of the maker.
  if (dtype != NK_FLOAT32 && (editor.type(y).quant.scale.size() != 1 || node.op == "clip")) {
    return false;
  }
  const auto inner = range_of_maker(editor.node(maker));
  if (!inner || !set_range(editor, maker, clamped(*inner, *outer), row->clamps)) return false;
  editor.erase(n);
  editor.set_output(maker, 0, y);
  return true;
}

}  // namespace

Result<Graph> fuse_activations(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    if (editor.alive(n)) fuse_activation(editor, n);
  }
  return editor.finish();
}

}  // namespace netkit
