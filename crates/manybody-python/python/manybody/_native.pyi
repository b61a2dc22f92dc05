"""The native half of manybody; the functions of the package complete its arguments."""

from typing import Any, Optional, final

import numpy as np
from numpy.typing import NDArray

_Units = tuple[str, float, tuple[float, float, float] | None]
_Words = list[tuple[str, Any]]
_Three = list[float]
_Happened = tuple[
    float, str, int, int | None, float, float | None, float | None, _Three, _Three, float, float
]
_Measured = tuple[float, float, float, float, _Three, _Three, _Three, float, _Three]

__all__ = [
    "Law",
    "Queue",
    "SharedArray",
    "Simulation",
    "Snapshot",
    "VERSION",
    "after_fork",
    "audit_forces",
    "collisions",
    "count_pairs",
    "devices",
    "distances",
    "drive",
    "evaluate_on_device",
    "forces",
    "forces_on_device",
    "initial_condition",
    "laws",
    "models",
    "ordinal_of",
    "quantity",
    "read",
    "run_command",
    "settings_table",
    "triples",
    "units",
]

VERSION: str

def after_fork() -> None: ...
def devices() -> list[dict[str, Any]]: ...
def run_command(arguments: list[str]) -> None: ...
def forces(
    x: Any,
    m: Any,
    v: Any,
    eps: Any,
    g: float,
    targets: list[int] | None,
    potential: bool,
    how: _Words,
) -> tuple[Any, NDArray[Any] | None, Any]: ...
def audit_forces(
    x: Any,
    m: Any,
    acceleration: Any,
    potential: Any,
    eps: Any,
    g: float,
    sample: int,
    limit: float | None,
    how: _Words,
) -> tuple[
    tuple[int, float, float, float, float, float, float | None, float | None], str | None
]: ...
def laws() -> list[tuple[str, str]]: ...

_Place = tuple[int, int, str]

@final
class Queue:
    def __new__(cls, index: int) -> Queue: ...
    @property
    def stream(self) -> int: ...
    def wait_for(self, stream: int) -> None: ...

@final
class SharedArray:
    @staticmethod
    def of_capsule(capsule: Any, argument: str) -> SharedArray: ...
    @staticmethod
    def empty(queue: Queue, shape: list[int], kind: str) -> SharedArray: ...
    @property
    def address(self) -> int: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def strides(self) -> list[int]: ...
    @property
    def kind(self) -> str: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

def ordinal_of(address: int) -> int | None: ...
def evaluate_on_device(
    queue: Queue,
    law: Law,
    i: list[float | _Place],
    j: list[float | _Place],
    parameters: list[float],
    lens: tuple[int, int],
    same: bool,
    single: bool,
    how: _Words,
    results: list[_Place],
) -> None: ...
def forces_on_device(
    queue: Queue,
    n: int,
    x: list[float | _Place],
    m: float | _Place,
    v: list[float | _Place] | None,
    eps: float | _Place,
    g: float,
    targets: list[int] | None,
    single: bool,
    how: _Words,
    acceleration: list[_Place],
    potential: _Place | None,
    jerk: list[_Place] | None,
) -> None: ...

@final
class Law:
    def __new__(cls, law: str) -> Law: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def latex(self) -> str: ...
    @property
    def cost(self) -> tuple[int, int]: ...
    @property
    def targets(self) -> list[tuple[str, int, str, list[str]]]: ...
    @property
    def sources(self) -> list[tuple[str, int, str, list[str]]]: ...
    @property
    def parameters(self) -> list[tuple[str, int, list[float | None]]]: ...
    @property
    def results(self) -> list[tuple[str, int, str, list[str]]]: ...
    @property
    def has_one_kind(self) -> bool: ...
    @property
    def excludes_self(self) -> bool: ...
    @property
    def reads(self) -> tuple[list[bool], list[bool]]: ...
    def gradient(self) -> tuple[Law, Law]: ...
    def evaluate(
        self,
        i: list[NDArray[np.float64]],
        j: list[NDArray[np.float64]],
        parameters: list[float],
        lens: tuple[int, int],
        same: bool,
        single: bool,
        how: _Words,
    ) -> list[NDArray[np.float64]]: ...

def distances(x: NDArray[Any]) -> NDArray[Any]: ...
def collisions(x: NDArray[Any], radii: Any) -> NDArray[np.uint32]: ...
def count_pairs(
    x: NDArray[Any],
    y: NDArray[Any] | None,
    edges: list[float],
    box_: list[float] | None,
    weights: Any,
    weights_y: Any,
) -> tuple[NDArray[np.uint64], NDArray[np.float64], float]: ...
def triples(
    x: NDArray[np.float64], nu: float, cutoff: float | None, box_: list[float] | None
) -> tuple[float, NDArray[np.float64]]: ...

@final
class Snapshot:
    def __new__(
        cls,
        m: Any,
        x: Any,
        v: Any,
        id: list[int] | None,
        eps: Any,
        kind: list[int] | None,
        columns: dict[str, NDArray[Any]],
        units: _Units,
        time: float,
        meta: dict[str, str],
    ) -> Snapshot: ...
    @property
    def m(self) -> NDArray[np.float64]: ...
    @property
    def x(self) -> NDArray[np.float64]: ...
    @property
    def v(self) -> NDArray[np.float64]: ...
    @property
    def id(self) -> NDArray[np.uint64]: ...
    @property
    def eps(self) -> NDArray[np.float64] | None: ...
    @property
    def kind(self) -> NDArray[np.uint8] | None: ...
    @property
    def columns(self) -> dict[str, NDArray[np.float64]]: ...
    @property
    def units(self) -> _Units: ...
    @property
    def time(self) -> float: ...
    @property
    def meta(self) -> dict[str, str]: ...
    @property
    def notes(self) -> list[str]: ...
    def to(self, units: _Units) -> Snapshot: ...
    def lagrangian_radii(self, fractions: list[float], center: list[float] | None) -> list[float]: ...
    def write(self, path: str, format: str | None, precision: str | None, columns: str | None) -> list[str]: ...

def read(path: str, format: str | None, columns: str | None, frame: int | None) -> Snapshot: ...
def models() -> list[tuple[str, str, int | None, list[tuple[str, str, str]]]]: ...
def initial_condition(name: str, n: int | None, seed: int, parameters: dict[str, str]) -> Snapshot: ...
def units(name: str) -> _Units: ...
def quantity(name: str, text: str, dimension: str, units: _Units) -> float: ...
def settings_table() -> list[tuple[str, str, str, str, bool, bool]]: ...
def drive(words: _Words, description: str | None, observer: Any) -> dict[str, Any]: ...

@final
class Simulation:
    def __new__(cls, start: Snapshot, words: _Words, extra: list[Any]) -> Simulation: ...
    @property
    def notes(self) -> list[str]: ...
    @staticmethod
    def resume(path: str, words: _Words, extra: list[Any]) -> Simulation: ...
    def set_end(self, t_end: float) -> None: ...
    def advance(self, until: float) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def step(self) -> int: ...
    @property
    def forces_name(self) -> str: ...
    @property
    def settings(self) -> list[tuple[str, str]]: ...
    def snapshot(self) -> Snapshot: ...
    @property
    def events(self) -> list[_Happened]: ...
    def measure(self) -> _Measured: ...
    def check(self, forces: bool, energy: bool) -> Optional[str]: ...
    @property
    def initial(self) -> _Measured: ...
    def save(self, path: str) -> list[str]: ...
