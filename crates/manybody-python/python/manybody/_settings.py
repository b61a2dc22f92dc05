"""The keywords that say how forces are computed."""

from __future__ import annotations

from typing import Any, Optional, TypedDict, Union

from . import _native
from ._errors import InputError


class ForceSettings(TypedDict, total=False):
    """Settings of forces, for editors and type checkers; the table of the library says which there are, and a test that these
    are the same. docs/settings.md describes them all. `None` means that a setting is not given."""

    solver: Optional[str]
    device: Optional[str]
    precision: Optional[str]
    sum: Optional[str]
    simd: Optional[str]
    rtol: Union[float, str, None]
    order: Optional[int]
    tolerance: Union[float, str, None]
    theta: Union[float, str, None]
    gpus: Union[int, str, None]


# a dictionary, which keeps the order
_OF_FORCES = {name: None for name, *_, of_forces in _native.settings_table() if of_forces}


def given(settings: Any, what: str = "forces") -> list[tuple[str, Any]]:
    """Those that are given; TypeError for other keywords."""
    for name in settings:
        if name not in _OF_FORCES:
            raise unknown(name, list(_OF_FORCES), what)
    return [(name, word(name, value)) for name, value in settings.items() if value is not None]


def word(name: str, value: Any) -> Any:
    """The value of a setting, as the library takes it."""
    if isinstance(value, type) or not (isinstance(value, (str, list, tuple)) or hasattr(value, "__float__")):
        raise InputError(f"{name}: {value!r}; must be a text or a number")
    return value


def unknown(name: str, known: list[str], what: Any) -> TypeError:
    """The error for a keyword that is not known."""
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    mean = f"; did you mean {near[0]}?" if near else ""
    return TypeError(f"unknown keyword {name!r} of {what!r}; known: {', '.join(known)}{mean}")
