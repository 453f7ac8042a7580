// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_NK_FORMAT_HPP
#define NETKIT_COMPAT_NK_FORMAT_HPP

#include "netkit/nk_format.hpp"

namespace NkFormat = netkit::NkFormat;

#endif
