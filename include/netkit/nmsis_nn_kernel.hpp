// SPDX-License-Identifier: MIT
// NMSIS-NN (targets mcu_risc): whole layers in float32. Not built: the calls return false.
#ifndef NETKIT_NMSIS_NN_KERNEL_HPP
#define NETKIT_NMSIS_NN_KERNEL_HPP

#include "netkit/backend.hpp"

namespace netkit::NmsisNn {

inline constexpr bool kBuilt = false;
inline constexpr const char* kStatus = "NMSIS-NN: not built";
inline constexpr NotBuilt LayerFast;

}  // namespace netkit::NmsisNn

#endif
