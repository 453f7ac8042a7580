// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_XNNPACK_KERNEL_HPP
#define NETKIT_COMPAT_XNNPACK_KERNEL_HPP

#include "netkit/xnnpack_kernel.hpp"

namespace Xnnpack = netkit::Xnnpack;

#endif
