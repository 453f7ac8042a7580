// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_CNN_HPP
#define NETKIT_COMPAT_CNN_HPP

#include "mlp.hpp"
#include "netkit/cnn.hpp"

using netkit::CNNNetwork;
using netkit::CnnBlock;
using netkit::CnnBlockType;
using netkit::ConvActivationType;

#endif
