"""The native half of manybody; the functions of the package complete its arguments."""

from typing import Any

from numpy.typing import NDArray

_How = tuple[str | None, str | None, str | None, str | None, str | None]

__all__ = ["VERSION", "after_fork", "devices", "forces", "run_command"]

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
