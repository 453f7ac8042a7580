// SPDX-License-Identifier: MIT
// Which kernels a network may use: all of the library, or those of a list of operators. C++17.
#ifndef NETKIT_OPS_RESOLVER_HPP
#define NETKIT_OPS_RESOLVER_HPP

#include <cstddef>

#include "netkit.h"

namespace netkit {

// The kernels of one operator; a program that names no such table links none of them.
struct NkOpKernels {
  const nk_kernel_entry* entries;
  std::size_t count;
};

// Tables of operators; count 0: every kernel of the library. What it points to stays in place.
struct NkOpsResolver {
  const NkOpKernels* const* ops = nullptr;
  std::size_t count = 0;
};

// What an NkOpList is made of: an operator each, in float32 and int8. A block holds all that its
// convolutions, norms and sums need; activations other than relu and relu6 stand by themselves.
#define NETKIT_NETWORK_OPS(X)                                                                 \
  X(Conv2D) X(DepthwiseConv2D) X(MaxPool2D) X(AvgPool2D) X(BatchNorm2d) X(LayerNorm2d)        \
  X(Flatten) X(Dense) X(ConvNeXtV2Block) X(MobilenetV4Uib) X(ResNetBasicBlock)                \
  X(YoloxDecoupledHead) X(FeatureTap) X(YoloxPafpnMultiscale) X(Activations) X(Softmax)

namespace NkOps {
#define NETKIT_NETWORK_OP(name)      \
  struct name {                      \
    static const NkOpKernels kTable; \
  };
NETKIT_NETWORK_OPS(NETKIT_NETWORK_OP)
#undef NETKIT_NETWORK_OP
}  // namespace NkOps

// Every operator above.
NkOpsResolver all_network_ops();

// What a network has before SetOpsResolver: every kernel; on an mcu every operator above, or with
// NETKIT_TRIM_OPS none, so that only those that the program names are linked.
inline NkOpsResolver default_network_ops() {
#if defined(NETKIT_CLASS_MCU) && !defined(NETKIT_TRIM_OPS)
  return all_network_ops();
#else
  return {};
#endif
}

// NkOpList<NkOps::Conv2D, NkOps::Dense>::View() for SetOpsResolver.
template <typename... Ops>
struct NkOpList {
  static NkOpsResolver View() {
    static constexpr const NkOpKernels* kTables[] = {&Ops::kTable...};
    return {kTables, sizeof...(Ops)};
  }
};

}  // namespace netkit

#endif
