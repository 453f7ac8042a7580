// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_CONV2D_HPP
#define NETKIT_COMPAT_CONV2D_HPP

#include "netkit/conv2d.hpp"
#include "tensor.hpp"

using netkit::Conv2D;
using netkit::NetkitKernelActivation;

#endif
