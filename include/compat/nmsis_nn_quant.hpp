// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_NMSIS_NN_QUANT_HPP
#define NETKIT_COMPAT_NMSIS_NN_QUANT_HPP

#include "netkit/nmsis_nn_quant.hpp"

namespace NmsisNn = netkit::NmsisNn;

#endif
