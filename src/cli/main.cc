// SPDX-License-Identifier: MIT
// The program netkit: its streams around the command line.
#include "cli/cli.h"
#include "netkit.h"

int main(int argc, char** argv) {
  netkit::cli::open_streams();
  return netkit::cli::close_stdout(nk_cli_run(argc, argv));
}
