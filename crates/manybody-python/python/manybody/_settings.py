"""The keywords that say how forces are computed."""

from __future__ import annotations

import operator
import os
from typing import Any, Mapping, Optional, Sequence, TypedDict, Union

import numpy as np

from . import _native
from ._errors import InputError


class ForceSettings(TypedDict, total=False):
    """Settings of forces, for editors and type checkers; the table of the library says which there are, and a test that these
    are the same. docs/settings.md describes them all. `None` means that a setting is not given."""

    softening: Optional[str]
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


class SimulationSettings(ForceSettings, total=False):
    """Settings of a run in the memory, as `ForceSettings`. Times and lengths are numbers, texts or quantities of astropy."""

    dt: Any
    t_end: Any
    eps: Any
    law: Union[str, os.PathLike[str], None]
    par: Union[str, Sequence[str], Mapping[str, Any], None]
    field: Union[str, Sequence[str], None]
    integrator: Optional[str]
    time_steps: Optional[str]
    eta: Union[float, str, None]
    eta_start: Union[float, str, None]
    dt_max: Any
    dt_min: Any
    iterations: Optional[int]
    pairs: Optional[str]
    perturbation: Union[float, str, None]
    collisions: Optional[str]
    radius: Any
    remove_escapers: Any
    title: Optional[str]
    audit: Union[float, str, None]
    audit_limit: Union[float, str, None]
    max_energy_error: Union[float, str, None]


class RunSettings(SimulationSettings, total=False):
    """Settings of a run with files, as `ForceSettings`."""

    file: Union[str, os.PathLike[str], None]
    ic: Optional[str]
    n: Optional[int]
    seed: Optional[int]
    columns: Optional[str]
    resume: Union[str, os.PathLike[str], None]
    initial_state: Optional[str]
    out: Union[str, os.PathLike[str], None]
    threads: Optional[int]
    ranks: Union[int, str, None]
    rank: Optional[int]
    at: Optional[str]
    overwrite: Optional[bool]
    snapshot_every: Any
    log: Any


#: All settings, and whether a run in the memory has each, and forces. A dictionary, which keeps the order.
TABLE = {name: (in_memory, of_forces) for name, _, _, _, in_memory, of_forces in _native.settings_table()}
_OF_FORCES = [name for name, (_, of_forces) in TABLE.items() if of_forces]


def given(settings: Any, what: str = "forces", arguments: tuple[str, ...] = ()) -> list[tuple[str, Any]]:
    """Those that are given; TypeError for other keywords, beside the arguments that a function has."""
    for name in settings:
        if name not in _OF_FORCES:
            raise unknown(name, [*arguments, *_OF_FORCES], what)
    return [(name, word(name, value)) for name, value in settings.items() if value is not None]


def word(name: str, value: Any) -> Any:
    """The value of a setting, as the library takes it."""
    if isinstance(value, np.generic):
        value = value.item()
    one_for_each = "; softenings of the bodies' own are Bodies(..., eps=...)" if name == "eps" else ""
    if getattr(value, "ndim", 0) and not isinstance(value, type):
        raise InputError(f"{name}: an array with shape {tuple(value.shape)}; must be one value{one_for_each}")
    if isinstance(value, (list, tuple)):
        if len(value) > _MOST and name != "par":
            raise InputError(f"{name}: {len(value)} values; must be one value{one_for_each}")
        return [word(name, one) for one in value]
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, type) or not hasattr(value, "__float__"):
        raise InputError(f"{name}: {value!r}; must be a text or a number")
    try:
        return operator.index(value)  # arrays and tensors of one whole number
    except (AttributeError, TypeError):
        return float(value)


#: Values that a setting may have, as fields and forces; more than these are an array of bodies.
_MOST = 16


def unknown(name: str, known: list[str], what: Any) -> TypeError:
    """The error for a keyword that is not known."""
    import difflib

    if name == "threads":
        mean = "; threads are those of the process: all cores, or RAYON_NUM_THREADS in its environment before it begins"
    elif name in TABLE:
        of_memory, of_forces = TABLE[name]
        mean = f"; it is a setting of {'forces and ' if of_forces else ''}{'Simulation' if of_memory else 'manybody.run'}"
    else:
        near = difflib.get_close_matches(name, known, 1)
        mean = f"; did you mean {near[0]}?" if near else ""
    return TypeError(f"unknown keyword {name!r} of {what!r}; known: {', '.join(known)}{mean}")
