// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>

#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"

namespace netkit {
namespace {

using Pads = std::array<int64_t, 4>;  // top, left, bottom, right

// What a pad adds to an NHWC tensor; false where it is no constant padding of rows and columns.
bool spatial_pads(const Editor& editor, const Node& pad, Pads& pads) {
  const auto before = pad.attrs.get_ints("before"), after = pad.attrs.get_ints("after");
  if (before.size() != 4 || after.size() != 4) return false;
  for (const size_t axis : {size_t{0}, size_t{3}}) {
    if (before[axis] != 0 || after[axis] != 0) return false;
  }
  pads = {before[1], before[2], after[1], after[2]};
  return pad.attrs.get_string("mode", "constant") == "constant" &&
         editor.type(pad.inputs[0]).quant == editor.type(pad.outputs[0]).quant;
}

// A pad's value is a real number, so zero is the zero point where the tensor is quantised.
double value_of(const Node& pad) {
  return pad.attrs.get_float("value", 0.0);
}

bool pads_zeros(const Editor&, const Node& pad, const Node&) {
  return value_of(pad) == 0.0;
}

bool has_pads(const Node& node) {
  return std::ranges::any_of(node.attrs.get_ints("pads"), [](int64_t p) { return p != 0; });
}

// An average that has no padding, or counts it, counts the zeros of a pad too.
bool pads_for_average(const Editor&, const Node& pad, const Node& pool) {
  if (value_of(pad) != 0.0 || pool.attrs.get_int("ceil_mode") != 0) return false;
  return !has_pads(pool) || pool.attrs.get_int("count_include_pad") != 0;
}

bool is_not_negative(const Editor& editor, TensorId id) {
  const int maker = editor.producer(id);
  if (maker < 0) return false;
  constexpr std::string_view kNames[] = {"relu", "relu6"};
  const Node& node = editor.node(maker);
  const std::string activation = node.attrs.get_string("activation");
  return std::ranges::find(kNames, node.op) != std::end(kNames) ||
         std::ranges::find(kNames, activation) != std::end(kNames);
}

bool pads_for_maximum(const Editor& editor, const Node& pad, const Node& pool) {
  if (pool.attrs.get_int("ceil_mode") != 0) return false;
  const double value = value_of(pad);
  const bool least = value == -std::numeric_limits<double>::infinity() &&
                     editor.type(pad.outputs[0]).dtype == NK_FLOAT32;
  return least || (value == 0.0 && is_not_negative(editor, pad.inputs[0]));
}

// Operators with the attribute `pads`, and when a pad before them says the same. `whole`: every
// window must keep a cell of the input.
constexpr struct {
  std::string_view op;
  bool (*fits)(const Editor& editor, const Node& pad, const Node& node);
  bool whole;
  bool counts;  // the padding must then be counted
} kPadReaders[] = {
    {"conv2d", pads_zeros, false, false},
    {"dwconv2d", pads_zeros, false, false},
    {"avg_pool2d", pads_for_average, true, true},
    {"max_pool2d", pads_for_maximum, true, false},
};

bool keeps_a_cell(const Node& pool, const std::vector<int64_t>& pads) {
  const int64_t h = pool.attrs.get_int("kernel_h"), w = pool.attrs.get_int("kernel_w");
  return pool.attrs.get_int("dilation_h", 1) == 1 && pool.attrs.get_int("dilation_w", 1) == 1 &&
         pads[0] < h && pads[2] < h && pads[1] < w && pads[3] < w;
}

bool fuse_pad(Editor& editor, int n) {
  const Node& node = editor.node(n);
  const auto row = std::ranges::find(kPadReaders, node.op, [](const auto& r) { return r.op; });
  if (row == std::end(kPadReaders)) return false;
  const int pad = editor.producer_of(node.inputs[0], "pad");
  Pads added{};
  if (pad < 0 || !spatial_pads(editor, editor.node(pad), added) ||
      !row->fits(editor, editor.node(pad), node)) {
    return false;
  }
  // A weight that is the padded tensor too would change with it.
  if (std::ranges::count(node.inputs, node.inputs[0]) != 1) return false;
  auto pads = node.attrs.get_ints("pads", {0, 0, 0, 0});
  if (pads.size() != 4) return false;
  for (size_t i = 0; i < 4; ++i) {
    if (pads[i] < 0 || added[i] < 0 || added[i] > INT32_MAX || pads[i] > INT32_MAX) return false;
    pads[i] += added[i];
  }
  if (row->whole && !keeps_a_cell(node, pads)) return false;
  editor.set_attr(n, "pads", pads);
  if (row->counts) editor.set_attr(n, "count_include_pad", int64_t{1});
  editor.set_input(n, 0, editor.node(pad).inputs[0]);
  return true;
}

}  // namespace

Result<Graph> fuse_pads(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    while (editor.alive(n) && fuse_pad(editor, n)) {
    }
  }
  return editor.finish();
}

}  // namespace netkit
