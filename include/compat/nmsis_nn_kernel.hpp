// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_NMSIS_NN_KERNEL_HPP
#define NETKIT_COMPAT_NMSIS_NN_KERNEL_HPP

#include "netkit/nmsis_nn_kernel.hpp"

namespace NmsisNn = netkit::NmsisNn;

#endif
