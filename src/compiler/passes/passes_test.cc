// SPDX-License-Identifier: MIT
#include "compiler/passes/passes.h"

#include "compiler/passes/editor.h"
#include "compiler/passes/pass_check.h"

namespace netkit {
namespace {

// Two padded convolutions as an ONNX exporter writes them, batch norm and relu between, flatten
// and a dense layer behind.
constexpr const char* kNchwNet = R"(input %x float32[1x1x4x4]
const %w float32[2x3x3x1] = 1 2 3 4 5 6 7 8 9 9 8 7 6 5 4 3 2 1
const %g float32[2] = 0.5 0.25
const %s float32[2] = 1 -1
const %v float32[2x1x1x2] = 1 -1 0.5 2
const %d float32[2x8] = 1 2 3 4 5 6 7 8 -1 -2 -3 -4 -5 -6 -7 -8
const %e float32[2] = 0.125 0.25
%x0 float32[1x1x6x6] = pad(%x) {after=[0,0,1,1], before=[0,0,1,1]} @"pad"
%x1 float32[1x6x6x1] = transpose(%x0) {perm=[0,2,3,1]} @"c/t"
%c1 float32[1x4x4x2] = conv2d(%x1, %w) @"c"
%c float32[1x2x4x4] = transpose(%c1) {perm=[0,3,1,2]} @"c/u"
%n1 float32[1x4x4x2] = transpose(%c) {perm=[0,2,3,1]} @"n/t"
%n2 float32[1x4x4x2] = batch_norm(%n1, %g, %s) @"n"
%n float32[1x2x4x4] = transpose(%n2) {perm=[0,3,1,2]} @"n/u"
%r float32[1x2x4x4] = relu(%n) @"r"
%k1 float32[1x4x4x2] = transpose(%r) {perm=[0,2,3,1]} @"k/t"
%k2 float32[1x2x2x2] = conv2d(%k1, %v) {stride_h=2, stride_w=2} @"k"
%k float32[1x2x2x2] = transpose(%k2) {perm=[0,3,1,2]} @"k/u"
%f float32[1x8] = reshape(%k) {shape=[1,8]} @"f"
%m float32[1x2] = fully_connected(%f, %d) @"m"
%y float32[1x2] = add(%m, %e) @"y"
output %y
)";

TEST(Optimise, AnNchwNetAsAPersonWouldDrawIt) {
  const Graph before = check::parsed(kNchwNet);
  const auto after = optimise(before, {});
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(to_text(*after), R"(input %x float32[1x1x4x4]
const %v float32[2x1x1x2] = 1 -1 0.5 2
const %d float32[2x8] = 1 5 2 6 3 7 4 8 -1 -5 -2 -6 -3 -7 -4 -8
const %d/bias float32[2] = 0.125 0.25
const %w float32[2x3x3x1] = 0.5 1 1.5 2 2.5 3 3.5 4 4.5 2.25 2 1.75 1.5 1.25 1 0.75 0.5 0.25
const %w/bias float32[2] = 1 -1
%x/permuted float32[1x4x4x1] = reshape(%x) {shape=[1,4,4,1]} @"x/transpose"
%r float32[1x4x4x2] = conv2d(%x/permuted, %w, %w/bias) {activation="relu", pads=[1,1,1,1]} @"c"
%k2 float32[1x2x2x2] = conv2d(%r, %v) {stride_h=2, stride_w=2} @"k"
%f float32[1x8] = reshape(%k2) {shape=[1,8]} @"f"
%y float32[1x2] = fully_connected(%f, %d, %d/bias) @"m"
output %y
)");
  check::expect_same_function(before, *after, 1e-5);
}

TEST(Optimise, SettledGraphsStayAsTheyAre) {
  const Graph once = *optimise(check::parsed(kNchwNet), {});
  EXPECT_TRUE(same_graph(once, *optimise(once, {})));
}

TEST(Optimise, AttributesThatAreNaNSettle) {
  Graph graph = check::parsed(
      "input %x float32[2]\n%y float32[2] = leaky_relu(%x) {alpha=0.5} @\"y\"\noutput %y\n");
  graph.nodes[0].attrs.set("alpha", static_cast<double>(NAN));
  EXPECT_TRUE(same_graph(graph, graph));
  const auto after = optimise(graph, {});
  EXPECT_TRUE(after) << after.error().message;
}

TEST(Optimise, EachPassCanBeTurnedOff) {
  const Graph before = check::parsed(kNchwNet);
  for (const Pass& pass : all_passes()) {
    const auto after = optimise(before, {{std::string(pass.name)}});
    ASSERT_TRUE(after) << pass.name << ": " << after.error().message;
    check::expect_same_function(before, *after, 1e-5);
  }
  const auto unknown = optimise(before, {{"fold-spoons"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
}

TEST(Optimise, AlmostNothing) {
  const Graph copy =
      check::parsed("input %x float32[2]\n%y float32[2] = copy(%x) @\"y\"\noutput %y\n");
  EXPECT_EQ(to_text(*optimise(copy, {})), to_text(copy));
  EXPECT_EQ(to_text(*optimise(Graph{}, {})), "");
}

TEST(Editor, KeepsUsesAndOrder) {
  const Graph graph = check::parsed(R"(input %x float32[2]
%a float32[2] = f(%x, %x)
%b float32[2] = g(%a, %x)
output %b
)");
  Editor editor(graph);
  EXPECT_EQ(editor.only_reader(0), -1);
  EXPECT_EQ(editor.only_reader(1), 1);
  EXPECT_EQ(editor.producer_of(1, "f"), 0);
  EXPECT_EQ(editor.producer_of(1, "g"), -1);
  const TensorId late = editor.add_tensor("late", graph.tensor(0).type);
  editor.add_node({"h", "", {0}, {late}, {}}, 1);
  editor.set_input(0, 1, late);  // the appended node must now come first
  editor.redirect(1, 0);         // g reads x twice
  EXPECT_TRUE(editor.readers(1).empty());
  EXPECT_EQ(to_text(*editor.finish()), R"(input %x float32[2]
%late float32[2] = h(%x)
%a float32[2] = f(%x, %late)
%b float32[2] = g(%x, %x)
output %b
)");
  editor = Editor(graph);
  editor.redirect(2, 0);  // an output that becomes an input is copied
  EXPECT_EQ(to_text(*editor.finish()), R"(input %x float32[2]
%a float32[2] = f(%x, %x)
%b/before float32[2] = g(%a, %x)
%b float32[2] = copy(%x) @"b/copy"
output %b
)");
  editor = Editor(graph);
  editor.set_input(0, 0, 2);
  EXPECT_NE(editor.finish().error().message.find("cycle"), std::string::npos);
}

}  // namespace
}  // namespace netkit
