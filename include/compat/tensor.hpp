// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_TENSOR_HPP
#define NETKIT_COMPAT_TENSOR_HPP

#include "netkit/tensor.hpp"

using netkit::DataType;
using netkit::Tensor;
using netkit::kMaxTensorRank;

#endif
