"""The native half of manybody; the functions of the package complete its arguments."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

_How = tuple[str | None, str | None, str | None, str | None, str | None]

__all__ = [
    "Law",
    "VERSION",
    "after_fork",
    "collisions",
    "count_pairs",
    "devices",
    "distances",
    "forces",
    "laws",
    "run_command",
    "triples",
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
    how: _How,
) -> tuple[Any, NDArray[Any] | None, Any]: ...
def laws() -> list[tuple[str, str]]: ...
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
        how: _How,
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
