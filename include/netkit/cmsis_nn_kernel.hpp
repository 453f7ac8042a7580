// SPDX-License-Identifier: MIT
// CMSIS-NN (targets mcu_arm): whole layers in float32. Not built: the calls return false.
#ifndef NETKIT_CMSIS_NN_KERNEL_HPP
#define NETKIT_CMSIS_NN_KERNEL_HPP

#include "netkit/backend.hpp"

namespace netkit::CmsisNn {

inline constexpr bool kBuilt = false;
inline constexpr const char* kStatus = "CMSIS-NN: not built";
inline constexpr NotBuilt LayerFast;

}  // namespace netkit::CmsisNn

#endif
