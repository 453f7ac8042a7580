// SPDX-License-Identifier: MIT
// Kernels of a built network, from the tables of the operators that a program names: it links no
// others.
#include "netkit/kernels.hpp"
#include "runtime/nets/net.h"

namespace netkit::nets {
namespace {

// In the order of Op; 0: the operator stands in run.cc.
constexpr uint32_t kIds[] = {
    kernel_id("nk_conv2d_f32_ref"),
    0,  // kDepthwise
    kernel_id("nk_fully_connected_f32_ref"),
    kernel_id("nk_max_pool2d_f32_ref"),
    kernel_id("nk_avg_pool2d_f32_ref"),
    0,  // kScale
    kernel_id("nk_norm_f32_ref"),
    0,  // kResponseNorm
    kernel_id("nk_relu_f32_ref"),
    kernel_id("nk_relu6_f32_ref"),
    kernel_id("nk_sigmoid_f32_ref"),
    kernel_id("nk_tanh_f32_ref"),
    kernel_id("nk_leaky_relu_f32_ref"),
    kernel_id("nk_swish_f32_ref"),
    kernel_id("nk_gelu_tanh_f32_ref"),
    kernel_id("nk_softmax_f32_ref"),
    kernel_id("nk_add_f32_ref"),
    0,  // kAddUpsampled
    0,  // kCopyChannels
};
static_assert(sizeof kIds / sizeof kIds[0] == static_cast<size_t>(Op::kOpCount));

nk_kernel_fn find(const NkOpsResolver& resolver, uint32_t id) {
  for (size_t i = 0; i < resolver.count; ++i) {
    const NkOpKernels& op = *resolver.ops[i];
    for (size_t k = 0; k < op.count; ++k) {
      if (op.entries[k].id == id) return op.entries[k].run;
    }
  }
  return nullptr;
}

}  // namespace

nk_status_t bind(Net& net, const NkOpsResolver& resolver) {
  for (uint32_t i = 0; i < net.step_count; ++i) {
    const auto op = static_cast<size_t>(net.steps[i].op);
    if (kIds[op] == 0) continue;
    net.kernels[op] = find(resolver, kIds[op]);
    if (net.kernels[op] == nullptr) return NK_ERR_UNKNOWN_KERNEL;
  }
  return NK_OK;
}

}  // namespace netkit::nets
