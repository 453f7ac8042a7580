#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the interpreter costs on an emulated board: instructions of loading a .nk file under each
check and of one inference, stack, context, and the flash of code and constants beside the file.

  measure_init.py MODEL [--board mps2-an386]

Only the kernels that the file calls are linked. Exit: 0 done, 1 the file is refused, 2 wrong usage.
"""
import argparse
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# pylint: disable=wrong-import-position
from firmware.runner import boards, emulator, image  # noqa: E402
from firmware.runner.errors import FirmwareError, FirmwareNo  # noqa: E402

STRINGS, STEP_INFO = 6, 7  # kinds of sections (docs/nk-format.md)
CHECKS = {"none": "NK_CHECK_NONE", "structure": "NK_CHECK_STRUCTURE", "all": "NK_CHECK_ALL"}
CXX_FLAGS = ("-std=c++20", "-Os", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fno-exceptions",
             "-fno-rtti", "-fno-threadsafe-statics", "-ffunction-sections", "-fdata-sections",
             "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")


def command(words: list, what: str) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise FirmwareError(f"{what}: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    return done.stdout


def sections(nk: bytes) -> dict[int, bytes]:
    header_bytes, = struct.unpack_from("<H", nk, 10)
    count, = struct.unpack_from("<I", nk, 20)
    table = (struct.unpack_from("<6I", nk, header_bytes + 24 * i) for i in range(count))
    return {kind: nk[offset:offset + size] for kind, _, offset, size, _, _ in table}


def kernel_symbols(nk: bytes) -> list[str]:
    parts = sections(nk)
    starts = {info[0] for info in struct.iter_unpack("<4I", parts[STEP_INFO])}
    return sorted(parts[STRINGS][start:].split(b"\0")[0].decode() for start in starts)


def device_library(board: boards.Board) -> pathlib.Path:
    """libnetkit for the board's target, at -Os as check_device_symbols.sh builds it."""
    build = ROOT / f"build/device-{board.target}"
    command(["cmake", "-S", ROOT, "-B", build, "-DNETKIT_RUNTIME_ONLY=ON", "-DNETKIT_TESTS=OFF",
             "-DCMAKE_BUILD_TYPE=MinSizeRel", f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/cmake/toolchains/"
             f"{board.target}.cmake"], "configuring libnetkit")
    command(["cmake", "--build", build, "--target", "netkit", "-j2"], "building libnetkit")
    return build / "libnetkit.a"


class Measure:
    def __init__(self, args: argparse.Namespace):
        self.board = boards.load(args.board)
        self.work = args.work / self.board.name / "interpreter"
        self.builder = image.Builder(self.board, None, self.work, self.work, image.Options())
        self.work.mkdir(parents=True, exist_ok=True)
        self.nk_path = self.work / "model.nk"
        command([args.netkit, "compile", args.model, "-o", self.nk_path], "netkit compile")
        self.nk = self.nk_path.read_bytes()
        self.library = device_library(self.board)

    def compile(self, source: pathlib.Path, target: str, *more: str) -> pathlib.Path:
        out = self.work / target
        command([self.builder.tool("g++"), "--specs=picolibc.specs", *self.board.flags, *CXX_FLAGS,
                 f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{image.DEVICE}", *more, "-c", source,
                 "-o", out], f"compiling {source.name}")
        return out

    def parts(self) -> list[pathlib.Path]:
        """The file in flash and the table of its kernels."""
        file = self.work / "nk_file.S"
        file.write_text(".section .rodata.nk_file, \"a\"\n.balign 64\n.global nk_file\nnk_file:\n"
                        f".incbin \"{self.nk_path}\"\n.global nk_file_end\nnk_file_end:\n.byte 0\n")
        table = self.work / "nk_table.cc"
        names = ", ".join(f'"{name}"' for name in kernel_symbols(self.nk))
        table.write_text(
            "#include \"runtime/kernel_rows.h\"\n#include \"runtime/kernel_table.h\"\n"
            "namespace netkit {\n"
            f"constexpr auto kNamed = kernels_named({{{names}}});\n"
            "static_assert(is_sorted(kNamed.data(), kNamed.size()) && kNamed[0].id != 0);\n"
            "extern const KernelTable kMeasuredKernels;\n"
            "constexpr KernelTable kMeasuredKernels = {kNamed.data(), kNamed.size()};\n}\n")
        return [self.compile(file, "nk_file.o"), self.compile(table, "nk_table.o")]

    def run(self, parts: list[pathlib.Path], check: str, *more: str) -> tuple[int, int, int]:
        """Instructions, stack bytes and flash bytes without the .nk file."""
        arena, = struct.unpack_from("<I", self.nk, 28)
        main = self.compile(ROOT / "firmware/device/interpreter.cc", "interpreter.o",
                            f"-DNETKIT_ARENA_BYTES={arena}", f"-DNETKIT_MEASURE_CHECK={check}",
                            *more)
        elf = self.builder.link([main, *parts, *self.builder.device_objects(), self.library])
        text, data, bss = self.builder.berkeley_sizes(elf)
        built = image.Image(elf, self.builder.tool("addr2line"), text + data, data, bss, 0, 0, 0)
        outcome = emulator.run(self.board, built, emulator.Job(b"", 1, 3, False, True, 120))
        return min(outcome.instructions), outcome.stack_bytes, built.flash_bytes - len(self.nk)

    def context_bytes(self) -> int:
        symbols = command([self.builder.tool("nm"), "-S", self.work / "firmware.elf"], "nm")
        found = re.search(r"^\w+ (\w+) \w \S*8executorE$", symbols, re.M)
        return int(found[1], 16)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--board", default="mps2-an386")
    parser.add_argument("--netkit", default=str(ROOT / "build/netkit"))
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/firmware")
    try:
        args = parser.parse_args()
        measure = Measure(args)
        parts = measure.parts()
        loads = {name: measure.run(parts, check) for name, check in CHECKS.items()}
        run = measure.run(parts, CHECKS["none"], "-DNETKIT_MEASURE_RUN")
    except FirmwareError as error:
        print(f"netkit init: {error}", file=sys.stderr)
        return 2
    except FirmwareNo as answer:
        print(f"netkit init: {args.model}: {answer}", file=sys.stderr)
        return 1
    counts = ", ".join(f"{count} (check {name})" for name, (count, _, _) in loads.items())
    stack = max(loads["structure"][1], run[1])
    print(f"{measure.board.name}: {args.model.name}: load {counts}, run {run[0]} instructions "
          f"(QEMU); context {measure.context_bytes()} B, stack {stack} B, flash "
          f"{loads['structure'][2]} B beside the {len(measure.nk)} B of the .nk file")
    return 0


if __name__ == "__main__":
    sys.exit(main())
