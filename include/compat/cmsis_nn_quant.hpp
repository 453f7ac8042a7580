// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_CMSIS_NN_QUANT_HPP
#define NETKIT_COMPAT_CMSIS_NN_QUANT_HPP

#include "netkit/cmsis_nn_quant.hpp"

namespace CmsisNn = netkit::CmsisNn;

#endif
