// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_ESP_NN_KERNEL_HPP
#define NETKIT_COMPAT_ESP_NN_KERNEL_HPP

#include "netkit/esp_nn_kernel.hpp"

namespace EspNn = netkit::EspNn;

#endif
