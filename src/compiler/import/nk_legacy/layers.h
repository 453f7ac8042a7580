// SPDX-License-Identifier: MIT
// The composite blocks of older .nk files, unfolded into ordinary operators, so that the planner
// sees inside them. Weights are the next ones of the file, in the order in which the functions
// state them. Errors name what does not fit.
#pragma once

#include <array>

#include "compiler/import/nk_legacy/graph.h"

namespace netkit::nk_legacy {

// Layer normalisation over the channels. Weights: scale and shift.
Result<int> channel_norm(GraphMaker& graph, int x, float epsilon);

// ConvNeXt V2 (Woo et al. 2023): depthwise 7x7, norm, 1x1 to 4 channels, GELU (tanh form), global
// response normalisation, 1x1, sum with the input. Weights: dw, norm, expand, gamma and beta,
// project.
Result<int> convnext_block(GraphMaker& graph, int x, int64_t channels, float epsilon);

// Refuses where image x has not `channels` of them.
Result<void> check_channels(const GraphMaker& graph, int x, int64_t channels);

// MobileNetV4's universal inverted bottleneck (Qin et al. 2024). Kernel 0: that convolution is
// absent. Weights: start, expand, middle, project, each followed by its batch norm where it has one
// that is not folded.
struct Uib {
  int64_t in, out, start_kernel, middle_kernel, stride;
  bool middle_downsamples;
  float expand_ratio;
};
Result<int> uib_block(GraphMaker& graph, int x, const Uib& block);
// Channels between its expansion and its projection: the nearest multiple of 8 to in * ratio, a
// step up where that loses more than a tenth.
int64_t uib_channels(int64_t in, float expand_ratio);

// ResNet's basic block (He et al. 2016). Weights: conv1, conv2, shortcut where stride is not 1 or
// the channels differ; batch norms as above.
Result<int> resnet_block(GraphMaker& graph, int x, int64_t in, int64_t out, int64_t stride);

// YOLOX's decoupled head (Ge et al. 2021): channels [4 box, objectness, classes]. Weights: stem,
// convs of the class branch, convs of the box branch, predictions of classes, box, objectness.
struct YoloxHead {
  int64_t hidden, classes, convs;
};
Result<int> yolox_head(GraphMaker& graph, int x, const YoloxHead& head);

// YOLOX's neck over three scales and a head on each; `scales` are C3, C4, C5. Weights: lateral 3,
// 4, 5; depthwise and pointwise of P4, P3, N4, N5; the heads of the three scales. The result is
// flat; without heads it is the scales P3, N4, N5 themselves.
Result<int> pafpn(GraphMaker& graph, std::array<int, 3> scales, std::array<int64_t, 3> channels,
                  const YoloxHead& head, bool has_heads);

}  // namespace netkit::nk_legacy
