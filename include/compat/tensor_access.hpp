// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_TENSOR_ACCESS_HPP
#define NETKIT_COMPAT_TENSOR_ACCESS_HPP

#include "netkit/tensor_access.hpp"

using netkit::index_nhwc;
using netkit::tensor_data_f32;
using netkit::tensor_data_i32;
using netkit::tensor_data_i8;

#endif
