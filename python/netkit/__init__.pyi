# SPDX-License-Identifier: MIT
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Optional, TypedDict, Union

from numpy.typing import ArrayLike
from typing_extensions import NotRequired, Unpack

from ._error import Error as Error
from ._netkit import Model as Model
from ._netkit import Tensor as Tensor

__version__: str

Path = Union[str, bytes, PathLike[str], PathLike[bytes]]
Size = Union[int, str]
Shapes = Mapping[str, Sequence[int]]
# Per input a file, text as of the command line, or numbers.
Fixed = Mapping[str, Union[str, PathLike[str], ArrayLike]]
Order = Literal["best", "given"]
PlanClass = Literal["plain", "overlap"]

class CompileReport(TypedDict):
    file: str
    file_bytes: int
    arena_bytes: int
    lower_bound_bytes: int
    proven_minimal: bool
    plan_class: str
    tests: int
    warnings: list[str]
    quant: NotRequired[dict[str, Any]]  # netkit-quant/1, where the model was quantised

class EmitReport(TypedDict):
    name: str
    files: list[str]
    arena_bytes: int
    weight_bytes: int
    parameter_bytes: int
    macs: int
    proven_minimal: bool
    plan_class: str
    warnings: list[str]

class CaseFailure(TypedDict):
    case: str
    output: str
    element: int
    argmax: bool
    expected: float
    got: float

class TestReport(TypedDict):
    file: str
    passed: int
    failed: int
    failures: list[CaseFailure]

class Plan:
    json: dict[str, Any]
    def __init__(self, text: str) -> None: ...
    @property
    def arena_bytes(self) -> int: ...
    @property
    def lower_bound_bytes(self) -> int: ...
    @property
    def proven_minimal(self) -> bool: ...
    @property
    def plan_class(self) -> str: ...
    @property
    def order(self) -> list[str]: ...
    @property
    def steps(self) -> list[dict[str, Any]]: ...
    @property
    def buffers(self) -> list[dict[str, Any]]: ...

# What every verb with a model takes; those from int8 on are the quantiser's (docs/quantiser.md).
class ModelOptions(TypedDict, total=False):
    target: Optional[str]
    shapes: Optional[Shapes]
    fix: Optional[Fixed]
    order: Optional[Order]
    plan_class: Optional[PlanClass]
    time_limit: Optional[float]
    without: Optional[Iterable[str]]
    omit_final_softmax: bool
    int8: bool
    calibrate: Union[str, PathLike[str], None]
    samples: Optional[int]
    pixels: Optional[tuple[float, float]]
    range: Optional[Literal["min-max", "percentile", "mse", "entropy"]]
    percentile: Optional[float]
    keep_float: Optional[Iterable[str]]
    int16: Optional[Iterable[str]]
    auto_mixed: bool
    max_drop: Union[str, float, None]
    float_io: bool
    no_equalise: bool
    no_bias_correction: bool

def load(path: Path, *, arena: Optional[Size] = None, **options: Unpack[ModelOptions]) -> Model: ...
def plan(path: Path, *, ram: Optional[Size] = None, **options: Unpack[ModelOptions]) -> Plan: ...
def compile(path: Path, output: Union[str, PathLike[str], None] = None, *,
            arena: Optional[Size] = None, **options: Unpack[ModelOptions]) -> CompileReport: ...
convert = compile
def quantise(path: Path, samples: Union[str, PathLike[str], ArrayLike],
             output: Union[str, PathLike[str], None] = None, *, arena: Optional[Size] = None,
             **options: Unpack[ModelOptions]) -> CompileReport: ...
def emit(path: Path, folder: Path, *, name: Optional[str] = None,
         language: Literal["c", "cpp"] = "c", io: Literal["arena", "caller"] = "arena",
         lib: bool = False, lower: bool = True, strict_lower: bool = False,
         specialize: bool = False, arena: Optional[Size] = None,
         **options: Unpack[ModelOptions]) -> EmitReport: ...
aot = emit
def inspect(path: Path, **options: Unpack[ModelOptions]) -> dict[str, Any]: ...
def test(path: Path, *, arena: Optional[Size] = None) -> TestReport: ...
