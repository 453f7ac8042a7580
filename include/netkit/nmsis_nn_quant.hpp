// SPDX-License-Identifier: MIT
// NMSIS-NN (targets mcu_risc): single operators in int8. Not built: the calls return false.
#ifndef NETKIT_NMSIS_NN_QUANT_HPP
#define NETKIT_NMSIS_NN_QUANT_HPP

#include "netkit/nmsis_nn_kernel.hpp"

namespace netkit::NmsisNn {

inline constexpr NotBuilt TryConv2D;
inline constexpr NotBuilt TryDepthwiseConv2D;
inline constexpr NotBuilt TryFullyConnected;
inline constexpr NotBuilt TryMaxPool2D;
inline constexpr NotBuilt TryAvgPool2D;
inline constexpr NotBuilt TryAdd;
inline constexpr NotBuilt TrySoftmax;

}  // namespace netkit::NmsisNn

#endif
