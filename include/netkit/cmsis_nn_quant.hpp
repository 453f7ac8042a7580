// SPDX-License-Identifier: MIT
// CMSIS-NN (targets mcu_arm): single operators in int8. Not built: the calls return false.
#ifndef NETKIT_CMSIS_NN_QUANT_HPP
#define NETKIT_CMSIS_NN_QUANT_HPP

#include "netkit/cmsis_nn_kernel.hpp"

namespace netkit::CmsisNn {

inline constexpr NotBuilt TryConv2D;
inline constexpr NotBuilt TryDepthwiseConv2D;
inline constexpr NotBuilt TryFullyConnected;
inline constexpr NotBuilt TryMaxPool2D;
inline constexpr NotBuilt TryAvgPool2D;
inline constexpr NotBuilt TryAdd;
inline constexpr NotBuilt TrySoftmax;

}  // namespace netkit::CmsisNn

#endif
