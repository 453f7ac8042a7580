// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_CLI_HPP
#define NETKIT_COMPAT_CLI_HPP

#include "netkit/cli.hpp"

namespace Cli = netkit::Cli;

#endif
