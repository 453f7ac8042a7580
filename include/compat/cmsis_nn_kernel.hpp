// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_CMSIS_NN_KERNEL_HPP
#define NETKIT_COMPAT_CMSIS_NN_KERNEL_HPP

#include "netkit/cmsis_nn_kernel.hpp"

namespace CmsisNn = netkit::CmsisNn;

#endif
