# SPDX-License-Identifier: MIT
"""Runs an image in QEMU with semihosting and reads what the harness reports."""
import dataclasses
import pathlib
import re
import subprocess

from .boards import Board
from .errors import FirmwareError, FirmwareNo
from .image import Image, find_tool

ICOUNT = pathlib.Path(__file__).resolve().parent.parent / "icount"
PACKAGES = {"qemu-system-arm": "qemu-system-arm", "qemu-system-riscv32": "qemu-system-misc",
            "qemu-system-riscv64": "qemu-system-misc"}


@dataclasses.dataclass(frozen=True)
class Job:
    input: bytes
    cases: int
    repeat: int
    keep_state: bool = False
    count: bool = False
    timeout_s: int = 120


@dataclasses.dataclass(frozen=True)
class Outcome:
    output: bytes
    runs: int
    stack_bytes: int
    arena_touched_bytes: int
    instructions: tuple[int, ...]  # one per run when they were counted


def counting_plugin(folder: pathlib.Path) -> pathlib.Path:
    """Builds firmware/icount when it is missing or older than its source."""
    library = folder / "libicount.so"
    sources = [ICOUNT / "icount.c", ICOUNT / "qemu_plugin.h"]
    if library.is_file() and all(library.stat().st_mtime >= source.stat().st_mtime
                                 for source in sources):
        return library
    compiler = find_tool("cc", "gcc")
    done = subprocess.run(
        [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared",
         "-fvisibility=hidden", str(sources[0]), "-o", str(library)],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FirmwareError(f"compiling {sources[0]}: {done.stderr.strip().splitlines()[0]}")
    return library


def _report(text: str) -> dict[str, str]:
    """The words of the last line that the harness wrote."""
    lines = [line for line in text.splitlines() if line.startswith("netkit-firmware ")]
    return dict(re.findall(r"(\w+)=(\S+)", lines[-1])) if lines else {}


def _explain(image: Image, report: dict[str, str], done: subprocess.CompletedProcess) -> str:
    if "fault_pc" in report:
        where = subprocess.run([image.addr2line, "-f", "-e", str(image.elf), report["fault_pc"]],
                               capture_output=True, text=True, check=False).stdout.split("\n")[0]
        return (f"the processor faulted in {where} at {report['fault_pc']}, "
                f"cause {report['fault_cause']}")
    if "error" in report:
        return report["error"].replace("_", " ")
    lines = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
    return f"the emulator ended with {done.returncode}: {lines[-1]}"


def _counts(file: pathlib.Path, runs: int) -> tuple[int, ...]:
    try:
        counts = tuple(int(line) for line in file.read_text().splitlines() if line.isdigit())
    except OSError:
        counts = ()
    if len(counts) != runs:
        raise FirmwareError(f"counting: {len(counts)} marked stretches for {runs} runs")
    return counts


def run(board: Board, image: Image, job: Job) -> Outcome:
    program = find_tool(board.emulator, PACKAGES[board.emulator])
    work = image.elf.parent
    (work / "input.bin").write_bytes(job.input)
    (work / "output.bin").unlink(missing_ok=True)
    (work / "icount.txt").unlink(missing_ok=True)
    words = ("firmware", "input.bin", "output.bin", job.cases, job.repeat, int(job.keep_state))
    command = [program, *board.emulator_options, "-nographic", "-monitor", "none", "-serial",
               "none", "-chardev", "stdio,id=console", "-semihosting-config",
               "enable=on,target=native,chardev=console," +
               ",".join(f"arg={word}" for word in words)]
    if job.count:
        plugin = counting_plugin(work.parent.parent).resolve()
        command += ["-plugin", f"{plugin},out=icount.txt"]
    command += ["-kernel", image.elf.name]
    try:
        done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=job.timeout_s, check=False)
    except subprocess.TimeoutExpired:
        raise FirmwareNo(f"no end after {job.timeout_s} s (--timeout)") from None
    report = _report(done.stdout + done.stderr)
    if done.returncode != 0 or "runs" not in report:
        raise FirmwareNo(_explain(image, report, done))
    runs = int(report["runs"])
    counts = _counts(work / "icount.txt", runs) if job.count else ()
    return Outcome((work / "output.bin").read_bytes(), runs, int(report["stack_bytes"]),
                   int(report["arena_touched_bytes"]), counts)
