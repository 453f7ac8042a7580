// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_XNNPACK_QUANT_HPP
#define NETKIT_COMPAT_XNNPACK_QUANT_HPP

#include "netkit/xnnpack_quant.hpp"

namespace Xnnpack = netkit::Xnnpack;

#endif
