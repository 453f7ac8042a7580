// SPDX-License-Identifier: MIT
#include "compiler/passes/simplify/simplify.h"

#include "compiler/passes/pass_check.h"

namespace netkit {
namespace {

using check::expect_pass;
using check::expect_unchanged;

// The pass, and what it left without readers taken away.
Result<Graph> merged_reshapes(const Graph& graph) {
  NK_ASSIGN(const Graph merged, merge_reshapes(graph));
  return remove_dead(merged);
}

Result<Graph> merged_transposes(const Graph& graph) {
  NK_ASSIGN(const Graph merged, merge_transposes(graph));
  return remove_dead(merged);
}

TEST(FoldConstants, ChainsOfConstantsAreComputed) {
  expect_pass(fold_constants, R"(input %x float32[2]
const %a float32[2] = 1 2
const %b float32[2] = 3 5
%s float32[2] = add(%a, %b) @"s"
%r float32[2] = neg(%s) @"r"
%y float32[2] = add(%x, %r) @"y"
output %y
)",
              R"(input %x float32[2]
const %r float32[2] = -4 -7
%y float32[2] = add(%x, %r) @"y"
output %y
)");
}

TEST(FoldConstants, AConstantOutputKeepsItsCopy) {
  expect_pass(fold_constants, R"(const %a float32[2] = 1 2
%y float32[2] = neg(%a) @"y"
output %y
)",
              R"(const %y/value float32[2] = -1 -2
%y float32[2] = copy(%y/value) @"y/copy"
output %y
)");
  expect_unchanged(fold_constants, R"(const %k float32[2] = -1 -2
%y float32[2] = copy(%k) @"y/copy"
output %y
)");
}

TEST(RemoveDead, WholeChainsGo) {
  expect_pass(remove_dead, R"(input %x float32[2]
const %k float32[2] = 1 2
%a float32[2] = add(%x, %k) @"a"
%b float32[2] = neg(%a) @"b"
%y float32[2] = relu(%x) @"y"
output %y
)",
              R"(input %x float32[2]
%y float32[2] = relu(%x) @"y"
output %y
)");
}

TEST(RemoveIdentities, EachKind) {
  expect_pass(remove_identities, R"(input %x float32[1x2]
const %zero float32[1] = 0
const %one float32[2] = splat 1
%a float32[1x2] = copy(%x) @"a"
%b float32[1x2] = reshape(%a) {shape=[1,2]} @"b"
%c float32[1x2] = transpose(%b) {perm=[0,1]} @"c"
%d float32[1x2] = pad(%c) {after=[0,0], before=[0,0]} @"d"
%e float32[1x2] = slice(%d) {sizes=[1,2], starts=[0,0], steps=[1,1]} @"e"
%f float32[1x2] = add(%e, %zero) @"f"
%g float32[1x2] = mul(%f, %one) @"g"
%h float32[1x2] = clip(%g) @"h"
%i float32[1x2] = concat(%h) {axis=0} @"i"
%j float32[1x2] = relu(%i) @"j"
%k float32[1x2] = relu(%j) @"k"
%y float32[1x2] = neg(%k) @"y"
output %y
)",
              R"(input %x float32[1x2]
%j float32[1x2] = relu(%x) @"j"
%y float32[1x2] = neg(%j) @"y"
output %y
)");
}

TEST(RemoveIdentities, OutputsKeepTheirNamesAndMemory) {
  expect_pass(remove_identities, R"(input %x float32[2]
%a float32[2] = neg(%x) @"a"
%y float32[2] = copy(%a) @"y"
output %y
)",
              R"(input %x float32[2]
%y float32[2] = neg(%x) @"a"
output %y
)");
  expect_unchanged(remove_identities, R"(input %x float32[2]
%y float32[2] = copy(%x) @"y"
output %y
)");
  expect_unchanged(remove_identities, R"(input %x float32[2]
%a float32[2] = neg(%x) @"a"
%y float32[2] = copy(%a) @"y"
output %a
output %y
)");
}

TEST(RemoveIdentities, WhatOnlyLooksLikeOneStays) {
  expect_unchanged(remove_identities, R"(input %x float32[2]
const %k float32[2] = 1 2
const %zero float32[2] = splat 0
%a float32[2] = mul(%x, %k) @"a"
%b float32[2] = add(%a, %zero) {activation="relu"} @"b"
%c float32[2] = clip(%b) {max=6.0} @"c"
%y float32[2] = neg(%c) @"y"
output %y
)");
  expect_unchanged(remove_identities, R"(input %x int8[2] q(0.5,0)
%a int8[2] q(0.25,0) = requantize(%x) @"a"
%y int8[2] q(0.25,0) = neg(%a) @"y"
output %y
)");
}

TEST(MergeReshapes, ChainsBecomeOne) {
  expect_pass(merged_reshapes, R"(input %x float32[2x6]
%a float32[3x4] = reshape(%x) {shape=[3,4]} @"a"
%b float32[12] = reshape(%a) {shape=[12]} @"b"
%y float32[12] = neg(%b) @"y"
output %y
)",
              R"(input %x float32[2x6]
%y/flat float32[2x6] = neg(%x) @"y"
%y float32[12] = reshape(%y/flat) {shape=[12]} @"y/reshape"
output %y
)");
}

TEST(MergeReshapes, MoveBehindElementwise) {
  // Two reshaped operands of one shape, and a constant along the last axis that both shapes share.
  expect_pass(merged_reshapes, R"(input %x float32[1x2x3]
input %z float32[1x2x3]
const %k float32[1x3] = 1 2 3
%a float32[2x3] = reshape(%x) {shape=[2,3]} @"a"
%b float32[2x3] = reshape(%z) {shape=[2,3]} @"b"
%s float32[2x3] = add(%a, %b) @"s"
%y float32[2x3] = mul(%s, %k) @"y"
output %y
)",
              R"(input %x float32[1x2x3]
input %z float32[1x2x3]
const %k float32[3] = 1 2 3
%s/flat float32[1x2x3] = add(%x, %z) @"s"
%y/flat float32[1x2x3] = mul(%s/flat, %k) @"y"
%y float32[2x3] = reshape(%y/flat) {shape=[2,3]} @"y/reshape"
output %y
)");
}

TEST(MergeReshapes, StaysBeforeOtherBroadcasts) {
  expect_unchanged(merged_reshapes, R"(input %x float32[6]
const %k float32[2x1] = 1 2
%a float32[2x3] = reshape(%x) {shape=[2,3]} @"a"
%y float32[2x3] = mul(%a, %k) @"y"
output %y
)");
  expect_unchanged(merged_reshapes, R"(input %x float32[6]
const %k float32[3] = 1 2 3
%a float32[2x3] = reshape(%x) {shape=[2,3]} @"a"
%y float32[2x3] = mul(%a, %k) @"y"
output %y
)");
}

TEST(MergeTransposes, ComposedAndCancelled) {
  expect_pass(merged_transposes, R"(input %x float32[2x3x4]
%a float32[3x4x2] = transpose(%x) {perm=[1,2,0]} @"a"
%b float32[4x2x3] = transpose(%a) {perm=[1,2,0]} @"b"
%y float32[4x2x3] = neg(%b) @"y"
output %y
)",
              R"(input %x float32[2x3x4]
%b float32[4x2x3] = transpose(%x) {perm=[2,0,1]} @"b"
%y float32[4x2x3] = neg(%b) @"y"
output %y
)");
}

TEST(MergeTransposes, EqualOnes) {
  expect_pass(merged_transposes, R"(input %x float32[2x3]
%a float32[3x2] = transpose(%x) {perm=[1,0]} @"a"
%b float32[3x2] = transpose(%x) {perm=[1,0]} @"b"
%c float32[3x2] = add(%a, %b) @"c"
output %c
)",
              R"(input %x float32[2x3]
%a float32[3x2] = transpose(%x) {perm=[1,0]} @"a"
%c float32[3x2] = add(%a, %a) @"c"
output %c
)");
}

TEST(TransposesToReshapes, WhereOnlyAxesOfSizeOneMove) {
  expect_pass(transposes_to_reshapes, R"(input %z float32[1x1x4x5]
%d float32[1x4x5x1] = transpose(%z) {perm=[0,2,3,1]} @"d"
%e float32[1x5x4x1] = transpose(%d) {perm=[0,2,1,3]} @"e"
output %d
output %e
)",
              R"(input %z float32[1x1x4x5]
%d float32[1x4x5x1] = reshape(%z) {shape=[1,4,5,1]} @"d"
%e float32[1x5x4x1] = transpose(%d) {perm=[0,2,1,3]} @"e"
output %d
output %e
)");
}

TEST(SeparateOutputs, ViewsOfInputsConstantsAndOutputs) {
  expect_pass(separate_outputs, R"(input %x float32[4]
const %k float32[4] = 1 2 3 4
%a float32[2x2] = reshape(%x) {shape=[2,2]} @"a"
%b float32[2x2] = reshape(%k) {shape=[2,2]} @"b"
%c float32[4] = neg(%x) @"c"
%d float32[2x2] = reshape(%c) {shape=[2,2]} @"d"
output %a
output %b
output %c
output %d
)",
              R"(input %x float32[4]
const %k float32[4] = 1 2 3 4
%a/view float32[2x2] = reshape(%x) {shape=[2,2]} @"a"
%a float32[2x2] = copy(%a/view) @"a/copy"
%b/view float32[2x2] = reshape(%k) {shape=[2,2]} @"b"
%b float32[2x2] = copy(%b/view) @"b/copy"
%c float32[4] = neg(%x) @"c"
%d/view float32[2x2] = reshape(%c) {shape=[2,2]} @"d"
%d float32[2x2] = copy(%d/view) @"d/copy"
output %a
output %b
output %c
output %d
)");
}

}  // namespace
}  // namespace netkit
