# SPDX-License-Identifier: MIT
"""Holds the outputs of a target against the expected ones, byte for byte unless a tolerance for
floating-point outputs is given."""
import dataclasses
import math
import struct

from .errors import FirmwareError
from .interface import Interface, Port

FORMATS = {"int8_t": "b", "uint8_t": "B", "int16_t": "h", "uint16_t": "H", "int32_t": "i",
           "uint32_t": "I", "int64_t": "q", "uint64_t": "Q", "float": "f", "double": "d"}


@dataclasses.dataclass(frozen=True)
class Difference:
    case: int
    run: int  # of that case, from 0
    output: int
    index: int
    expected: float
    got: float

    def text(self) -> str:
        again = f" run {self.run}" if self.run else ""
        return (f"case {self.case}{again} output {self.output} index {self.index}: "
                f"expected {self.expected}, got {self.got}")


def count_cases(model: Interface, given: bytes, expected: bytes) -> int:
    """How many cases both files hold; they must agree."""
    if model.input_bytes == 0:
        cases = len(expected) // model.output_bytes
    else:
        cases, rest = divmod(len(given), model.input_bytes)
        if cases == 0 or rest != 0:
            raise FirmwareError(f"the input file has {len(given)} bytes, which is no multiple of "
                                f"the {model.input_bytes} bytes of a case")
    if len(expected) != cases * model.output_bytes:
        raise FirmwareError(f"the expected file has {len(expected)} bytes; {cases} cases of "
                            f"{model.output_bytes} bytes are {cases * model.output_bytes}")
    return cases


def _values(port: Port, data: bytes) -> tuple:
    return struct.unpack(f"<{port.elems}{FORMATS[port.type]}", data)


def _close(port: Port, expected: float, got: float, tolerance: float) -> bool:
    if port.type not in ("float", "double"):
        return expected == got
    if math.isnan(expected) or math.isnan(got):
        return math.isnan(expected) and math.isnan(got)
    return expected == got or abs(expected - got) <= tolerance * max(1.0, abs(expected))


def _first_in_port(port: Port, expected: bytes, got: bytes, tolerance: float):
    if expected == got:
        return None
    pairs = zip(_values(port, expected), _values(port, got))
    size = port.bytes // port.elems
    for index, (want, have) in enumerate(pairs):
        same = expected[index * size:][:size] == got[index * size:][:size]
        if not same and not (tolerance > 0 and _close(port, want, have, tolerance)):
            return index, want, have
    return None


def differences(model: Interface, expected: bytes, got: bytes, repeat: int,
                tolerance: float = 0.0) -> tuple[int, Difference | None]:
    """The number of runs that differ, and the first difference."""
    size, count, first = model.output_bytes, 0, None
    for run in range(len(got) // size):
        at, want_at = run * size, run // repeat * size
        found = None
        for output, port in enumerate(model.outputs):
            found = found or ((output, hit) if (hit := _first_in_port(
                port, expected[want_at:][:port.bytes], got[at:][:port.bytes], tolerance)) else None)
            at, want_at = at + port.bytes, want_at + port.bytes
        if found is not None:
            count += 1
            first = first or Difference(run // repeat, run % repeat, found[0], *found[1])
    return count, first
