# SPDX-License-Identifier: MIT
"""What an emitted header NAME.h says, and the glue between it and firmware/device/model.h."""
import dataclasses
import pathlib
import re

from .errors import FirmwareError

TYPE_BYTES = {"int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4,
              "int64_t": 8, "uint64_t": 8, "float": 4, "double": 8}
GUARD_BYTES = 64


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or output: C type and number of elements."""
    type: str
    elems: int

    @property
    def bytes(self) -> int:
        return TYPE_BYTES[self.type] * self.elems


@dataclasses.dataclass(frozen=True)
class Interface:
    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    arena_bytes: int
    arena_alignment: int
    weight_bytes: int
    has_places: bool  # NAME_input0() and friends: inputs and outputs stand in the arena
    has_reset: bool

    @property
    def input_bytes(self) -> int:
        return sum(port.bytes for port in self.inputs)

    @property
    def output_bytes(self) -> int:
        return sum(port.bytes for port in self.outputs)


def parse(name: str, text: str) -> Interface:
    """Reads the text of NAME.h as `netkit emit` writes it."""
    upper = name.upper()
    code = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    constants = dict(re.findall(rf"#define {re.escape(upper)}_(\w+) \(?(-?\d+)\)?\s", code))

    def constant(suffix: str) -> int:
        if suffix not in constants:
            raise FirmwareError(f"{name}.h: no {upper}_{suffix}: was it made by netkit emit?")
        return int(constants[suffix])

    run = re.search(rf"\bint {re.escape(name)}_run\(([^)]*)\);", code)
    if run is None:
        raise FirmwareError(f"{name}.h: no {name}_run: was it made by netkit emit?")
    ports: dict[str, list[Port]] = {"in": [], "out": []}
    for argument in filter(None, (word.strip() for word in run[1].split(","))):
        match = re.fullmatch(r"(?:const )?(\w+)\s*\*\s*(in|out)(\d+)", argument)
        if match is None or match[1] not in TYPE_BYTES:
            raise FirmwareError(f"{name}.h: cannot read the argument '{argument}' of {name}_run")
        way = {"in": "INPUT", "out": "OUTPUT"}[match[2]]
        ports[match[2]].append(Port(match[1], constant(f"{way}{match[3]}_ELEMS")))
    if not ports["out"]:
        raise FirmwareError(f"{name}.h: {name}_run has no outputs")
    return Interface(name, tuple(ports["in"]), tuple(ports["out"]), constant("ARENA_BYTES"),
                     constant("ARENA_ALIGNMENT"), constant("WEIGHT_BYTES"),
                     re.search(rf"\b{re.escape(name)}_output0\(", code) is not None,
                     re.search(rf"\bvoid {re.escape(name)}_reset\(", code) is not None)


def load(folder: pathlib.Path, name: str) -> Interface:
    for suffix in (".h", ".c"):
        if not (folder / (name + suffix)).is_file():
            raise FirmwareError(f"{folder / (name + suffix)}: no such file; make it with "
                                f"netkit emit MODEL -o {folder} --name {name}")
    return parse(name, (folder / f"{name}.h").read_text())


def _places(model: Interface, way: str, ports: tuple[Port, ...], in_arena: bool) -> str:
    text = ""
    if not in_arena:
        for i, port in enumerate(ports):
            text += f"static {port.type} {way}{i}[{max(port.elems, 1)}];\n"
    text += f"size_t fw_model_{way}s(void) {{ return {len(ports)}; }}\n"
    text += f"fw_buffer fw_model_{way}(size_t i) {{\n  fw_buffer none = {{0, 0}};\n"
    for i, port in enumerate(ports):
        place = f"{model.name}_{way}{i}()" if in_arena else f"{way}{i}"
        text += (f"  if (i == {i}) {{\n    fw_buffer buffer = {{{place}, {port.bytes}}};\n"
                 "    return buffer;\n  }\n")
    return text + "  (void)i;\n  return none;\n}\n"


def _arena(model: Interface, external: bool, has_symbol: bool) -> str:
    name, total = model.name, model.arena_bytes + 2 * GUARD_BYTES
    none = "  fw_buffer none = {0, 0};\n  return none;\n"
    if external:
        return (
            f"static unsigned char guarded[{total}] __attribute__((aligned({GUARD_BYTES})));\n"
            f"void fw_model_init(void) {{ {name}_arena = guarded + {GUARD_BYTES}; }}\n"
            f"fw_buffer fw_model_arena(void) {{\n  fw_buffer arena = {{{name}_arena, "
            f"{model.arena_bytes}}};\n  return arena;\n}}\n"
            "fw_buffer fw_model_guarded(void) {\n  fw_buffer all = {guarded, sizeof guarded};\n"
            "  return all;\n}\n")
    arena = none
    declared = ""
    if has_symbol:
        declared = f"extern unsigned char {name}_arena[];\n"
        arena = (f"  fw_buffer arena = {{{name}_arena, {model.arena_bytes}}};\n"
                 "  return arena;\n")
    return (f"{declared}void fw_model_init(void) {{}}\n"
            f"fw_buffer fw_model_arena(void) {{\n{arena}}}\n"
            f"fw_buffer fw_model_guarded(void) {{\n{none}}}\n")


def glue(model: Interface, *, external: bool, caller_io: bool, has_symbol: bool) -> str:
    """The C source of the glue. `external`: the arena is ours, with guards around it. `has_symbol`:
    the emitted object's own arena can be named, so that it can be painted. `caller_io`: inputs and
    outputs in buffers of ours, which the model copies where it keeps them in its arena."""
    in_arena = model.has_places and not caller_io
    ways = (("input", model.inputs), ("output", model.outputs))
    pointers = "".join(f"  {'const ' if way == 'input' else ''}{port.type}* const {way}_{i} = "
                       f"{f'{model.name}_{way}{i}()' if in_arena else f'{way}{i}'};\n"
                       for way, ports in ways for i, port in enumerate(ports))
    arguments = ", ".join(f"{way}_{i}" for way, ports in ways for i in range(len(ports)))
    reset = f" {model.name}_reset(); " if model.has_reset else ""
    return (
        f"/* Made by firmware/runner/interface.py from {model.name}.h. */\n"
        f"#include \"model.h\"\n\n#include \"{model.name}.h\"\n"
        "#include \"cpu.h\"\n#include \"probe.h\"\n\n"
        + _arena(model, external, has_symbol)
        + "".join(_places(model, way, ports, in_arena) for way, ports in ways)
        + f"void fw_model_reset(void) {{{reset}}}\n"
        f"int fw_model_run(void) {{\n  int status;\n{pointers}  fw_stack_paint();\n"
        f"  cpu_mark_begin();\n  status = {model.name}_run({arguments});\n  cpu_mark_end();\n"
        "  return status;\n}\n")
