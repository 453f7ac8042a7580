/* SPDX-License-Identifier: MIT */
/* Component compiler: the command line inside a program. usage: compiler VERB … */
#include "netkit.h"

int main(int argc, char** argv) { return nk_cli_run(argc, argv); }
