// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_OPS_HPP
#define NETKIT_COMPAT_OPS_HPP

#include "netkit/ops.hpp"
#include "tensor.hpp"

namespace Ops = netkit::Ops;

#endif
