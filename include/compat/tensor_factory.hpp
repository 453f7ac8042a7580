// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_TENSOR_FACTORY_HPP
#define NETKIT_COMPAT_TENSOR_FACTORY_HPP

#include "arena.hpp"
#include "netkit/tensor_factory.hpp"
#include "tensor.hpp"

namespace TensorFactory = netkit::TensorFactory;

#endif
