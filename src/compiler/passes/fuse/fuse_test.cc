// SPDX-License-Identifier: MIT
#include "compiler/passes/fuse/fuse.h"

#include "compiler/passes/pass_check.h"

namespace netkit {
namespace {

using check::expect_pass;
using check::expect_unchanged;

TEST(FoldAffine, BatchNormIntoConvolution) {
  expect_pass(fold_affine, R"(input %x float32[1x2x2x1]
const %w float32[2x1x1x1] = 1 2
const %b float32[2] = 10 20
const %g float32[2] = 3 0.5
const %s float32[2] = 1 -1
%c float32[1x2x2x2] = conv2d(%x, %w, %b) @"c"
%y float32[1x2x2x2] = batch_norm(%c, %g, %s) @"y"
output %y
)",
              R"(input %x float32[1x2x2x1]
const %w float32[2x1x1x1] = 3 1
const %w/bias float32[2] = 31 9
%y float32[1x2x2x2] = conv2d(%x, %w, %w/bias) @"c"
output %y
)");
}

TEST(FoldAffine, FactorsAndTermsIntoDepthwiseAndDense) {
  expect_pass(fold_affine, R"(input %x float32[1x1x1x2]
const %w float32[1x1x1x4] = 1 2 3 4
const %k float32[1x1x1x4] = 1 10 100 1000
const %h float32[scalar] = 0.5
%c float32[1x1x1x4] = dwconv2d(%x, %w, _) @"c"
%m float32[1x1x1x4] = mul(%k, %c) @"m"
%y float32[1x1x1x4] = sub(%m, %h) {activation="relu"} @"y"
output %y
)",
              R"(input %x float32[1x1x1x2]
const %w float32[1x1x1x4] = 1 20 300 4000
const %w/bias float32[4] = splat -0.5
%y float32[1x1x1x4] = dwconv2d(%x, %w, %w/bias) {activation="relu"} @"c"
output %y
)");
  expect_pass(fold_affine, R"(input %x float32[1x2]
const %w float32[2x2] = 1 2 3 4
const %k float32[2] = 2 4
const %t float32[2] = 1 -1
%d float32[1x2] = fully_connected(%x, %w) @"d"
%m float32[1x2] = div(%d, %k) @"m"
%n float32[1x2] = sub(%t, %m) @"n"
output %n
)",
              R"(input %x float32[1x2]
const %w float32[2x2] = -0.5 -1 -0.75 -1
const %w/bias float32[2] = 1 -1
%n float32[1x2] = fully_connected(%x, %w, %w/bias) @"d"
output %n
)");
}

TEST(FoldAffine, SharedWeightsAreNotWritten) {
  expect_pass(fold_affine, R"(input %x float32[1x1]
const %w float32[1x1] = 3
const %k float32[1] = 2
%a float32[1x1] = fully_connected(%x, %w) @"a"
%y float32[1x1] = mul(%a, %k) @"y"
%z float32[1x1] = fully_connected(%x, %w) @"z"
output %y
output %z
)",
              R"(input %x float32[1x1]
const %w float32[1x1] = 3
const %w#1 float32[1x1] = 6
const %w/bias float32[1] = 0
%y float32[1x1] = fully_connected(%x, %w#1, %w/bias) @"a"
%z float32[1x1] = fully_connected(%x, %w) @"z"
output %y
output %z
)");
}

TEST(FoldAffine, ForwardWhereThereIsNoPadding) {
  expect_pass(fold_affine, R"(input %x float32[1x2x2x2]
const %g float32[2] = 2 3
const %s float32[2] = 1 -1
const %w float32[2x1x1x1] = 5 7
%n float32[1x2x2x2] = batch_norm(%x, %g, %s) @"n"
%y float32[1x2x2x2] = conv2d(%n, %w) {groups=2} @"y"
output %y
)",
              R"(input %x float32[1x2x2x2]
const %w float32[2x1x1x1] = 10 21
const %w/bias float32[2] = 5 -7
%y float32[1x2x2x2] = conv2d(%x, %w, %w/bias) {groups=2} @"y"
output %y
)");
  expect_pass(fold_affine, R"(input %x float32[1x2x2x2]
const %g float32[2] = 2 3
const %w float32[1x1x1x4] = 1 1 2 2
%n float32[1x2x2x2] = mul(%x, %g) @"n"
%y float32[1x4x4x4] = dwconv2d(%n, %w) {pads=[1,1,1,1]} @"y"
output %y
)",
              R"(input %x float32[1x2x2x2]
const %w float32[1x1x1x4] = 2 2 6 6
const %w/bias float32[4] = splat 0
%y float32[1x4x4x4] = dwconv2d(%x, %w, %w/bias) {pads=[1,1,1,1]} @"y"
output %y
)");
  expect_unchanged(fold_affine, R"(input %x float32[1x2x2x1]
const %g float32[1] = 2
const %s float32[1] = 1
const %w float32[1x1x1x1] = 5
%n float32[1x2x2x1] = batch_norm(%x, %g, %s) @"n"
%y float32[1x4x4x1] = conv2d(%n, %w) {pads=[1,1,1,1]} @"y"
output %y
)");
}

TEST(FoldAffine, WhatMustStay) {
  // An activation between, another reader, a broadcast over rows.
  expect_unchanged(fold_affine, R"(input %x float32[1x2]
const %w float32[2x2] = 1 2 3 4
const %k float32[2] = 2 4
%d float32[1x2] = fully_connected(%x, %w) {activation="relu"} @"d"
%y float32[1x2] = mul(%d, %k) @"y"
output %y
)");
  expect_unchanged(fold_affine, R"(input %x float32[1x2]
const %w float32[2x2] = 1 2 3 4
const %k float32[2] = 2 4
%d float32[1x2] = fully_connected(%x, %w) @"d"
%y float32[1x2] = mul(%d, %k) @"y"
output %d
output %y
)");
  expect_unchanged(fold_affine, R"(input %x float32[2x2]
const %w float32[2x2] = 1 2 3 4
const %k float32[2x1] = 2 4
%d float32[2x2] = fully_connected(%x, %w) @"d"
%y float32[2x2] = mul(%d, %k) @"y"
output %y
)");
}

TEST(FuseActivations, FloatRanges) {
  expect_pass(fuse_activations, R"(input %x float32[1x2]
const %w float32[2x2] = 1 2 3 4
const %k float32[2] = 2 4
%a float32[1x2] = fully_connected(%x, %w) @"a"
%b float32[1x2] = relu(%a) @"b"
%c float32[1x2] = clip(%b) {max=6.0, min=-1.0} @"c"
%d float32[1x2] = add(%c, %k) @"d"
%e float32[1x2] = clip(%d) {min=0.0} @"e"
%f float32[1x2] = fully_connected(%e, %w) @"f"
%g float32[1x2] = clip(%f) {max=0.75, min=-0.25} @"g"
%h float32[1x2] = clip(%g) {max=0.5} @"h"
output %h
)",
              R"(input %x float32[1x2]
const %w float32[2x2] = 1 2 3 4
const %k float32[2] = 2 4
%c float32[1x2] = fully_connected(%x, %w) {activation="relu6"} @"a"
%e float32[1x2] = add(%c, %k) {activation="relu"} @"d"
%h float32[1x2] = fully_connected(%e, %w))"
              R"( {activation="none", clamp_max=0.5, clamp_min=-0.25} @"f"
output %h
)");
}

TEST(FuseActivations, QuantisedOnlyWhereExact) {
  expect_pass(fuse_activations, R"(input %x int8[1x2] q(0.5,0)
input %z int8[1x2] q(0.5,0)
%a int8[1x2] q(0.25,-128) = add(%x, %z) @"a"
%y int8[1x2] q(0.25,-128) = relu6(%a) @"y"
output %y
)",
              R"(input %x int8[1x2] q(0.5,0)
input %z int8[1x2] q(0.5,0)
%y int8[1x2] q(0.25,-128) = add(%x, %z) {activation="relu6"} @"a"
output %y
)");
  expect_unchanged(fuse_activations, R"(input %x int8[1x2] q(0.5,0)
input %z int8[1x2] q(0.5,0)
%a int8[1x2] q(0.5,0) = add(%x, %z) @"a"
%y int8[1x2] q(0.25,-128) = relu6(%a) @"y"
output %y
)");
}

TEST(FuseActivations, WhatMustStay) {
  expect_unchanged(fuse_activations, R"(input %x float32[1x2]
const %k float32[2] = 2 4
%a float32[1x2] = add(%x, %k) @"a"
%y float32[1x2] = relu(%a) @"y"
%z float32[1x2] = neg(%a) @"z"
%b float32[1x2] = mul(%z, %k) @"b"
%c float32[1x2] = clip(%b) {max=0.5, min=0.25} @"c"
%d float32[1x2] = relu(%x) @"d"
output %y
output %c
output %d
)");
}

TEST(FusePads, IntoConvolutions) {
  expect_pass(fuse_pads, R"(input %x int8[1x2x2x1] q(0.5,-7)
const %w int8[1x3x3x1] q(0.5,0) = 1 2 3 4 5 6 7 8 9
const %b int32[1] = 5
%p int8[1x5x4x1] q(0.5,-7) = pad(%x) {after=[0,2,0,0], before=[0,1,2,0]} @"p"
%y int8[1x3x3x1] q(4,0) = dwconv2d(%p, %w, %b) {pads=[0,0,0,1]} @"y"
output %y
)",
              R"(input %x int8[1x2x2x1] q(0.5,-7)
const %w int8[1x3x3x1] q(0.5,0) = 1 2 3 4 5 6 7 8 9
const %b int32[1] = 5
%p int8[1x5x4x1] q(0.5,-7) = pad(%x) {after=[0,2,0,0], before=[0,1,2,0]} @"p"
%y int8[1x3x3x1] q(4,0) = dwconv2d(%x, %w, %b) {pads=[1,2,2,1]} @"y"
output %y
)");
}

TEST(FusePads, IntoPools) {
  expect_pass(fuse_pads, R"(input %x float32[1x4x4x1]
%r float32[1x4x4x1] = relu(%x) @"r"
%p float32[1x6x5x1] = pad(%r) {after=[0,1,0,0], before=[0,1,1,0]} @"p"
%a float32[1x2x2x1] = avg_pool2d(%p) {kernel_h=3, kernel_w=3, stride_h=3, stride_w=2} @"a"
%m float32[1x2x2x1] = max_pool2d(%p) {kernel_h=3, kernel_w=3, stride_h=3, stride_w=2} @"m"
output %a
output %m
)",
              R"(input %x float32[1x4x4x1]
%r float32[1x4x4x1] = relu(%x) @"r"
%p float32[1x6x5x1] = pad(%r) {after=[0,1,0,0], before=[0,1,1,0]} @"p"
%a float32[1x2x2x1] = avg_pool2d(%r) {count_include_pad=1, kernel_h=3, kernel_w=3)"
              R"(, pads=[1,1,1,0], stride_h=3, stride_w=2} @"a"
%m float32[1x2x2x1] = max_pool2d(%r) {kernel_h=3, kernel_w=3, pads=[1,1,1,0])"
              R"(, stride_h=3, stride_w=2} @"m"
output %a
output %m
)");
  // Zeros around values that may be negative; a padding that the average does not count.
  expect_unchanged(fuse_pads, R"(input %x float32[1x4x4x1]
%p float32[1x6x6x1] = pad(%x) {after=[0,1,1,0], before=[0,1,1,0]} @"p"
%m float32[1x2x2x1] = max_pool2d(%p) {kernel_h=3, kernel_w=3, stride_h=3, stride_w=3} @"m"
%a float32[1x8x8x1] = avg_pool2d(%p) {kernel_h=3, kernel_w=3, pads=[2,2,2,2]} @"a"
output %m
output %a
)");
}

TEST(FusePads, OtherPadsStay) {
  for (const char* pad : {"{after=[0,1,1,0], before=[0,1,1,0], value=1.0}",
                          "{after=[0,1,1,0], before=[0,1,1,0], mode=\"edge\"}"}) {
    const std::string text = std::string(R"(input %x float32[1x4x4x1]
const %w float32[1x3x3x1] = 1 2 3 4 5 6 7 8 9
%p float32[1x6x6x1] = pad(%x) )") +
                             pad + R"( @"p"
%y float32[1x4x4x1] = conv2d(%p, %w) @"y"
output %y
)";
    expect_unchanged(fuse_pads, text);
  }
  expect_unchanged(fuse_pads, R"(input %x float32[1x2x2x1]
const %w float32[1x1x1x2] = 1 2
%p float32[1x2x2x2] = pad(%x) {after=[0,0,0,1], before=[0,0,0,0]} @"p"
%y float32[1x2x2x1] = conv2d(%p, %w) @"y"
output %y
)");
}

TEST(FuseGelu, AsExportersWriteIt) {
  const char* tails[] = {
      "%m float32[4] = mul(%x, %g) @\"m\"\n%y float32[4] = mul(%m, %half) @\"y\"\n",
      "%m float32[4] = mul(%half, %x) @\"m\"\n%y float32[4] = mul(%m, %g) @\"y\"\n",
      "%m float32[4] = mul(%g, %half) @\"m\"\n%y float32[4] = mul(%x, %m) @\"y\"\n",
  };
  for (const char* tail : tails) {
    const Graph before = check::parsed(std::string(R"(input %x float32[4]
const %root float32[scalar] = 1.4142135
const %one float32[1] = 1
const %half float32[scalar] = 0.5
%d float32[4] = div(%x, %root) @"d"
%e float32[4] = erf(%d) @"e"
%g float32[4] = add(%one, %e) @"g"
)") + tail + "output %y\n");
    const Graph after = *fuse_gelu(before);
    EXPECT_EQ(after.nodes.back().op, "gelu") << to_text(after);
    check::expect_same_function(before, after);
  }
  expect_unchanged(fuse_gelu, R"(input %x float32[4]
const %root float32[scalar] = 1.5
const %one float32[1] = 1
const %half float32[scalar] = 0.5
%d float32[4] = div(%x, %root) @"d"
%e float32[4] = erf(%d) @"e"
%g float32[4] = add(%one, %e) @"g"
%m float32[4] = mul(%x, %g) @"m"
%y float32[4] = mul(%m, %half) @"y"
output %y
)");
}

TEST(ReadParts, ConvolutionsReadTheConcatenationsInputs) {
  expect_pass(read_parts, R"(input %a int8[1x2x2x1] q(0.5,3)
input %b int8[1x2x2x2] q(0.5,3)
input %c int8[1x2x2x1] q(0.5,3)
const %w int8[2x1x1x4] q(0.1,0) = 1 2 3 4 -5 6 -7 8
const %d int8[1x3x3x3] q(0.1,0) = splat 2
const %r int32[3] q(0.05,0) = 7 8 9
%i int8[1x2x2x3] q(0.5,3) = concat(%a, %b) {axis=3} @"i"
%o int8[1x2x2x4] q(0.5,3) = concat(%i, %c) {axis=-1} @"o"
%y int8[1x2x2x2] q(1,-1) = conv2d(%o, %w) @"y"
%z int8[1x2x2x3] q(1,-1) = dwconv2d(%i, %d, %r) {pads=[1,1,1,1]} @"z"
output %y
output %z
)",
              R"(input %a int8[1x2x2x1] q(0.5,3)
input %b int8[1x2x2x2] q(0.5,3)
input %c int8[1x2x2x1] q(0.5,3)
const %w int8[2x1x1x4] q(0.1,0) = 1 2 3 4 -5 6 -7 8
const %d int8[1x3x3x3] q(0.1,0) = splat 2
const %r int32[3] q(0.05,0) = 7 8 9
%y int8[1x2x2x2] q(1,-1) = conv2d_parts(%a, %w, _, %b, %c) @"y"
%z int8[1x2x2x3] q(1,-1) = dwconv2d_parts(%a, %d, %r, %b) {pads=[1,1,1,1]} @"z"
output %y
output %z
)");
}

// Another reader, an output, another axis, groups.
TEST(ReadParts, WhatSomebodyElseNeedsIsMade) {
  const char* readers[] = {
      ("%y float32[1x2x2x2] = conv2d(%o, %w) @\"y\"\n%z float32[1x2x2x2] = relu(%o) @\"z\"\n"
       "output %y\noutput %z\n"),
      "%y float32[1x2x2x2] = conv2d(%o, %w) @\"y\"\noutput %y\noutput %o\n",
      "%y float32[1x2x2x2] = conv2d(%o, %g) {groups=2} @\"y\"\noutput %y\n",
  };
  for (const char* reader : readers) {
    const auto after = read_parts(check::parsed(std::string(R"(input %a float32[1x2x2x1]
const %w float32[2x1x1x2] = 1 2 3 4
const %g float32[2x1x1x1] = 1 2
%o float32[1x2x2x2] = concat(%a, %a) {axis=3} @"o"
)") + reader));
    ASSERT_TRUE(after);
    EXPECT_EQ(after->nodes[0].op, "concat") << reader;
  }
  expect_unchanged(read_parts, R"(input %a float32[1x1x2x2]
const %w float32[2x1x1x2] = 1 2 3 4
%o float32[1x2x2x2] = concat(%a, %a) {axis=1} @"o"
%y float32[1x2x2x2] = conv2d(%o, %w) @"y"
output %y
)");
}

}  // namespace
}  // namespace netkit
