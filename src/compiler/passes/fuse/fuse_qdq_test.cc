// SPDX-License-Identifier: MIT
// ONNX QDQ: what becomes an operator on integers, what does not, and that it stays within a step.
#include <fmt/format.h>

#include "compiler/passes/fuse/fuse.h"
#include "compiler/passes/pass_check.h"
#include "compiler/passes/simplify/simplify.h"

namespace netkit {
namespace {

Result<Graph> fused(const Graph& graph) {
  NK_ASSIGN(const Graph folded, fold_constants(graph));
  NK_ASSIGN(const Graph integer, fuse_qdq(folded));
  return remove_dead(integer);
}

// Largest difference of the integer outputs of two graphs, in steps.
int64_t steps_apart(const Graph& a, const Graph& b) {
  const auto inputs = check::some_inputs(a, 3);
  const auto left = evaluate_graph(a, inputs, int64_t{1} << 20);
  const auto right = evaluate_graph(b, inputs, int64_t{1} << 20);
  if (!left || !right) {
    ADD_FAILURE() << (left ? right : left).error().message;
    return 0;
  }
  int64_t worst = 0;
  for (size_t o = 0; o < left->size(); ++o) {
    const TensorType& type = a.tensor(a.outputs[o]).type;
    EXPECT_EQ(type, b.tensor(b.outputs[o]).type);
    const auto x = ints_of({"", type, (*left)[o]}), y = ints_of({"", type, (*right)[o]});
    for (size_t i = 0; i < x->size(); ++i) worst = std::max(worst, std::abs((*x)[i] - (*y)[i]));
  }
  return worst;
}

TEST(FuseQdq, ConvolutionBehindTransposesWithItsOwnWeightsAndBias) {
  const Graph before = check::parsed(R"(input %x uint8[1x2x2x2] q(0.5,130)
const %w int8[1x1x2x2] q(0.25 0.125,0,axis 3) = 1 -2 3 127
const %b int32[2] q(0.125 0.0625,0,axis 0) = 8 -9
%d float32[1x2x2x2] = dequantize(%x) @"d"
%t float32[1x2x2x2] = transpose(%d) {perm=[0,2,3,1]} @"t"
%f float32[1x1x2x2] = dequantize(%w) @"f"
%u float32[2x1x1x2] = transpose(%f) {perm=[3,0,1,2]} @"u"
%e float32[2] = dequantize(%b) @"e"
%c float32[1x2x2x2] = conv2d(%t, %u, %e) @"c"
%n float32[1x2x2x2] = transpose(%c) {perm=[0,3,1,2]} @"n"
%r float32[1x2x2x2] = relu(%n) @"r"
%y uint8[1x2x2x2] q(0.5,0) = quantize(%r) {round="even", to="uint8"} @"y"
output %y
)");
  const auto after = fused(before);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(to_text(*after), R"(input %x uint8[1x2x2x2] q(0.5,130)
const %u int8[2x1x1x2] q(0.25 0.125,0,axis 0) = 1 3 -2 127
const %e int32[2] q(0.125 0.0625,0,axis 0) = 8 -9
%t/moved uint8[1x2x2x2] q(0.5,130) = transpose(%x) {perm=[0,2,3,1]} @"t"
%t/moved/int8 int8[1x2x2x2] q(0.5,2) = requantize(%t/moved) {to="int8"} @"t/moved/int8"
%y/moved/int8 int8[1x2x2x2] q(0.5,-128) = conv2d(%t/moved/int8, %u, %e) {activation="relu"} @"c"
%y/moved int8[1x2x2x2] q(0.5,-128) = transpose(%y/moved/int8) {perm=[0,3,1,2]} @"n"
%y uint8[1x2x2x2] q(0.5,0) = requantize(%y/moved) {to="uint8"} @"y/moved"
output %y
)");
  EXPECT_LE(steps_apart(before, *after), 1);
}

// Operators of every rule, with scales that differ: {on dequantised %p and %q, the operator that
// makes %y or what %y is converted from}.
TEST(FuseQdq, EveryRuleWithinAStep) {
  constexpr struct {
    const char *op, *node, *out;
  } kCases[] = {
      {"add", "add(%p, %q)", "int8[1x4x4x2] q(0.3,-3)"},
      {"mul", "mul(%p, %q) {activation=\"relu\"}", "int8[1x4x4x2] q(0.11,-128)"},
      {"concat", "concat(%p, %q) {axis=3}", "int8[1x4x4x4] q(0.2,9)"},
      {"max_pool2d", "max_pool2d(%p) {kernel_h=2, kernel_w=2, stride_h=2, stride_w=2}",
       "uint8[1x2x2x2] q(0.1,140)"},
      {"avg_pool2d", "avg_pool2d(%p) {kernel_h=2, kernel_w=2, stride_h=2, stride_w=2}",
       "int8[1x2x2x2] q(0.05,3)"},
      {"reduce_mean", "avg_pool2d(%p) {kernel_h=4, kernel_w=4}", "int8[1x1x1x2] q(0.02,-7)"},
      {"softmax", "softmax(%q) {axis=-1}", "uint8[1x4x4x2] q(0.00392,0)"},
      {"sigmoid", "sigmoid(%q)", "int8[1x4x4x2] q(0.00390625,-128)"},
      {"clip", "clip(%p) {min=-2.5, max=3.5}", "int8[1x4x4x2] q(0.05,3)"},
  };
  for (const auto& c : kCases) {
    const std::string_view type = c.out;
    const size_t bracket = type.find('[');
    const Graph before = check::parsed(fmt::format(
        "input %a int8[1x4x4x2] q(0.05,3)\ninput %b uint8[1x4x4x2] q(0.1,120)\n"
        "%p float32[1x4x4x2] = dequantize(%a) @\"p\"\n%q float32[1x4x4x2] = dequantize(%b) @\"q\"\n"
        "%f float32{} = {} @\"f\"\n%y {} = quantize(%f) {{round=\"even\", to=\"{}\"}} @\"y\"\n"
        "output %y\n",
        type.substr(bracket, type.find(' ') - bracket), c.node, c.out, type.substr(0, bracket)));
    const auto after = fused(before);
    ASSERT_TRUE(after) << c.node << after.error().message;
    bool found = false;
    for (const Node& node : after->nodes) {
      found = found || node.op == c.op;
      for (const TensorId id : node.outputs) {
        EXPECT_NE(after->tensor(id).type.dtype, NK_FLOAT32) << c.node << "\n" << to_text(*after);
      }
    }
    EXPECT_TRUE(found) << c.node << "\n" << to_text(*after);
    EXPECT_LE(steps_apart(before, *after), 1) << c.node;
  }
}

TEST(FuseQdq, WeightsWithAZeroPoint) {
  const Graph before = check::parsed(R"(input %x uint8[1x1x1x3] q(0.5,130)
const %w uint8[2x1x1x3] q(0.25,100) = 1 2 3 127 200 255
const %b float32[2] = 0.5 -0.5
%d float32[1x1x1x3] = dequantize(%x) @"d"
%f float32[2x1x1x3] = dequantize(%w) @"f"
%c float32[1x1x1x2] = conv2d(%d, %f, %b) @"c"
%y uint8[1x1x1x2] q(2,120) = quantize(%c) {round="even", to="uint8"} @"y"
output %y
)");
  const auto after = fused(before);
  ASSERT_TRUE(after);
  EXPECT_EQ(to_text(*after), R"(input %x uint8[1x1x1x3] q(0.5,130)
const %f int8[2x1x1x3] q(0.25,-28) = -127 -126 -125 -1 72 127
const %b int32[2] q(0.125,0) = 4 -4
%x/int8 int8[1x1x1x3] q(0.5,2) = requantize(%x) {to="int8"} @"x/int8"
%y/int8 int8[1x1x1x2] q(2,-8) = conv2d(%x/int8, %f, %b) @"c"
%y uint8[1x1x1x2] q(2,120) = requantize(%y/int8) {to="uint8"} @"y"
output %y
)");
  EXPECT_LE(steps_apart(before, *after), 1);
}

// Without an integer kernel, with another reader, with scales that a pool cannot bridge, and as
// TensorFlow Lite means it.
TEST(FuseQdq, WhatStaysFloatIsNamed) {
  constexpr struct {
    const char *node, *round, *place;
  } kCases[] = {
      {"%f float32[1x4x4x2] = sqrt(%p)", "{round=\"even\", to=\"int8\"}", "sqrt 'f'"},
      {"%f float32[1x4x4x2] = add(%p, %p)", "{to=\"int8\"}", nullptr},
      {"%f float32[1x4x4x2] = avg_pool2d(%p) {kernel_h=1, kernel_w=1}",
       "{round=\"even\", to=\"int8\"}", "avg_pool2d 'f'"},
  };
  for (const auto& c : kCases) {
    const std::string text = fmt::format(
        "input %a int8[1x4x4x2] q(0.05,3)\n%p float32[1x4x4x2] = dequantize(%a) @\"p\"\n"
        "{} @\"f\"\n%y int8[1x4x4x2] q(0.04,0) = quantize(%f) {} @\"y\"\noutput %y\n",
        c.node, c.round);
    check::expect_unchanged(fuse_qdq, text);
    const auto places = float_between_integers(check::parsed(text));
    ASSERT_EQ(places.size(), c.place == nullptr ? 0u : 1u) << c.node;
    if (c.place != nullptr) {
      EXPECT_EQ(places[0], c.place);
    }
  }
  check::expect_unchanged(fuse_qdq, R"(input %a int8[1x2] q(0.05,3)
%p float32[1x2] = dequantize(%a) @"p"
%f float32[1x2] = add(%p, %p) @"f"
%y int8[1x2] q(0.1,0) = quantize(%f) {round="even", to="int8"} @"y"
output %y
output %f
)");
}

}  // namespace
}  // namespace netkit
