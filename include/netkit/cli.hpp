// SPDX-License-Identifier: MIT
// Cli: the command line netkit inside a program. Desktop class; C++17 and newer.
#ifndef NETKIT_CLI_HPP
#define NETKIT_CLI_HPP

#include "netkit.h"

namespace netkit::Cli {

// The exit code. argv[0] is not read.
inline int Run(int argc, char** argv) {
  return nk_cli_run(argc, argv);
}

}  // namespace netkit::Cli

#endif
