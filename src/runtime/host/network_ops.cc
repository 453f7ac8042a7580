// SPDX-License-Identifier: MIT
// The kernels of each operator that networks are built of, a table each, so that a list of some
// links no others (netkit/ops_resolver.hpp).
#include "netkit/ops_resolver.hpp"
#include "runtime/op_tables.h"

namespace netkit {
namespace {

// Plain copies: views that another operator's layout does not give for nothing.
#define NETKIT_MOVES "nk_copy_nd_ref"
#define NETKIT_CONV "nk_conv2d_f32_ref", "nk_conv2d_s8_ref"
#define NETKIT_DEPTHWISE "nk_dwconv2d_f32_ref", "nk_dwconv2d_s8_ref"
#define NETKIT_RELU "nk_relu_f32_ref", "nk_relu6_f32_ref", "nk_lut_x8_ref"
#define NETKIT_ADD "nk_add_f32_ref", "nk_add_s8_ref"
#define NETKIT_CONCAT                                                      \
  "nk_concat_x8_ref", "nk_conv2d_parts_f32_ref", "nk_conv2d_parts_s8_ref", \
      "nk_dwconv2d_parts_f32_ref", "nk_dwconv2d_parts_s8_ref"
#define NETKIT_SWISH "nk_swish_f32_ref"
#define NETKIT_SOFTMAX "nk_softmax_f32_ref", "nk_softmax_s8_ref"

// X(operator, its kernels)
#define NETKIT_OP_KERNELS(X)                                                                       \
  X(Conv2D, NETKIT_CONV, NETKIT_RELU)                                                              \
  X(DepthwiseConv2D, NETKIT_DEPTHWISE, NETKIT_RELU)                                                \
  X(MaxPool2D, "nk_max_pool2d_f32_ref", "nk_max_pool2d_s8_ref")                                    \
  X(AvgPool2D, "nk_avg_pool2d_f32_ref", "nk_avg_pool2d_s8_ref")                                    \
  X(BatchNorm2d, "nk_batch_norm_f32_ref")                                                          \
  X(LayerNorm2d, "nk_norm_f32_ref")                                                                \
  X(Flatten, NETKIT_MOVES)                                                                         \
  X(Dense, "nk_fully_connected_f32_ref", "nk_fully_connected_s8_ref", NETKIT_RELU, NETKIT_MOVES)   \
  X(ConvNeXtV2Block, NETKIT_CONV, NETKIT_DEPTHWISE, "nk_norm_f32_ref", "nk_gelu_tanh_f32_ref",     \
    "nk_reduce_l2_f32_ref", "nk_reduce_mean_f32_ref", "nk_add_f32_ref", "nk_div_f32_ref",          \
    "nk_mul_f32_ref")                                                                              \
  X(MobilenetV4Uib, NETKIT_CONV, NETKIT_DEPTHWISE, "nk_batch_norm_f32_ref", NETKIT_RELU,           \
    NETKIT_ADD)                                                                                    \
  X(ResNetBasicBlock, NETKIT_CONV, "nk_batch_norm_f32_ref", NETKIT_RELU, NETKIT_ADD)               \
  X(YoloxDecoupledHead, NETKIT_CONV, NETKIT_SWISH, "nk_lut_x8_ref", NETKIT_CONCAT)                 \
  X(FeatureTap, NETKIT_MOVES)                                                                      \
  X(YoloxPafpnMultiscale, NETKIT_CONV, NETKIT_DEPTHWISE, NETKIT_SWISH, "nk_resize_nearest_x8_ref", \
    NETKIT_ADD, NETKIT_CONCAT, NETKIT_MOVES)                                                       \
  X(Activations, NETKIT_RELU, "nk_sigmoid_f32_ref", "nk_tanh_f32_ref", "nk_leaky_relu_f32_ref")    \
  X(Softmax, NETKIT_SOFTMAX, NETKIT_MOVES)

NETKIT_OP_KERNELS(NETKIT_OP_ENTRIES)

}  // namespace

namespace NkOps {
NETKIT_OP_KERNELS(NETKIT_OP_TABLE)
}  // namespace NkOps

}  // namespace netkit
