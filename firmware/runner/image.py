# SPDX-License-Identifier: MIT
"""Builds an emitted model, the harness and a board's memory map into one image, and checks what
the model's object needs: nothing of the C library but mem* and mathematics."""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import zlib

from . import interface
from .boards import Board
from .errors import FirmwareError, FirmwareNo

DEVICE = pathlib.Path(__file__).resolve().parent.parent / "device"
DEVICE_SOURCES = ("start.c", "host.c", "probe.c", "harness.c")
C_FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-ffp-contract=off",
           "-ffunction-sections", "-fdata-sections", "-fomit-frame-pointer",
           "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-DNDEBUG")
# What standard C's <math.h> offers and a kernel may call; with or without the f of float.
MATH = re.compile(r"(a?(sin|cos|tan)h?|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|sqrt|cbrt|"
                  r"hypot|erf|erfc|fabs|fmin|fmax|fmod|floor|ceil|trunc|round|nearbyint|rint|"
                  r"lround|lrint|ldexp|frexp|scalbn|copysign|fma)f?")
MEMORY = re.compile(r"mem(cpy|move|set|cmp)|__aeabi_mem(cpy|move|set|clr)[48]?")
NOT_HELPERS = re.compile(r"__emutls|_Unwind|__cxa|__gxx|__sync|__atomic")


@dataclasses.dataclass(frozen=True)
class Toolchain:
    prefix: str
    start: str  # the start-up file
    entry: str
    packages: str


TOOLCHAINS = {
    "arm": Toolchain("arm-none-eabi-", "start_arm.c", "fw_start",
                     "gcc-arm-none-eabi picolibc-arm-none-eabi"),
    "riscv": Toolchain("riscv64-unknown-elf-", "start_riscv.c", "fw_enter",
                       "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf"),
}


@dataclasses.dataclass(frozen=True)
class Options:
    compiler: str = "gcc"  # or the name of a clang, for the model's own source
    optimise: str = "-O2"  # of the model; the harness is always -Os
    external_arena: bool = False
    caller_io: bool = False


@dataclasses.dataclass(frozen=True)
class Image:
    elf: pathlib.Path
    addr2line: str
    flash_bytes: int  # .text and the start values of .data
    data_bytes: int
    bss_bytes: int
    model_text_bytes: int  # of the emitted source alone: code, weights, parameters
    model_data_bytes: int
    model_bss_bytes: int


def find_tool(name: str, packages: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise FirmwareError(f"{name} is not installed: apt-get install {packages}")
    return path


def _run(command: list[str], what: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    lines = (done.stderr or done.stdout).splitlines() or ["no message"]
    first = next((line for line in lines if "error" in line.lower()), lines[-1])
    raise FirmwareError(f"{what}: {first.strip()}")


class Builder:
    def __init__(self, board: Board, model: interface.Interface, model_dir: pathlib.Path,
                 work: pathlib.Path, options: Options):
        if board.toolchain not in TOOLCHAINS:
            raise FirmwareError(f"board {board.name}: toolchain '{board.toolchain}' is none of "
                                f"{', '.join(TOOLCHAINS)}")
        self.board, self.model, self.model_dir = board, model, model_dir
        self.work, self.options = work, options
        self.chain = TOOLCHAINS[board.toolchain]
        self.gcc = self.tool("gcc")
        specs = self.ask_gcc("-print-file-name=picolibc.specs")
        if not pathlib.Path(specs).is_absolute():
            raise FirmwareError(f"picolibc is not installed: apt-get install {self.chain.packages}")

    def tool(self, name: str) -> str:
        return find_tool(self.chain.prefix + name, self.chain.packages)

    def ask_gcc(self, question: str) -> str:
        return _run([self.gcc, *self.board.flags, question], "gcc").strip()

    def build(self) -> Image:
        self.work.mkdir(parents=True, exist_ok=True)
        model_object = self.compile_model()
        sizes = self.check_model_object(model_object)
        has_symbol = self.open_arena(model_object)
        glue = self.work / "model.c"
        glue.write_text(interface.glue(
            self.model, external=self.options.external_arena, caller_io=self.options.caller_io,
            has_symbol=has_symbol))
        external = ["-DNETKIT_EXTERNAL_ARENA"] if self.options.external_arena else []
        glue_object = self.work / "model.device.o"
        self.compile_device(glue, glue_object, [f"-I{self.model_dir}", *external])
        elf = self.link([model_object, glue_object, *self.device_objects()])
        text, data, bss = self.berkeley_sizes(elf)
        return Image(elf, self.tool("addr2line"), text + data, data, bss, *sizes)

    def compile_model(self) -> pathlib.Path:
        source = self.model_dir / f"{self.model.name}.c"
        target = self.work / f"{self.model.name}.o"
        command = [self.gcc, "--specs=picolibc.specs"]
        if self.options.compiler != "gcc":
            clang = find_tool(self.options.compiler, self.options.compiler)
            include = f"/usr/lib/picolibc/{self.chain.prefix.rstrip('-')}/include"
            command = [clang, f"--target={self.board.clang_target}", "-nostdlibinc", "-isystem",
                       include]
        if self.options.external_arena:
            command.append("-DNETKIT_EXTERNAL_ARENA")
        _run([*command, *self.board.flags, *C_FLAGS, self.options.optimise, "-c", str(source),
              "-o", str(target)], f"compiling {source}")
        return target

    def compile_device(self, source: pathlib.Path, target: pathlib.Path,
                       more: list[str]) -> None:
        partial = target.with_name(f"{target.name}.{os.getpid()}")
        _run([self.gcc, "--specs=picolibc.specs", *self.board.flags, *C_FLAGS, "-Os",
              f"-I{DEVICE}", *more, "-c", str(source), "-o", str(partial)], f"compiling {source}")
        os.replace(partial, target)

    def device_objects(self) -> list[pathlib.Path]:
        """The same for every model: compiled once for the flags of a board, and again when a
        source has changed."""
        key = zlib.crc32(" ".join((*self.board.flags, *C_FLAGS)).encode())
        folder = self.work.parent / f"device-{key:08x}"
        folder.mkdir(exist_ok=True)
        newest = max(file.stat().st_mtime for file in DEVICE.iterdir())
        objects = []
        for name in (*DEVICE_SOURCES, self.chain.start):
            target = folder / f"{pathlib.Path(name).stem}.o"
            if not target.is_file() or target.stat().st_mtime < newest:
                self.compile_device(DEVICE / name, target, [])
            objects.append(target)
        return objects

    def link(self, objects: list[pathlib.Path]) -> pathlib.Path:
        code, ram = self.board.region("code"), self.board.region("ram")
        values = {"ENTRY": self.chain.entry, "CODE_ORIGIN": hex(code.origin),
                  "CODE_BYTES": str(code.bytes), "RAM_ORIGIN": hex(ram.origin),
                  "RAM_BYTES": str(ram.bytes), "STACK_BYTES": str(self.board.stack_bytes)}
        template = (DEVICE / "image.ld.in").read_text()
        script = self.work / "image.ld"
        script.write_text(re.sub(r"@(\w+)@", lambda match: values[match[1]], template))
        elf = self.work / "firmware.elf"
        command = [self.gcc, "--specs=picolibc.specs", *self.board.flags, "-nostartfiles", "-T",
                   str(script), f"-Wl,-Map={self.work / 'firmware.map'}", "-Wl,--gc-sections",
                   "-Wl,--no-warn-rwx-segments", *map(str, objects), "-o", str(elf)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.explain_link(done.stderr)
        return elf

    def explain_link(self, messages: str) -> None:
        over = re.search(r"region `?(\w+)'? overflowed by (\d+) bytes", messages)
        if over is None:
            lines = [line for line in messages.splitlines() if line.strip()] or ["no message"]
            raise FirmwareError(f"linking for {self.board.name}: "
                                f"{lines[0].rpartition('/ld: ')[2]}")
        region = self.board.region(over[1].lower())
        stack = f", {self.board.stack_bytes} of them kept for the stack" if over[1] == "RAM" else ""
        raise FirmwareNo(f"does not fit: {over[2]} bytes more than the {region.bytes} bytes of "
                         f"{region.name}{stack} (arena {self.model.arena_bytes} bytes, weights "
                         f"{self.model.weight_bytes} bytes)")

    def berkeley_sizes(self, file: pathlib.Path) -> tuple[int, int, int]:
        line = _run([self.tool("size"), str(file)], "size").splitlines()[1]
        text, data, bss = (int(word) for word in line.split()[:3])
        return text, data, bss

    def compiler_helpers(self) -> set[str]:
        library = self.ask_gcc("-print-libgcc-file-name")
        listed = _run([self.tool("nm"), "--defined-only", library], "nm")
        return set(re.findall(r" [TWVDRB] (\w+)", listed))

    def check_model_object(self, file: pathlib.Path) -> tuple[int, int, int]:
        undefined = re.findall(r" U (\w+)", _run([self.tool("nm"), "-u", str(file)], "nm"))
        bad = [name for name in undefined
               if not MEMORY.fullmatch(name) and not MATH.fullmatch(name)]
        if bad:  # asked only then: libgcc's list is long
            helpers = self.compiler_helpers()
            bad = [name for name in bad if name not in helpers or NOT_HELPERS.match(name)]
        if bad:
            raise FirmwareNo(f"the emitted object calls {', '.join(sorted(bad))}: only mem*, "
                             "mathematics and compiler helpers are allowed")
        sections = _run([self.tool("size"), "-A", str(file)], "size")
        found = re.search(r"^\.(init_array|ctors|preinit_array)\S*\s+[1-9]", sections, re.M)
        if found:
            raise FirmwareNo(f"the emitted object has start-up code in .{found[1]}")
        return self.berkeley_sizes(file)

    def open_arena(self, file: pathlib.Path) -> bool:
        """Makes the emitted static arena visible to the harness, which paints it. The code stays
        as it was compiled. False: the object has no arena of its own."""
        symbol = f"{self.model.name}_arena"
        listed = _run([self.tool("nm"), "-S", str(file)], "nm")
        found = re.search(rf"^\w+ (\w+) b {re.escape(symbol)}$", listed, re.M)
        if self.options.external_arena or found is None:
            return False
        if int(found[1], 16) != self.model.arena_bytes:
            raise FirmwareNo(f"{symbol} has {int(found[1], 16)} bytes in the object, the plan says "
                             f"{self.model.arena_bytes}")
        _run([self.tool("objcopy"), f"--globalize-symbol={symbol}", str(file)], "objcopy")
        return True
