// SPDX-License-Identifier: MIT
// XNNPACK (targets cpu and mpu): whole layers in float32. Not built: the calls return false.
#ifndef NETKIT_XNNPACK_KERNEL_HPP
#define NETKIT_XNNPACK_KERNEL_HPP

#include "netkit/backend.hpp"

namespace netkit::Xnnpack {

inline constexpr bool kBuilt = false;
inline constexpr const char* kStatus = "XNNPACK: not built";
inline constexpr NotBuilt LayerFast;

}  // namespace netkit::Xnnpack

#endif
