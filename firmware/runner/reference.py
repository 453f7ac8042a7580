# SPDX-License-Identifier: MIT
"""From a model file to what the target needs: the emitted C, pseudo-random inputs, and the outputs
of the same model on the desktop (`netkit emit`, `netkit run`)."""
import pathlib
import re
import struct
import subprocess

from .compare import FORMATS
from .errors import FirmwareError
from .interface import Interface, Port


def _netkit(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise FirmwareError(f"{command[0]}: {error.strerror}; build it with: make lib") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        raise FirmwareError(f"{' '.join(command[:2])}: {lines[0]}")


def c_name(model: pathlib.Path) -> str:
    """A C identifier from the name of a model file."""
    name = re.sub(r"\W", "_", model.stem, flags=re.A)[:60] or "model"
    return f"m{name}" if name[0].isdigit() else name


def emit(netkit: str, model: pathlib.Path, folder: pathlib.Path, name: str,
         options: list[str]) -> None:
    if not model.is_file():
        raise FirmwareError(f"{model}: no such file")
    folder.mkdir(parents=True, exist_ok=True)
    _netkit([netkit, "emit", str(model), "-o", str(folder), "--name", name, *options])


class Xorshift32:
    """Marsaglia, "Xorshift RNGs", 2003: the triple 13, 17, 5."""

    def __init__(self, seed: int):
        self.state = seed & 0xffffffff or 1

    def next(self) -> int:
        s = self.state
        s ^= s << 13 & 0xffffffff
        s ^= s >> 17
        s ^= s << 5 & 0xffffffff
        self.state = s
        return s


def random_values(port: Port, random: Xorshift32) -> bytes:
    """Integers over their type's whole range (32 bits at most), floats in [0, 1)."""
    form = FORMATS[port.type]
    if form in "fd":
        return struct.pack(f"<{port.elems}{form}",
                           *((random.next() >> 8) / 2**24 for _ in range(port.elems)))
    size = port.bytes // max(port.elems, 1)
    top = max(0, 32 - 8 * size)
    return b"".join((random.next() >> top).to_bytes(size, "little") for _ in range(port.elems))


def random_cases(model: Interface, cases: int, seed: int = 0x12345678) -> list[list[bytes]]:
    """For each case the bytes of each input; the same on every machine."""
    result = []
    for case in range(cases):
        random = Xorshift32(seed + case * 0x9E3779B9)
        result.append([random_values(port, random) for port in model.inputs])
    return result


def desktop_outputs(netkit: str, path: pathlib.Path, model: Interface,
                    cases: list[list[bytes]], folder: pathlib.Path) -> bytes:
    """The concatenated outputs of all cases, one process each, so that no state is carried over."""
    folder.mkdir(parents=True, exist_ok=True)
    result = b""
    for inputs in cases:
        command = [netkit, "run", str(path)]
        for i, data in enumerate(inputs):
            (folder / f"in{i}.bin").write_bytes(data)
            command += ["--input", str(folder / f"in{i}.bin")]
        outputs = [folder / f"out{i}.bin" for i in range(len(model.outputs))]
        for output in outputs:
            output.unlink(missing_ok=True)
            command += ["--output", str(output)]
        _netkit(command)
        for output, port in zip(outputs, model.outputs):
            data = output.read_bytes()
            if len(data) != port.bytes:
                raise FirmwareError(f"netkit run wrote {len(data)} bytes to {output.name}, the "
                                    f"emitted header says {port.bytes}")
            result += data
    return result
