# SPDX-License-Identifier: MIT
"""python -m netkit VERB …: the command line (docs/cli.md)."""
import os
import signal
import sys

from ._netkit import main as _main


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a long search ends at once
    return _main([os.fsencode(word) for word in sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
