// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_NK_REGRESSION_HPP
#define NETKIT_COMPAT_NK_REGRESSION_HPP

#include "netkit/nk_regression.hpp"

namespace NkRegression = netkit::NkRegression;

#endif
