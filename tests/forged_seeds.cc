// SPDX-License-Identifier: MIT
// Small graphs of every operator family, whose steps are forged.
#include <iterator>

#include "forged_steps.h"

namespace netkit::test {
namespace {

struct Seed {
  const char* name;
  const char* graph;
};

constexpr Seed kSeeds[] = {
    {"binary", R"(input %a int8[2x3] q(0.5,1)
input %b int8[1x3] q(0.25,-2)
input %f float32[2x1x3]
input %g float32[2x1]
%s int8[2x3] q(1.0,0) = add(%a, %b)
%m int8[2x3] q(1.0,0) = mul(%s, %b)
%d int8[2x3] q(1.0,0) = squared_difference(%m, %a)
%c bool[2x3] = less(%d, %b)
%w int8[2x3] q(1.0,0) = where(%c, %d, %s)
%q float32[2x2x3] = sub(%f, %g)
output %w
output %q
)"},
    {"add", R"(input %a int8[2x3] q(0.5,1)
input %b int8[2x3] q(0.25,-2)
%s int8[2x3] q(1.0,0) = add(%a, %b)
output %s
)"},
    {"conv2d", R"(input %x int8[1x5x5x4] q(0.5,3)
const %w int8[6x3x3x2] q(0.1,0) = splat 3
const %b int32[6] q(0.05,0) = splat 100
const %v int8[8x1x1x6] q(0.1,0) = splat 2
const %c int32[8] q(0.1,0) = splat 5
input %f float32[1x4x4x3]
const %k float32[2x2x2x3] = splat 0.5
%y int8[1x3x3x6] q(1.0,-1) = conv2d(%x, %w, %b) {groups=2, pads=[1,1,1,1], stride_h=2, stride_w=2}
%z int8[1x3x3x8] q(1.0,-1) = conv2d(%y, %v, %c)
%g float32[1x2x3x2] = conv2d(%f, %k) {dilation_h=2}
output %z
output %g
)"},
    {"parts", R"(input %x int8[1x5x5x4] q(0.5,3)
input %y int8[1x5x5x2] q(0.5,3)
const %w int8[4x1x1x6] q(0.1,0) = splat 3
const %b int32[4] q(0.05,0) = splat 100
const %v uint8[1x3x3x6] q(0.1,7) = splat 2
const %c int32[6] q(0.1,0) = splat 5
input %p uint8[1x5x5x4] q(0.5,3)
input %q uint8[1x5x5x2] q(0.5,3)
input %f float32[1x4x4x3]
input %g float32[1x4x4x1]
const %k float32[2x2x2x7] = splat 0.5
%s int8[1x5x5x4] q(1.0,-1) = conv2d_parts(%x, %w, %b, %y)
%d uint8[1x5x5x6] q(1.0,9) = dwconv2d_parts(%p, %v, %c, %q) {pads=[1,1,1,1]}
%h float32[1x3x3x2] = conv2d_parts(%f, %k, _, %g, %f)
output %s
output %d
output %h
)"},
    {"dwconv2d", R"(input %x int8[1x6x5x4] q(0.5,3)
const %w int8[1x3x3x4] q(0.1,0) = splat 3
const %b int32[4] q(0.05,0) = splat 100
input %f float32[1x4x4x3]
const %k float32[1x2x2x6] = splat 0.5
%y int8[1x6x5x4] q(1.0,-1) = dwconv2d(%x, %w, %b) {pads=[1,1,1,1]}
%g float32[1x3x3x6] = dwconv2d(%f, %k)
output %y
output %g
)"},
    {"int16", R"(input %x int16[1x4x4x4] q(0.5,0)
const %w int8[6x2x2x2] q(0.1,0) = splat 3
const %b int64[6] q(0.05,0) = splat 100
const %v int8[1x3x3x6] q(0.1,0) = splat 2
const %u int8[4x9] q(0.1,0) = splat 2
input %m int16[2x3x4] q(0.5,0)
input %n int16[1x4x2] q(0.25,0)
%c int16[1x3x3x6] q(1.0,0) = conv2d(%x, %w, %b) {groups=2}
%d int16[1x3x3x6] q(1.0,0) = dwconv2d(%c, %v, %b) {pads=[1,1,1,1]}
%f int16[6x4] q(1.0,0) = fully_connected(%d, %u)
%g int16[2x3x2] q(1.0,0) = matmul(%m, %n)
output %f
output %g
)"},
    {"sums", R"(input %x int8[1x4x4x4] q(0.5,3)
const %w int8[6x2x2x2] q(0.1,-1) = splat 3
input %a uint8[2x3x4] q(0.5,3)
input %b uint8[1x4x5] q(0.25,0)
%y int32[1x3x3x6] = conv2d(%x, %w) {groups=2, to="int32"}
%z int32[2x3x5] = matmul(%a, %b) {to="int32"}
%u uint8[2x3x5] q(1.0,9) = matmul(%a, %b)
output %y
output %z
output %u
)"},
    {"recurrent", R"(input %x float32[3x2x4]
input %h float32[2x5]
input %c float32[2x5]
const %w float32[20x4] = splat 0.5
const %r float32[20x5] = splat 0.25
const %b float32[20] = splat 0.125
const %p float32[15] = splat 0.5
const %g float32[30] = splat 0.5
const %v float32[15x5] = splat 0.5
const %s float32[15x5] = splat 0.5
const %n float32[3x5] = splat 0.5
const %m float32[3x3] = splat 0.5
const %o float32[3] = splat 0.5
%y float32[3x2x5], %hn float32[2x5], %cn float32[2x5] = lstm(%x, %w, %r, %b, %h, %c, %p)
%z float32[3x2x5], %gn float32[2x5] = gru(%y, %v, %s, %g, %hn) {linear_before_reset=1}
%q float32[2x3] = rnn(%z, %n, %m, %o) {sequence=0, reverse=1}
output %q
output %cn
)"},
    {"integer recurrences",
     R"(input %x int8[3x2x4] q(0.02,3)
input %h int8[2x5] q(0.0078125,-1)
input %c int16[2x5] q(0.000244140625,0)
const %w int8[20x4] = splat 5
const %r int8[20x5] = splat -3
const %b int32[20] = splat 100
input %i int8[2x4] q(0.1,3)
input %s int16[2x30] q(0.001,0)
const %f int8[6x4] q(0.01,0) = splat 7
const %t int16[6x5] q(0.01,0) = splat 50
const %o int32[3] = splat 20
input %u int8[2x30] q(0.05,2)
const %d int8[6x5] q(0.01,0) = splat 9
input %e float32[1x4]
input %g float32[1x4]
const %j float32[2x4] = splat 0.5
const %k float32[2x2] = splat 0.5
%y int8[3x2x5] q(0.0078125,-1), %hn int8[2x5] q(0.0078125,-1), %cn int16[2x5] q(0.000244140625,0) )"
     R"(= lstm_integer(%x, %w, %r, %b, %h, %c) )"
     R"({weight_scale=[0.01,0.01,0.02,0.01], recurrent_scale=[0.01,0.01,0.02,0.01]}
%z int8[2x3] q(0.05,2), %sn int16[2x30] q(0.001,0) = svdf(%i, %f, %t, %o, %s) {rank=2}
%v int8[2x3] q(0.5,2), %vn int8[2x30] q(0.05,2) = svdf(%i, %f, %d, %o, %u) {rank=2}
%q float32[1x2], %gn float32[1x4] = svdf(%e, %j, %k, _, %g) {rank=1}
output %y
output %z
output %v
output %q
)"},
    {"transpose_conv", R"(input %x int8[1x3x4x4] q(0.5,3)
const %w int8[6x3x2x2] q(0.1,0) = splat 3
const %b int32[6] q(0.05,0) = splat 100
input %h int16[1x2x3x2] q(0.5,0)
const %v int8[3x2x2x2] q(0.1,0) = splat 2
const %c int64[3] q(0.05,0) = splat 5
input %f float32[1x4x4x3]
const %k float32[2x2x2x3] = splat 0.5
%y int8[1x7x8x6] q(1.0,-1) = transpose_conv(%x, %w, %b) {groups=2, out_h=7, out_w=8, pads=[0,1], )"
                       R"(stride_h=2, stride_w=2}
%z int16[1x4x4x3] q(1.0,0) = transpose_conv(%h, %v, %c) {out_h=4, out_w=4, stride_h=2}
%g float32[1x7x5x2] = transpose_conv(%f, %k) {out_h=7, out_w=5, dilation_h=3}
output %y
output %z
output %g
)"},
    {"matmul", R"(input %x int8[2x6] q(0.5,3)
const %w int8[4x6] q(0.1,0) = splat 3
const %b int32[4] q(0.05,0) = splat 100
input %a int8[2x3x4] q(0.5,3)
input %c int8[1x4x5] q(0.25,0)
%y int8[2x4] q(1.0,-1) = fully_connected(%x, %w, %b)
%z int8[2x3x5] q(1.0,-1) = matmul(%a, %c)
output %y
output %z
)"},
    {"pool2d", R"(input %x int8[1x6x5x3] q(0.5,3)
input %f float32[1x4x4x2]
%y int8[1x3x3x3] q(0.5,3) = avg_pool2d(%x) {kernel_h=3, kernel_w=3, stride_h=2, stride_w=2, )"
               R"(pads=[1,1,1,1], count_include_pad=1}
%g float32[1x3x3x2] = max_pool2d(%f) {kernel_h=2, kernel_w=2}
output %y
output %g
)"},
    {"softmax", R"(input %x int8[2x7] q(0.1,3)
input %f float32[2x3]
%y int8[2x7] q(0.00390625,-128) = softmax(%x)
%z int8[2x7] q(0.0625,127) = log_softmax(%x)
%g float32[2x3] = softmax(%f)
output %y
output %z
output %g
)"},
    {"gather", R"(input %x float32[3x4]
input %i int32[2]
input %n int64[2x2]
input %e int32[3x2]
const %v float32[2] = 0 1
%a float32[3x2] = gather(%x, %i) {axis=1}
%b float32[2] = gather_nd(%x, %n)
%c float32[3x2] = gather_elements(%x, %e) {axis=1}
%d float32[2x5] = one_hot(%i, %v) {depth=5}
output %a
output %b
output %c
output %d
)"},
    {"scatter", R"(input %x float32[3x4]
input %n int32[2x1]
input %u float32[2x4]
input %e int64[2x2]
input %w float32[2x2]
%a float32[3x4] = scatter_nd(%x, %n, %u) {reduction="add"}
%b float32[3x4] = scatter_elements(%a, %e, %w) {axis=0}
%v float32[3x2], %p int32[3x2] = topk(%b) {axis=1, k=2, to="int32"}
output %v
output %p
)"},
    {"move", R"(input %x int16[2x3x4]
input %y int16[2x3x2]
%t int16[4x2x3] = transpose(%x) {perm=[2,0,1]}
%c int16[2x3x6] = concat(%x, %y) {axis=2}
%p int16[3x3x8] = pad(%c) {before=[1,0,1], after=[0,0,1]}
%r int16[2x5x2] = pad(%y) {before=[0,1,0], after=[0,1,0], mode="reflect"}
output %t
output %p
output %r
)"},
    {"norm", R"(input %x float32[2x3x4]
const %s float32[4] = splat 0.5
%a float32[2x3x4] = layer_norm(%x, %s, %s) {axis=2, epsilon=0.001}
%b float32[2x3x4] = batch_norm(%a, %s, %s)
%c float32[2x3x4] = l2_norm(%b) {epsilon=0.001}
%d float32[2x3x4] = lrn(%c) {before=1, after=1, alpha=0.1, beta=0.75, bias=1.0}
output %d
)"},
    {"quantize", R"(input %x float32[2x3]
%q int8[2x3] q(0.5,1) = quantize(%x)
%r int16[2x3] q(0.25,0) = requantize(%q)
%d float32[2x3] = dequantize(%r)
%f float64[2x3] = cast(%d) {to="float64"}
%c int64[2x3] = cast(%f) {to="int64"}
%p int8[2x3] q(0.5 0.25 0.125,0 0 0,axis 1) = quantize(%x)
%e float32[2x3] = dequantize(%p)
output %c
output %e
)"},
    {"reduce", R"(input %x int8[2x3x4] q(0.5,1)
%m int8[2x4] q(0.5,1) = reduce_mean(%x) {axes=[1]}
%a int32[2] = arg_max(%m) {axis=1, to="int32"}
%s int32[2] = cumsum(%a) {axis=0}
output %s
)"},
    {"sample", R"(input %x float32[2x3x4x2]
input %g float32[2x5x2]
input %r float32[3x4]
input %i int64[3]
input %u uint16[2x3]
input %d float64[2x3]
%s float32[2x5x2] = grid_sample(%x, %g) {mode="cubic", padding="reflection"}
%a float32[3x2x2x2] = roi_align(%x, %r, %i) {out_h=2, out_w=2, samples=2}
%v uint16[2x3] = shift_left(%u, %u)
%e float64[2] = reduce_log_sum_exp(%d) {axes=[1], keepdims=0}
output %s
output %a
output %v
output %e
)"},
    {"resize", R"(input %x float32[1x2x3x2]
input %q int8[1x2x3x2] q(0.5,0)
const %r int32[4x2] = 0 1 0 1 0 1 0 1
const %w float32[4x2] = 1 0 0.75 0.25 0.5 0.5 0.25 0.75
const %i int32[4x2] = 1024 0 768 256 512 512 256 768
const %n int32[4x1] = 0 0 1 1
%a float32[1x4x4x2] = resize(%x, %r, %w, %r, %w)
%b int8[1x4x4x2] q(0.5,0) = resize(%q, %r, %i, %r, %i)
%c float32[1x4x4x2] = resize(%x, %n, _, %n, _)
output %a
output %b
output %c
)"},
    {"signal",
     R"(input %x int16[20]
const %w int16[20] = splat 300
const %u int16[6] = 1 2 3 4 5 6
const %f int16[4] = 0 2 4 6
const %g int16[4] = 0 1 2 3
const %h int16[4] = 2 3 1 3
const %t int16[125] = splat 64
input %i uint32[3]
%a int16[20] = signal_window(%x, %w) {shift=8}
%s int16[20], %n int32[scalar] = signal_scale(%a)
%r int16[34] = signal_rfft(%s) {fft_length=32}
%e uint32[17] = signal_energy(%r) {end_index=16, start_index=1}
%b uint64[3] = filter_bank(%e, %u, %u, %f, %g, %h) {num_channels=3}
%k uint32[3] = filter_bank_sqrt(%b, %n)
%y uint32[3], %z uint32[3] = spectral_subtraction(%k, %i) {)"
     "alternate_one_minus_smoothing=15401, alternate_smoothing=983, min_signal_remaining=819, "
     "num_channels=3, one_minus_smoothing=15975, smoothing=409, smoothing_bits=10, "
     R"(spectral_subtraction_bits=14}
%p uint32[3] = pcan(%y, %z, %t) {snr_shift=6}
%l int16[3] = filter_bank_log(%p) {input_correction_bits=3, output_scale=64}
output %l
output %z
)"},
    {"detection",
     R"(input %b uint8[1x6x5] q(0.1,128)
input %s int8[1x6x4] q(0.00390625,-128)
input %a float32[6x4]
input %r float32[1x6x4]
%x float32[1x6x4], %c float32[1x6], %p float32[1x6], %n float32[1] = )"
     "detection_postprocess(%b, %s, %a) {detections_per_class=2, iou_threshold=0.5, max_classes=2, "
     R"(max_detections=3, num_classes=3}
%y float32[1x2x4], %d float32[1x2], %q float32[1x2], %m float32[1] = )"
     "detection_postprocess(%r, %x, %a) {detections_per_class=2, iou_threshold=0.5, max_classes=1, "
     R"(max_detections=2, num_classes=4, regular=1}
output %n
output %m
output %y
)"},
    {"unary", R"(input %x float32[2x3]
input %q int8[2x3] q(0.1,0)
input %s int16[5] q(0.1,0)
%a float32[2x3] = exp(%x)
%t bool[2x3] = is_nan(%a)
%b int8[2x3] q(0.00390625,-128) = sigmoid(%q)
%c int16[5] q(0.1,0) = leaky_relu(%s) {alpha=0.1}
output %t
output %b
output %c
)"},
};

// Seeds for which a target has rows of its own.
struct Tuned {
  const char* seed;
  const char* target;
};
constexpr Tuned kTuned[] = {
    {"add", "cortex-m4"},       {"add", "cortex-m55"},     {"conv2d", "cortex-m4"},
    {"conv2d", "cortex-m55"},   {"conv2d", "cortex-m0"},   {"dwconv2d", "cortex-m4"},
    {"dwconv2d", "cortex-m55"}, {"dwconv2d", "cortex-m0"}, {"matmul", "cortex-m4"},
    {"matmul", "cortex-m55"},   {"matmul", "cortex-m0"}};

}  // namespace

std::vector<ForgedStep> seed_steps() {
  std::vector<ForgedStep> steps;
  const auto add = [&](const Seed& seed, const char* target) {
    std::vector<ForgedStep> more = steps_of_text(seed.graph, seed.name, target);
    std::move(more.begin(), more.end(), std::back_inserter(steps));
  };
  for (const Seed& seed : kSeeds) {
    add(seed, "generic");
    for (const Tuned& tuned : kTuned) {
      if (std::string_view(seed.name) == tuned.seed) add(seed, tuned.target);
    }
  }
  return steps;
}

}  // namespace netkit::test
