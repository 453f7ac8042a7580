// SPDX-License-Identifier: MIT
// ESP-NN (targets mcu_esp): whole layers in float32. Not built: the calls return false.
#ifndef NETKIT_ESP_NN_KERNEL_HPP
#define NETKIT_ESP_NN_KERNEL_HPP

#include "netkit/backend.hpp"

namespace netkit::EspNn {

inline constexpr bool kBuilt = false;
inline constexpr const char* kStatus = "ESP-NN: not built";
inline constexpr NotBuilt LayerFast;

}  // namespace netkit::EspNn

#endif
