#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a model that netkit emitted on an emulated board and compares every output byte.

  run_firmware.py mps2-an386 --model-dir DIR --name NAME --input IN.bin --expect OUT.bin
  run_firmware.py mps2-an386 --model MODEL.tflite     (emits it, expects what the desktop gives)

Files hold one case after another, little-endian, the inputs (outputs) of a case in the model's
order. Exit: 0 equal, 1 the answer is no, 2 wrong usage or a missing tool. See docs/firmware.md.
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# pylint: disable=wrong-import-position
from firmware.runner import boards, compare, emulator, image, interface, reference  # noqa: E402
from firmware.runner.errors import FirmwareError, FirmwareNo  # noqa: E402


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("board", help=f"one of {', '.join(boards.names())}, or a board file (.json)")
    add("--model", type=pathlib.Path, help="a model file that netkit reads")
    add("--netkit", default=str(ROOT / "build/netkit"), help="the program (default build/netkit)")
    add("--emit-option", action="append", default=[], help="passed on to netkit emit")
    add("--model-dir", type=pathlib.Path, help="the folder of NAME.h and NAME.c")
    add("--name", help="the name given to netkit emit")
    add("--input", type=pathlib.Path, help="the inputs of all cases")
    add("--expect", type=pathlib.Path, help="the expected outputs of all cases")
    add("--cases", type=int, help="only the first so many (with --model: 3 unless given)")
    add("--repeat", type=int, default=1, help="runs of each case")
    add("--keep-state", action="store_true", help="cases are one sequence of a stateful model")
    add("--tolerance", type=float, default=0.0,
        help="of floating-point outputs, absolute or relative; 0 (default): the same bits")
    add("--count", action="store_true", help="count instructions")
    add("--compiler", default="gcc", help="of the model: gcc (default) or clang-22")
    add("--opt", default="-O2", help="of the model, default -O2 (write --opt=-Os)")
    add("--arena", choices=("own", "external"), default="own",
        help="external: NETKIT_EXTERNAL_ARENA, with guards around it")
    add("--io", choices=("arena", "caller"), default="arena", help="whose input and output buffers")
    add("--work", type=pathlib.Path, default=ROOT / "build/firmware", help="folder for results")
    add("--timeout", type=int, default=120, help="seconds for the emulator (default 120)")
    add("--json", action="store_true", help="one object on standard output")
    return parser.parse_args()


def read(path: pathlib.Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FirmwareError(f"{path}: {error.strerror}") from None


def prepare(args: argparse.Namespace) -> tuple[interface.Interface, bytes, bytes]:
    """The model's interface, its inputs and the outputs that are expected; sets args.cases."""
    if args.repeat < 1 or args.cases is not None and args.cases < 1:
        raise FirmwareError("--repeat and --cases are 1 or more")
    if (args.input is None) != (args.expect is None):
        raise FirmwareError("--input and --expect go together")
    if args.model is not None:
        args.name = args.name or reference.c_name(args.model)
        args.model_dir = args.work / "emitted" / args.name
        reference.emit(args.netkit, args.model, args.model_dir, args.name, args.emit_option)
    elif args.model_dir is None or args.name is None or args.input is None:
        raise FirmwareError("give --model, or --model-dir, --name, --input and --expect")
    model = interface.load(args.model_dir, args.name)
    if args.input is None:
        cases = reference.random_cases(model, args.cases or 3)
        given = b"".join(data for inputs in cases for data in inputs)
        expected = reference.desktop_outputs(args.netkit, args.model, model, cases, args.model_dir)
    else:
        given, expected = read(args.input), read(args.expect)
    total = compare.count_cases(model, given, expected)
    args.cases = min(args.cases or total, total)
    return model, given, expected


def instructions_text(counts: tuple[int, ...]) -> str:
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return f", {low if low == high else f'{low} to {high}'} instructions (QEMU) per run"


def line(board: boards.Board, model: interface.Interface, result: dict) -> str:
    cases = result["cases"]
    verdict = f"{cases} case{'s' if cases > 1 else ''} equal"
    if result["repeat"] > 1:
        verdict += f" ({result['runs']} runs)"
    if result["first_difference"]:
        verdict = f"DIFFERS in {result['runs_that_differ']} of {result['runs']} runs, first " + \
            compare.Difference(**result["first_difference"]).text()
    return (f"{board.name}: {model.name}: {verdict}; flash {result['flash_bytes']} B (model object "
            f"{result['model_text_bytes']} B), .data {result['data_bytes']} B, .bss "
            f"{result['bss_bytes']} B, arena {model.arena_bytes} B (touched "
            f"{result['arena_touched_bytes']} B), stack {result['stack_bytes']} B"
            + instructions_text(tuple(result["instructions"])))


def measure(args: argparse.Namespace, board: boards.Board) -> tuple[interface.Interface, dict]:
    model, given, expected = prepare(args)
    options = image.Options(args.compiler, args.opt, args.arena == "external", args.io == "caller")
    work = args.work / board.name / "-".join((model.name, args.compiler, args.arena, args.io))
    built = image.Builder(board, model, args.model_dir, work, options).build()
    job = emulator.Job(given, args.cases, args.repeat, args.keep_state, args.count, args.timeout)
    outcome = emulator.run(board, built, job)
    if len(outcome.output) != outcome.runs * model.output_bytes:
        raise FirmwareNo(f"{len(outcome.output)} bytes of output after {outcome.runs} runs")
    differing, first = compare.differences(model, expected, outcome.output, args.repeat,
                                           args.tolerance)
    return model, {
        "format": "netkit-firmware/1", "board": board.name, "model": model.name,
        "compiler": args.compiler, "optimise": args.opt, "cases": args.cases,
        "repeat": args.repeat, "runs": outcome.runs, "equal": first is None,
        "runs_that_differ": differing, "first_difference": first and vars(first),
        "flash_bytes": built.flash_bytes, "data_bytes": built.data_bytes,
        "bss_bytes": built.bss_bytes,
        "model_text_bytes": built.model_text_bytes, "model_data_bytes": built.model_data_bytes,
        "model_bss_bytes": built.model_bss_bytes, "weight_bytes": model.weight_bytes,
        "arena_bytes": model.arena_bytes, "arena_touched_bytes": outcome.arena_touched_bytes,
        "stack_bytes": outcome.stack_bytes, "instructions": list(outcome.instructions)}


def main() -> int:
    args = arguments()
    try:
        board = boards.load(args.board)
        model, result = measure(args, board)
    except FirmwareError as error:
        print(f"netkit firmware: {error}", file=sys.stderr)
        return 2
    except FirmwareNo as answer:
        print(f"netkit firmware: {args.board}: {args.name}: {answer}", file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps(result))
    else:
        print(line(board, model, result))
    return 0 if result["equal"] else 1


if __name__ == "__main__":
    sys.exit(main())
