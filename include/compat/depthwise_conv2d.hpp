// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_DEPTHWISE_CONV2D_HPP
#define NETKIT_COMPAT_DEPTHWISE_CONV2D_HPP

#include "conv2d.hpp"
#include "netkit/depthwise_conv2d.hpp"

using netkit::DepthwiseConv2D;

#endif
