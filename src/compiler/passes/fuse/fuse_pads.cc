// SPDX-License-Identifier: MIT
#include <algorithm>

#include "compiler/passes/editor.h"
#include "compiler/passes/fuse/fuse.h"

namespace netkit {
namespace {

// Zero padding of rows and columns only, of an NHWC tensor. A pad's value is a real number, so
// zero is the zero point where the tensor is quantised.
bool is_spatial_zero_pad(const Editor& editor, const Node& pad) {
  const auto before = pad.attrs.get_ints("before"), after = pad.attrs.get_ints("after");
  if (before.size() != 4 || after.size() != 4) return false;
  for (const size_t axis : {size_t{0}, size_t{3}}) {
    if (before[axis] != 0 || after[axis] != 0) return false;
  }
  return pad.attrs.get_string("mode", "constant") == "constant" &&
         pad.attrs.get_float("value", 0.0) == 0.0 &&
         editor.type(pad.inputs[0]).quant == editor.type(pad.outputs[0]).quant;
}

bool fuse(Editor& editor, int n) {
  const Node& node = editor.node(n);
  if (node.op != "conv2d" && node.op != "dwconv2d") return false;
  const int pad = editor.producer_of(node.inputs[0], "pad");
  if (pad < 0 || !is_spatial_zero_pad(editor, editor.node(pad))) return false;
  // A weight that is the padded tensor too would change with it.
  if (std::ranges::count(node.inputs, node.inputs[0]) != 1) return false;
  const auto before = editor.node(pad).attrs.get_ints("before");
  const auto after = editor.node(pad).attrs.get_ints("after");
  auto pads = node.attrs.get_ints("pads", {0, 0, 0, 0});
  if (pads.size() != 4) return false;
  const int64_t added[] = {before[1], before[2], after[1], after[2]};
  for (size_t i = 0; i < 4; ++i) {
    if (pads[i] < 0 || added[i] < 0 || added[i] > INT32_MAX || pads[i] > INT32_MAX) return false;
    pads[i] += added[i];
  }
  editor.set_attr(n, "pads", pads);
  editor.set_input(n, 0, editor.node(pad).inputs[0]);
  return true;
}

}  // namespace

Result<Graph> fuse_pads(const Graph& graph) {
  Editor editor(graph);
  for (int n = 0; n < editor.node_count(); ++n) {
    while (editor.alive(n) && fuse(editor, n)) {
    }
  }
  return editor.finish();
}

}  // namespace netkit
