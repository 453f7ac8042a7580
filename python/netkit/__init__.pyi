# SPDX-License-Identifier: MIT
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Optional, TypedDict, Union

from numpy.typing import ArrayLike

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

def load(path: Path, *, target: Optional[str] = None, shapes: Optional[Shapes] = None,
         fix: Optional[Fixed] = None,
         order: Optional[Order] = None, plan_class: Optional[PlanClass] = None,
         time_limit: Optional[float] = None, without: Optional[Iterable[str]] = None,
         omit_final_softmax: bool = False, arena: Optional[Size] = None) -> Model: ...
def plan(path: Path, *, target: Optional[str] = None, shapes: Optional[Shapes] = None,
         fix: Optional[Fixed] = None,
         order: Optional[Order] = None, plan_class: Optional[PlanClass] = None,
         time_limit: Optional[float] = None, without: Optional[Iterable[str]] = None,
         omit_final_softmax: bool = False, ram: Optional[Size] = None) -> Plan: ...
def compile(path: Path, output: Union[str, PathLike[str], None] = None, *,
            target: Optional[str] = None, shapes: Optional[Shapes] = None,
            fix: Optional[Fixed] = None,
            order: Optional[Order] = None, plan_class: Optional[PlanClass] = None,
            time_limit: Optional[float] = None, without: Optional[Iterable[str]] = None,
            omit_final_softmax: bool = False,
            arena: Optional[Size] = None) -> CompileReport: ...
convert = compile
def emit(path: Path, folder: Path, *, name: Optional[str] = None,
         language: Literal["c", "cpp"] = "c", io: Literal["arena", "caller"] = "arena",
         lib: bool = False, lower: bool = True, strict_lower: bool = False,
         specialize: bool = False, target: Optional[str] = None,
         shapes: Optional[Shapes] = None,
         fix: Optional[Fixed] = None, order: Optional[Order] = None,
         plan_class: Optional[PlanClass] = None, time_limit: Optional[float] = None,
         without: Optional[Iterable[str]] = None, omit_final_softmax: bool = False,
         arena: Optional[Size] = None) -> EmitReport: ...
aot = emit
def inspect(path: Path, *, target: Optional[str] = None, shapes: Optional[Shapes] = None,
            fix: Optional[Fixed] = None,
            order: Optional[Order] = None, plan_class: Optional[PlanClass] = None,
            time_limit: Optional[float] = None, without: Optional[Iterable[str]] = None,
            omit_final_softmax: bool = False) -> dict[str, Any]: ...
def test(path: Path, *, arena: Optional[Size] = None) -> TestReport: ...
