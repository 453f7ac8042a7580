// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_MLP_HPP
#define NETKIT_COMPAT_MLP_HPP

#include "arena.hpp"
#include "netkit/mlp.hpp"
#include "tensor.hpp"

using netkit::ActivationType;
using netkit::MLPLayer;
using netkit::MLPNetwork;
using netkit::NkOpList;
using netkit::NkOpsResolver;
using netkit::QuantLayer;
using netkit::QuantRuntime;
namespace NkOps = netkit::NkOps;

#endif
