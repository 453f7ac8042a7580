#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The microcontroller tables of docs/results.md: emits each model for a target, compiles it, runs
it on an emulated board, holds every output byte against the goldens, and prints instructions of one
inference, engine flash, arena and stack.

usage: bench/mcu_table.py [--board mps2-an386] [--target cortex-m4] [--shared ../shared]
                          [--netkit build/netkit] [--model NAME]... [--compiler gcc]
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# pylint: disable=wrong-import-position
from firmware.runner import boards, compare, emulator, image, interface, reference  # noqa: E402
from firmware.runner.errors import FirmwareError, FirmwareNo  # noqa: E402

# Instructions of one inference of TensorFlow Lite Micro 90b983c2 with CMSIS-NN 4ab83cc3, GCC 12.2,
# kernels at -O2, counted in the same emulator.
MODELS = {
    "mlperf_tiny/kws_ref_model.tflite": {"cortex-m4": 7697000, "cortex-m55": 1814000},
    "mlperf_tiny/ad01_int8.tflite": {"cortex-m4": 583000, "cortex-m55": 286000},
    "mlperf_tiny/str_ww_ref_model.tflite": {"cortex-m4": 2227000, "cortex-m55": 408000},
    "tflm/person_detect.tflite": {"cortex-m4": 22930000, "cortex-m55": 6508000},
    "mlperf_tiny/pretrainedResnet_quant.tflite": {"cortex-m4": 29860000, "cortex-m55": 4912000},
    "mlperf_tiny/vww_96_int8.tflite": {"cortex-m4": 24100000, "cortex-m55": 6558000},
}
CASES = 3


def goldens(shared: pathlib.Path, stem: str) -> tuple[bytes, bytes]:
    """Inputs and outputs of all cases, as TensorFlow Lite Micro's reference kernels gave them."""
    folder = shared / "goldens/tflm"
    try:
        parts = [[(folder / f"{stem}.{kind}{case}.bin").read_bytes() for case in range(CASES)]
                 for kind in ("in", "out")]
    except OSError as error:
        raise FirmwareError(f"{error.filename}: {error.strerror}") from None
    return b"".join(parts[0]), b"".join(parts[1])


def empty_image(model: interface.Interface, folder: pathlib.Path, to: pathlib.Path) -> None:
    """The model's interface around nothing: what is left of its image is the harness."""
    to.mkdir(parents=True, exist_ok=True)
    header = (folder / f"{model.name}.h").read_text()
    (to / f"{model.name}.h").write_text(header)
    code = re.sub(r"/\*.*?\*/|^#.*?$", " ", header, flags=re.S | re.M)
    text = [f'#include "{model.name}.h"',
            f"static unsigned char {model.name}_arena[{model.arena_bytes}];"]
    for result, name, given in re.findall(r"^(\w[\w* ]*?)(\w+)\(([^)]*)\);", code, re.M):
        unused = "".join(f"(void){argument.split()[-1].strip('*')}; "
                         for argument in given.split(",") if argument.strip() != "void")
        value = f"({result.strip()})(void*){model.name}_arena" if "*" in result else "0"
        body = f"return {value};" if result.strip() != "void" else ""
        text.append(f"{result.strip()} {name}({given}) {{ {unused}{body} }}")
    (to / f"{model.name}.c").write_text("\n".join(text) + "\n")


class Bench:
    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.board = boards.load(args.board)
        self.target = args.target or self.board.target
        self.work = args.work / f"bench-{self.board.name}-{self.target}-{args.compiler}"

    def build(self, model: interface.Interface, folder: pathlib.Path, optimise: str) -> image.Image:
        work = self.work / f"{folder.name}{optimise}"
        options = image.Options(self.args.compiler, optimise)
        return image.Builder(self.board, model, folder, work, options).build()

    def engine_bytes(self, model: interface.Interface, folder: pathlib.Path, full: int,
                     optimise: str) -> int:
        """Flash beside constants and harness: kernels, parameters, the calls, library parts."""
        empty = folder.with_name(f"{folder.name}-empty")
        empty_image(model, folder, empty)
        return full - model.weight_bytes - self.build(model, empty, optimise).flash_bytes

    def row(self, path: str) -> str:
        file = self.args.shared / "models" / path
        name = reference.c_name(file)
        folder = self.work / name
        reference.emit(self.args.netkit, file, folder, name, [f"--target={self.target}"])
        model = interface.load(folder, name)
        macs = int(re.search(r"\* +MACs +(\d+)", (folder / f"{name}.h").read_text())[1])
        given, expected = goldens(self.args.shared, file.stem)
        built = self.build(model, folder, "-O2")
        outcome = emulator.run(self.board, built, emulator.Job(given, CASES, 1, False, True, 300))
        differing, first = compare.differences(model, expected, outcome.output, 1)
        if len(outcome.output) != len(expected) or differing:
            raise FirmwareNo(f"{path}: differs: {first.text() if first else 'too few bytes'}")
        count = max(outcome.instructions)
        anchor = MODELS[path].get(self.target)
        ratio = f"{count / anchor:.3f}" if anchor else ""
        small = self.build(model, folder, "-Os").flash_bytes
        return (f"| {path} | {count} | {count / macs:.2f} | {ratio} | "
                f"{self.engine_bytes(model, folder, small, '-Os')} | "
                f"{self.engine_bytes(model, folder, built.flash_bytes, '-O2')} | "
                f"{model.weight_bytes} | {model.arena_bytes} | {outcome.stack_bytes} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--board", default="mps2-an386")
    add("--target", help="of netkit emit; default: the board's")
    add("--netkit", default=str(ROOT / "build/netkit"))
    add("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    add("--work", type=pathlib.Path, default=ROOT / "build/firmware")
    add("--compiler", default="gcc")
    add("--model", action="append", default=[], help="only models whose path holds this")
    args = parser.parse_args()
    chosen = [path for path in MODELS if not args.model or any(m in path for m in args.model)]
    try:
        bench = Bench(args)
        print(f"{bench.board.name}, target {bench.target}, {args.compiler}; kernels at -O2\n")
        print("| model | instructions | per MAC | of TFLM + CMSIS-NN | engine flash at -Os, B | "
              "at -O2, B | constants, B | arena, B | stack, B |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        for path in chosen:
            print(bench.row(path), flush=True)
    except (FirmwareError, FirmwareNo) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1 if isinstance(error, FirmwareNo) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
