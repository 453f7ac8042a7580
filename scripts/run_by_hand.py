#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Networks built by hand on an emulated Cortex-M4: firmware/by_hand/cnn.cc (CNNNetwork) and
c_only.c (the C interface alone) give the bits that the same sources give on this machine, where the
host's planner and engine stand behind the same calls. Prints arena, stack and flash.

  run_by_hand.py [--board mps2-an386]        needs build/libnetkit.a (make lib)
"""
import argparse
import os
import pathlib
import subprocess
import sys

import measure_init
from measure_init import ROOT, boards, emulator, image
from firmware.runner.errors import FirmwareError, FirmwareNo

FOLDER = ROOT / "firmware" / "by_hand"
NETWORKS = {"cnn": "cnn.cc", "c_only": "c_only.c"}
MCU = ("-DNETKIT_TARGET_MCU_ARM", "-DNETKIT_TRIM_OPS")


def weights_source(work: pathlib.Path) -> pathlib.Path:
    values = ", ".join(f"{(i * 2654435761 % 2 ** 32 >> 20) % 201 - 100}.0f * 0.002f"
                       for i in range(4096))
    source = work / "weights.c"
    source.write_text('#include "by_hand.h"\nconst float by_hand_weights[4096] = {' + values +
                      "};\n")
    return source


def host_output(work: pathlib.Path, name: str, weights: pathlib.Path) -> str:
    flags = ["-O1", "-ffp-contract=off", f"-I{FOLDER}", f"-I{ROOT}/include"]
    objects = []
    for source in (FOLDER / NETWORKS[name], FOLDER / "host.c", weights):
        compiler = [os.environ.get("CXX", "c++"), "-std=c++20"]
        if source.suffix == ".c":
            compiler = [os.environ.get("CC", "cc"), "-std=c99"]
        out = work / f"host_{name}_{source.stem}.o"
        measure_init.command([*compiler, *flags, "-c", source, "-o", out], f"compiling {source}")
        objects.append(out)
    program = work / f"host_{name}"
    measure_init.command([os.environ.get("CXX", "c++"), *objects, ROOT / "build/libnetkit.a",
                          "-o", program], "linking on this machine")
    return measure_init.command([program], f"{name} on this machine")


class Device:
    def __init__(self, board: boards.Board, work: pathlib.Path):
        self.board, self.work = board, work
        self.builder = image.Builder(board, None, work, work, image.Options())
        self.library = measure_init.device_library(board)

    def compile(self, source: pathlib.Path) -> pathlib.Path:
        out = self.work / f"{source.stem}.o"
        tool, flags = "gcc", image.C_FLAGS
        if source.suffix == ".cc":
            tool, flags = "g++", measure_init.CXX_FLAGS
        measure_init.command([self.builder.tool(tool), "--specs=picolibc.specs", *self.board.flags,
                              *flags, "-Os", "-ffp-contract=off", *MCU, f"-I{FOLDER}",
                              f"-I{ROOT}/include", f"-I{image.DEVICE}", "-c", source, "-o", out],
                             f"compiling {source.name}")
        return out

    def run(self, name: str, weights: pathlib.Path) -> tuple[str, int]:
        """What the firmware prints, and its flash bytes."""
        sources = (FOLDER / NETWORKS[name], FOLDER / "device.c", weights)
        common = [o for o in self.builder.device_objects() if o.stem != "harness"]
        elf = self.builder.link([*map(self.compile, sources), *common, self.library])
        text, data, _ = self.builder.berkeley_sizes(elf)
        program = emulator.find_tool(self.board.emulator, "qemu-system-arm")
        done = subprocess.run(
            [program, *self.board.emulator_options, "-nographic", "-monitor", "none", "-serial",
             "none", "-chardev", "stdio,id=console", "-semihosting-config",
             "enable=on,target=native,chardev=console,arg=firmware", "-kernel", elf],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise FirmwareNo(f"{name}: the firmware ended with {done.returncode}: "
                             f"{done.stdout.strip() or done.stderr.strip()}")
        return done.stdout, text + data


def results(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("result ")]


def number(text: str, word: str) -> int:
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(word))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", default="mps2-an386")
    args = parser.parse_args()
    work = ROOT / "build" / "firmware" / args.board / "by_hand"
    work.mkdir(parents=True, exist_ok=True)
    try:
        weights = weights_source(work)
        device = Device(boards.load(args.board), work)
        for name in NETWORKS:
            expected = host_output(work, name, weights)
            text, flash = device.run(name, weights)
            if results(text) != results(expected):
                raise FirmwareNo(f"{name}: the device gives other bits than this machine")
            print(f"{args.board} {name}: {len(results(text))} results of equal bits, arena "
                  f"{number(text, 'arena')} B with tables (planned on this machine "
                  f"{number(expected, 'arena')} B), stack {number(text, 'stack')} B, flash {flash} "
                  "B with 16384 B of weights")
    except FirmwareNo as no:
        print(f"run_by_hand: {no}", file=sys.stderr)
        return 1
    except FirmwareError as error:
        print(f"run_by_hand: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
