// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_ARENA_UTIL_HPP
#define NETKIT_COMPAT_ARENA_UTIL_HPP

#include "arena.hpp"
#include "netkit/arena_util.hpp"

namespace ArenaUtil = netkit::ArenaUtil;

#endif
