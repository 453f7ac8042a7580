// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_ARENA_HPP
#define NETKIT_COMPAT_ARENA_HPP

#include "netkit/arena.hpp"

using netkit::Arena;

#endif
