#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_figures.py HOST BARE [--print]: two programs of figures.cc. The planner of bare devices
takes at most 5 % more than the host's, its tables 160 B a layer on top, and both give the same
results (1e-5: the host folds what a device computes one after the other)."""
import subprocess
import sys

MOST_OVER = 1.05
TABLE_BYTES = 160  # of a layer, or of an operator inside a block


def figures(program: str) -> dict[str, list[float]]:
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    return {line.split()[0]: [float(word) for word in line.split()[1:]]
            for line in done.stdout.splitlines()}


def main() -> int:
    host, bare = figures(sys.argv[1]), figures(sys.argv[2])
    wrong = 0
    if host.keys() != bare.keys() or len(host) < 10:
        print("the programs do not build the same networks")
        return 1
    for name, (layers, _, planned, _, total, most) in host.items():
        _, steps, buffer, tables, bare_total, bare_most = bare[name]
        units = max(layers, steps)
        near = (abs(total - bare_total) <= 1e-5 * max(1.0, abs(total)) and
                abs(most - bare_most) <= 1e-5 * max(1.0, abs(most)))
        holds = buffer <= MOST_OVER * planned and tables <= TABLE_BYTES * units and near
        wrong += not holds
        if not holds or "--print" in sys.argv:
            print(f"{name}: buffer {buffer:.0f} B, host {planned:.0f} B "
                  f"({100 * buffer / planned - 100:+.1f} %), tables {tables:.0f} B of "
                  f"{units:.0f} operators, results {'agree' if near else 'differ'}")
    print(f"{len(host)} networks, {wrong} beyond a bound")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
