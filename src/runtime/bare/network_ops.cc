// SPDX-License-Identifier: MIT
// The kernels of each operator of float32 networks built on a bare device, a table each, so that a
// list of some links no others (netkit/ops_resolver.hpp). What nets/run.cc does by itself has none.
#include "netkit/ops_resolver.hpp"
#include "runtime/op_tables.h"

namespace netkit {
namespace {

// X(operator, its kernels)
#define NETKIT_OP_KERNELS(X)                                                                     \
  X(Conv2D, "nk_conv2d_f32_ref")                                                                 \
  X(MaxPool2D, "nk_max_pool2d_f32_ref")                                                          \
  X(AvgPool2D, "nk_avg_pool2d_f32_ref")                                                          \
  X(LayerNorm2d, "nk_norm_f32_ref")                                                              \
  X(Dense, "nk_fully_connected_f32_ref")                                                         \
  X(ConvNeXtV2Block, "nk_conv2d_f32_ref", "nk_norm_f32_ref", "nk_gelu_tanh_f32_ref",             \
    "nk_add_f32_ref")                                                                            \
  X(MobilenetV4Uib, "nk_conv2d_f32_ref", "nk_relu_f32_ref", "nk_add_f32_ref")                    \
  X(ResNetBasicBlock, "nk_conv2d_f32_ref", "nk_relu_f32_ref", "nk_add_f32_ref")                  \
  X(YoloxDecoupledHead, "nk_conv2d_f32_ref", "nk_swish_f32_ref")                                 \
  X(YoloxPafpnMultiscale, "nk_conv2d_f32_ref", "nk_swish_f32_ref", "nk_add_f32_ref")             \
  X(Activations, "nk_relu_f32_ref", "nk_relu6_f32_ref", "nk_sigmoid_f32_ref", "nk_tanh_f32_ref", \
    "nk_leaky_relu_f32_ref")                                                                     \
  X(Softmax, "nk_softmax_f32_ref")

NETKIT_OP_KERNELS(NETKIT_OP_ENTRIES)

}  // namespace

namespace NkOps {
NETKIT_OP_KERNELS(NETKIT_OP_TABLE)
const NkOpKernels DepthwiseConv2D::kTable = {nullptr, 0};
const NkOpKernels BatchNorm2d::kTable = {nullptr, 0};
const NkOpKernels Flatten::kTable = {nullptr, 0};
const NkOpKernels FeatureTap::kTable = {nullptr, 0};
}  // namespace NkOps

}  // namespace netkit
