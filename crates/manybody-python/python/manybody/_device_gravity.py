"""Gravity of bodies whose arrays are in the memory of a GPU."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from . import _native
from ._arrays import is_parts, number
from ._device import Call, Column, Place, View, ordinal_of, settings_on
from ._errors import InputError
from ._gravity import Forces

_VECTORS = "must be an array of float32 or float64 with shape (n, 3), or a tuple of three with shape (n,)"


class Vectors:
    """Positions or velocities: an array [n, 3], or a tuple of three arrays [n]."""

    def __init__(self, call: Call, value: Any, name: str) -> None:
        self.is_parts = is_parts(value)
        if self.is_parts:
            self.views = [call.view(part, f"{name}[{k}]") for k, part in enumerate(value)]
            for k, view in enumerate(self.views):
                if view.shape != self.views[0].shape or view.ndim != 1:
                    raise InputError(f"{name}[{k}]: {view.name}; {_VECTORS}")
            self.by_columns = False
        else:
            rows = call.view(value, name)
            if rows.ndim != 2 or rows.shape[1] != 3:
                raise InputError(f"{name}: {rows.name}; {_VECTORS}")
            self.views = [rows.last(k) for k in range(3)]
            # column by column, as Fortran's arrays
            self.by_columns = abs(rows.strides[0]) < abs(rows.strides[1])
        self.name = name

    @property
    def n(self) -> int:
        return self.views[0].shape[0]

    @property
    def single(self) -> bool:
        return all(view.dtype == np.float32 for view in self.views)

    def columns(self, n: int) -> list[Column]:
        if self.n != n:
            raise InputError(f"{self.name}: {self.n} vectors; must have {n} vectors, one for each body")
        return [view.column() for view in self.views]


class Made:
    """Arrays for vectors that are results, in the form of the positions."""

    def __init__(self, call: Call, n: int, kind: Any, like: Vectors) -> None:
        self.call, self.like = call, like
        if like.is_parts:
            made = [call.empty((n,), kind) for _ in range(3)]
            self.arrays, views = [array for array, _ in made], [view for _, view in made]
        else:
            array, view = call.empty((3, n) if like.by_columns else (n, 3), kind)
            self.arrays = [array]
            views = [view.at((k,)) if like.by_columns else view.last(k) for k in range(3)]
        self.places = [view.column() for view in views]

    def given(self) -> Any:
        arrays = [self.call.given(array) for array in self.arrays]
        if self.like.is_parts:
            return tuple(arrays)
        return arrays[0].T if self.like.by_columns else arrays[0]


def forces_on(
    place: Place, x: Any, m: Any, v: Any, eps: Any, G: Any, targets: Any, potential: bool, how: Any
) -> Forces:
    """Forces, computed by the GPU on which the arrays are and left there, as arrays of the package of these."""
    how = settings_on(place, how)
    call = Call(place)
    for name, value in (("x", x), ("m", m), ("v", v), ("eps", eps)):
        call.check(value, name)
    bodies = Vectors(call, x, "x")
    n, kind = bodies.n, np.dtype(np.float32 if bodies.single else np.float64)
    velocities = None if v is None else Vectors(call, v, "v").columns(n)
    mass, softening = _one_or_each(call, m, "m", n), _one_or_each(call, eps, "eps", n)
    if isinstance(softening, float) and not 0 <= softening < float("inf"):
        raise InputError(f"eps: {softening}; must be a finite softening length, 0 or more")
    from ._gravity import targets_of

    indices = None if targets is None else targets_of(targets, n)
    many = n if indices is None else len(indices)
    acceleration = Made(call, many, kind, bodies)
    pot, pot_view = call.empty((many,), kind) if potential else (None, None)
    jerk = Made(call, many, kind, bodies) if v is not None else None
    _native.forces_on_device(
        call.queue,
        n,
        bodies.columns(n),
        mass,
        velocities,
        softening,
        number(G, "G"),
        indices,
        bodies.single,
        how,
        acceleration.places,
        None if pot_view is None else pot_view.column(),
        None if jerk is None else jerk.places,
    )
    return Forces(acceleration.given(), None if pot is None else call.given(pot), None if jerk is None else jerk.given())


def _one_or_each(call: Call, value: Any, name: str, n: int) -> Union[float, Column]:
    """A number for all bodies, or a column with one for each."""
    found = call.number_or_view(value, name)
    if isinstance(found, float):
        return found
    if found.ndim == 0:
        return float(value)
    if found.shape != (n,):
        expected = f"must be a number, or an array of float32 or float64 with shape ({n},)"
        raise InputError(f"{name}: {found.name}; {expected}")
    return found.column()
