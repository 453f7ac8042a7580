// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_ESP_NN_QUANT_HPP
#define NETKIT_COMPAT_ESP_NN_QUANT_HPP

#include "netkit/esp_nn_quant.hpp"

namespace EspNn = netkit::EspNn;

#endif
