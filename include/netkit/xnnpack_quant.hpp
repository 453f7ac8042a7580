// SPDX-License-Identifier: MIT
// XNNPACK (targets cpu and mpu): single operators in int8. Not built: the calls return false.
#ifndef NETKIT_XNNPACK_QUANT_HPP
#define NETKIT_XNNPACK_QUANT_HPP

#include "netkit/xnnpack_kernel.hpp"

namespace netkit::Xnnpack {

inline constexpr NotBuilt TryConv2D;
inline constexpr NotBuilt TryDepthwiseConv2D;
inline constexpr NotBuilt TryFullyConnected;
inline constexpr NotBuilt TryMaxPool2D;
inline constexpr NotBuilt TryAvgPool2D;
inline constexpr NotBuilt TryAdd;
inline constexpr NotBuilt TrySoftmax;

}  // namespace netkit::Xnnpack

#endif
