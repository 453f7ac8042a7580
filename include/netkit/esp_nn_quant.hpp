// SPDX-License-Identifier: MIT
// ESP-NN (targets mcu_esp): single operators in int8. Not built: the calls return false.
#ifndef NETKIT_ESP_NN_QUANT_HPP
#define NETKIT_ESP_NN_QUANT_HPP

#include "netkit/esp_nn_kernel.hpp"

namespace netkit::EspNn {

inline constexpr NotBuilt TryConv2D;
inline constexpr NotBuilt TryDepthwiseConv2D;
inline constexpr NotBuilt TryFullyConnected;
inline constexpr NotBuilt TryMaxPool2D;
inline constexpr NotBuilt TryAvgPool2D;
inline constexpr NotBuilt TryAdd;
inline constexpr NotBuilt TrySoftmax;

}  // namespace netkit::EspNn

#endif
