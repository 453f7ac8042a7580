# SPDX-License-Identifier: MIT
"""Board files (netkit-board/1): firmware/boards/NAME.json, or any such file by its path."""
import dataclasses
import json
import pathlib

from .errors import FirmwareError

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "boards"
FORMAT = "netkit-board/1"
FIELDS = {"format": str, "name": str, "title": str, "core": str, "target": str, "toolchain": str,
          "flags": list, "clang_target": str, "regions": list, "stack_bytes": int,
          "emulator": dict}
REGION_FIELDS = {"name": str, "kind": str, "origin": str, "bytes": int, "source": str}
EMULATOR_FIELDS = {"program": str, "options": list}
KINDS = ("code", "ram")
EMULATORS = ("qemu-system-arm", "qemu-system-riscv32", "qemu-system-riscv64")


@dataclasses.dataclass(frozen=True)
class Region:
    name: str
    kind: str
    origin: int
    bytes: int
    source: str

    @property
    def end(self) -> int:
        return self.origin + self.bytes


@dataclasses.dataclass(frozen=True)
class Board:
    name: str
    title: str
    core: str
    target: str
    toolchain: str
    flags: tuple[str, ...]
    clang_target: str
    regions: tuple[Region, ...]
    stack_bytes: int
    emulator: str
    emulator_options: tuple[str, ...]

    def region(self, kind: str) -> Region:
        """The first region of a kind: where the image's code (its data and stack) goes."""
        return next(region for region in self.regions if region.kind == kind)


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def _fields(where: str, value: object, wanted: dict[str, type]) -> dict:
    if not isinstance(value, dict):
        raise FirmwareError(f"{where}: not an object; see {FOLDER.name}/mps2-an386.json")
    for key, kind in wanted.items():
        if key not in value:
            raise FirmwareError(f"{where}: '{key}' is missing")
        if not isinstance(value[key], kind) or isinstance(value[key], bool):
            raise FirmwareError(f"{where}: '{key}' is not of type {kind.__name__}")
    for key in value:
        if key not in wanted:
            raise FirmwareError(f"{where}: unknown field '{key}'")
    return value


def _words(where: str, values: list) -> tuple[str, ...]:
    if not all(isinstance(value, str) for value in values):
        raise FirmwareError(f"{where}: every entry is a string")
    return tuple(values)


def _region(where: str, value: object) -> Region:
    fields = _fields(where, value, REGION_FIELDS)
    where = f"{where} '{fields['name']}'"
    if fields["kind"] not in KINDS:
        raise FirmwareError(f"{where}: kind '{fields['kind']}' is none of {', '.join(KINDS)}")
    try:
        origin = int(fields["origin"], 0)
    except ValueError:
        origin = -1
    if not 0 <= origin < 1 << 64:
        raise FirmwareError(f"{where}: origin '{fields['origin']}' is no address")
    if not 0 < fields["bytes"] < 1 << 48:
        raise FirmwareError(f"{where}: {fields['bytes']} bytes is no size")
    return Region(fields["name"], fields["kind"], origin, fields["bytes"], fields["source"])


def _check_overlap(where: str, regions: list[Region]) -> None:
    ordered = sorted(regions, key=lambda region: region.origin)
    for low, high in zip(ordered, ordered[1:]):
        if high.origin < low.end:
            raise FirmwareError(f"{where}: regions '{low.name}' and '{high.name}' overlap "
                                f"from {high.origin:#x} to {min(low.end, high.end):#x}")


def parse(where: str, text: str) -> Board:
    """A board from the text of its file; `where` names the file in errors."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise FirmwareError(f"{where}: not JSON: {error}") from None
    fields = _fields(where, value, FIELDS)
    if fields["format"] != FORMAT:
        raise FirmwareError(f"{where}: format '{fields['format']}' is not '{FORMAT}'")
    regions = [_region(f"{where}: region", region) for region in fields["regions"]]
    _check_overlap(where, regions)
    for kind in KINDS:
        if all(region.kind != kind for region in regions):
            raise FirmwareError(f"{where}: no region of kind '{kind}'")
    emulator = _fields(f"{where}: emulator", fields["emulator"], EMULATOR_FIELDS)
    if emulator["program"] not in EMULATORS:
        raise FirmwareError(f"{where}: emulator '{emulator['program']}' is none of "
                            f"{', '.join(EMULATORS)}")
    board = Board(fields["name"], fields["title"], fields["core"], fields["target"],
                  fields["toolchain"], _words(f"{where}: flags", fields["flags"]),
                  fields["clang_target"], tuple(regions), fields["stack_bytes"],
                  emulator["program"], _words(f"{where}: options", emulator["options"]))
    if not 256 <= board.stack_bytes < board.region("ram").bytes:
        raise FirmwareError(f"{where}: stack_bytes {board.stack_bytes} does not lie between 256 "
                            f"and the RAM's {board.region('ram').bytes} bytes")
    return board


def load(name: str) -> Board:
    """The board of that name, or of the file when `name` ends in .json."""
    own_file = name.endswith(".json")
    path = pathlib.Path(name) if own_file else FOLDER / f"{name}.json"
    if not path.is_file() or not own_file and name not in names():
        raise FirmwareError(f"unknown board '{name}'; known: {', '.join(names())}; "
                            "or the path of a board file (.json)")
    return parse(str(path) if own_file else path.name, path.read_text())
