// SPDX-License-Identifier: MIT
#include "compiler/passes/layout/layout.h"

#include <limits>

#include "compiler/passes/layout/layout_rules.h"
#include "compiler/passes/layout/min_cut.h"
#include "compiler/passes/pass_check.h"
#include "compiler/passes/passes.h"

namespace netkit {
namespace {

using check::expect_pass;
using check::expect_unchanged;

TEST(MinCut, EqualsTheBestOfAllCuts) {
  uint64_t seed = 7;
  const auto next = [&](uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((seed >> 33) % below);
  };
  struct Edge {
    int from, to, capacity;
  };
  for (int round = 0; round < 200; ++round) {
    const int vertices = 2 + next(6);
    std::vector<Edge> edges;
    MinCut cut;
    for (int v = 2; v < vertices; ++v) cut.add_vertex();
    for (int e = next(20); e-- > 0;) {
      edges.push_back({next(static_cast<uint64_t>(vertices)), next(static_cast<uint64_t>(vertices)),
                       next(9)});
      cut.add_edge(edges.back().from, edges.back().to, edges.back().capacity);
    }
    const auto cost = [&](auto on_source_side) {
      int64_t sum = 0;
      for (const Edge& e : edges) {
        if (on_source_side(e.from) && !on_source_side(e.to)) sum += e.capacity;
      }
      return sum;
    };
    int64_t best = std::numeric_limits<int64_t>::max();
    for (unsigned set = 0; set < 1u << vertices; ++set) {
      if ((set & 3) != 1) continue;  // the source in, the sink out
      best = std::min(best, cost([&](int v) { return (set >> v & 1) != 0; }));
    }
    EXPECT_EQ(cut.solve(), best);
    EXPECT_EQ(cost([&](int v) { return cut.on_source_side(v); }), best);
  }
}

TEST(MoveTransposes, ElementwiseBetweenSpatialOperators) {
  expect_pass(move_transposes, R"(input %x float32[1x2x3x2]
const %w float32[2x1x1x2] = 1 2 3 4
const %k float32[2x1x1] = 5 6
%a float32[1x2x3x2] = conv2d(%x, %w) @"a"
%a2 float32[1x2x2x3] = transpose(%a) {perm=[0,3,1,2]} @"a2"
%m float32[1x2x2x3] = mul(%a2, %k) @"m"
%s float32[1x2x2x3] = sigmoid(%m) @"s"
%t float32[1x2x2x3] = mul(%m, %s) @"t"
%t2 float32[1x2x3x2] = transpose(%t) {perm=[0,2,3,1]} @"t2"
%y float32[1x2x3x2] = conv2d(%t2, %w) @"y"
output %y
)",
              R"(input %x float32[1x2x3x2]
const %w float32[2x1x1x2] = 1 2 3 4
const %k float32[1x1x1x2] = 5 6
%a float32[1x2x3x2] = conv2d(%x, %w) @"a"
%m float32[1x2x3x2] = mul(%a, %k) @"m"
%s float32[1x2x3x2] = sigmoid(%m) @"s"
%t float32[1x2x3x2] = mul(%m, %s) @"t"
%y float32[1x2x3x2] = conv2d(%t, %w) @"y"
output %y
)");
}

TEST(MoveTransposes, ConcatPadReduceFollow) {
  expect_pass(move_transposes, R"(input %x float32[1x2x3x2]
const %w float32[4x1x1x4] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
%r float32[1x2x3x2] = relu(%x) @"r"
%h float32[1x2x3x2] = softmax(%x) @"h"
%a float32[1x2x2x3] = transpose(%h) {perm=[0,3,1,2]} @"a"
%b float32[1x2x2x3] = transpose(%r) {perm=[0,3,1,2]} @"b"
%c float32[1x4x2x3] = concat(%a, %b) {axis=1} @"c"
%p float32[1x4x3x3] = pad(%c) {after=[0,0,1,0], before=[0,0,0,0]} @"p"
%m float32[1x4x1x1] = reduce_mean(%p) {axes=[2,3], keepdims=1} @"m"
%q float32[1x4] = reduce_max(%p) {axes=[2,3], keepdims=0} @"q"
%t float32[1x4x3x3] = mul(%p, %m) @"t"
%t2 float32[1x3x3x4] = transpose(%t) {perm=[0,2,3,1]} @"t2"
%y float32[1x3x3x4] = conv2d(%t2, %w) @"y"
output %y
output %q
)",
              R"(input %x float32[1x2x3x2]
const %w float32[4x1x1x4] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
%r float32[1x2x3x2] = relu(%x) @"r"
%h float32[1x2x3x2] = softmax(%x) @"h"
%c float32[1x2x3x4] = concat(%h, %r) {axis=3} @"c"
%p float32[1x3x3x4] = pad(%c) {after=[0,1,0,0], before=[0,0,0,0]} @"p"
%m float32[1x1x1x4] = reduce_mean(%p) {axes=[1,2], keepdims=1} @"m"
%q float32[1x4] = reduce_max(%p) {axes=[1,2], keepdims=0} @"q"
%t float32[1x3x3x4] = mul(%p, %m) @"t"
%y float32[1x3x3x4] = conv2d(%t, %w) @"y"
output %y
output %q
)");
}

TEST(MoveTransposes, FlattenPermutesTheColumnsOfWeights) {
  expect_pass(move_transposes, R"(input %x float32[1x2x1x3]
const %w float32[2x6] = 0 1 2 3 4 5 6 7 8 9 10 11
%h float32[1x2x1x3] = softmax(%x) @"h"
%a float32[1x3x2x1] = transpose(%h) {perm=[0,3,1,2]} @"a"
%r float32[1x3x2x1] = relu(%a) @"r"
%f float32[1x6] = reshape(%r) {shape=[1,6]} @"f"
%y float32[1x2] = fully_connected(%f, %w) @"y"
output %y
)",
              R"(input %x float32[1x2x1x3]
const %w float32[2x6] = 0 2 4 1 3 5 6 8 10 7 9 11
%h float32[1x2x1x3] = softmax(%x) @"h"
%r float32[1x2x1x3] = relu(%h) @"r"
%f float32[1x6] = reshape(%r) {shape=[1,6]} @"f"
%y float32[1x2] = fully_connected(%f, %w) @"y"
output %y
)");
}

TEST(MoveTransposes, OneStaysAtAnInputOfManyChannels) {
  expect_unchanged(move_transposes, R"(input %x float32[1x2x3x4]
const %w float32[1x1x1x2] = 1 2
%t float32[1x3x4x2] = transpose(%x) {perm=[0,2,3,1]} @"t"
%y float32[1x3x4x1] = conv2d(%t, %w) @"y"
output %y
)");
}

TEST(MoveTransposes, AtTheEdgeAmongEquals) {
  // A residual around a block: added in the layout of the block, the plain input dies at once.
  expect_pass(move_transposes, R"(input %x float32[1x2x3x4]
%t float32[1x3x4x2] = transpose(%x) {perm=[0,2,3,1]} @"t"
%h float32[1x3x4x2] = softmax(%t) @"h"
%u float32[1x2x3x4] = transpose(%h) {perm=[0,3,1,2]} @"u"
%y float32[1x2x3x4] = add(%x, %u) @"y"
output %y
)",
              R"(input %x float32[1x2x3x4]
%t float32[1x3x4x2] = transpose(%x) {perm=[0,2,3,1]} @"t"
%h float32[1x3x4x2] = softmax(%t) @"h"
%y/permuted float32[1x3x4x2] = add(%t, %h) @"y"
%y float32[1x2x3x4] = transpose(%y/permuted) {perm=[0,3,1,2]} @"y/permuted/transpose"
output %y
)");
}

TEST(MoveTransposes, TakesTheCheaperSide) {
  // Reducing first leaves less to transpose.
  const Graph before = check::parsed(R"(input %x float32[1x8x9x10]
%t float32[1x9x10x8] = transpose(%x) {perm=[0,2,3,1]} @"t"
%m float32[1x1x10x8] = reduce_max(%t) {axes=[1], keepdims=1} @"m"
%y float32[1x1x10x8] = softmax(%m) @"y"
output %y
)");
  const Graph after = *move_transposes(before);
  ASSERT_EQ(count_ops(after, "transpose"), 1);
  EXPECT_EQ(after.nodes[0].op, "reduce_max") << to_text(after);
  check::expect_same_function(before, after);
}

TEST(MoveTransposes, PermutationsThatAreTheirOwnInverse) {
  // A stretch of rank 3 between two spatial operators, as one-dimensional convolutions leave it.
  expect_pass(move_transposes, R"(input %x float32[1x4x3]
%h float32[1x4x3] = softmax(%x) @"h"
%a float32[1x3x4] = transpose(%h) {perm=[0,2,1]} @"a"
%r float32[1x3x4] = relu(%a) @"r"
%b float32[1x4x3] = transpose(%r) {perm=[0,2,1]} @"b"
%s float32[1x4x3] = softmax(%b) @"s"
%c float32[1x3x4] = transpose(%s) {perm=[0,2,1]} @"c"
%n float32[1x3x4] = neg(%c) @"n"
%d float32[1x4x3] = transpose(%n) {perm=[0,2,1]} @"d"
%y float32[1x4x3] = softmax(%d) @"y"
output %y
)",
              R"(input %x float32[1x4x3]
%h float32[1x4x3] = softmax(%x) @"h"
%r float32[1x4x3] = relu(%h) @"r"
%s float32[1x4x3] = softmax(%r) @"s"
%n float32[1x4x3] = neg(%s) @"n"
%y float32[1x4x3] = softmax(%n) @"y"
output %y
)");
}

TEST(MoveTransposes, OutputsInTheModelsLayout) {
  // Both the permuted tensor and the model's own are outputs; nothing may get lost.
  const Graph before = check::parsed(R"(input %x float32[1x2x3x4]
%t float32[1x3x4x2] = transpose(%x) {perm=[0,2,3,1]} @"t"
%n float32[1x3x4x2] = neg(%t) @"n"
%u float32[1x2x3x4] = transpose(%n) {perm=[0,3,1,2]} @"u"
output %n
output %u
output %t
)");
  check::expect_same_function(before, *move_transposes(before));
}

}  // namespace
}  // namespace netkit
