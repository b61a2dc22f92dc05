"""Laws on arrays in the memory of a GPU."""

from __future__ import annotations

from typing import Any, NamedTuple, Union

import numpy as np

from . import _native
from ._device import Call, Place, View, ordinal_of, settings_on
from ._errors import ComputationError, InputError
from ._law import Given, Law, Member, Results, Side


def on_device(law: Law, arrays: dict[str, Any], how: Any, place: Place) -> Results:
    """The results of a law, computed by the GPU on which its arrays are and left there, as arrays of their package."""
    return DeviceGiven(Call(place), law, arrays).evaluate(how)


class Columns(NamedTuple):
    """A member [..., n, w], or [..., 1, w] of what holds for all bodies: w columns [..., n]."""

    shape: tuple[int, ...]
    dtype: Any
    columns: tuple[Union[float, View], ...]


class DeviceSide(Side):
    """The bodies on one side; numbers that hold for all of them may be the host's."""

    def __init__(self, call: Call, side: str, members: list[Member], reads: list[bool]) -> None:
        super().__init__(side, members, reads)
        self.call = call

    def take(self, member: Member, name: str, value: Any, is_own: bool) -> None:
        """A member as columns, without a copy."""
        self.note(member, name, value)
        if type(value) is tuple and member.width > 1 and len(value) == member.width:
            columns = self._parts(value, name)
        elif ordinal_of(value) is None and _holds_for_all(value, member.width):
            columns = _numbers(np.asarray(value), member.width, name)
        else:
            columns = self._array(self.call.view(value, name), member.width, name)
        self.arrays[member.name] = columns
        self.shared &= not is_own

    def _parts(self, value: Any, name: str) -> Columns:
        parts = [self.call.number_or_view(part, f"{name}[{k}]") for k, part in enumerate(value)]
        types = [np.asarray(v).dtype if isinstance(p, float) else p.dtype for p, v in zip(parts, value)]
        try:
            shape = np.broadcast_shapes(*(part.shape for part in parts if isinstance(part, View)))
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
        columns = tuple(part if isinstance(part, float) else _ahead(part) for part in parts)
        return Columns((*(shape or (1,)), len(parts)), _computed(np.result_type(*types)), columns)

    @staticmethod
    def _array(view: View, width: int, name: str) -> Columns:
        if width == 1:
            view = _ahead(view)
            return Columns((*view.shape, 1), view.dtype, (view,))
        if view.ndim == 0:
            return Columns((1, width), view.dtype, (view.inserted(0),) * width)
        if view.shape[-1] != width:
            raise InputError(f"{name}: {view.name}; must have shape (n, {width})")
        view = view.inserted(0) if view.ndim == 1 else view
        return Columns(view.shape, view.dtype, tuple(view.last(k) for k in range(width)))

    def put(self, member: Member, array: Any) -> None:
        """Weights of a member, in the form of results."""
        self.arrays[member.name] = self._array(self.call.view(array, member.name), member.width, member.name)

    def columns(self, n: int, at: tuple[int, ...], batch: tuple[int, ...]) -> list[Any]:
        """One column a number: a number for all bodies, or where their numbers are."""
        columns: list[Any] = []
        for member in self.members:
            found = self.arrays.get(member.name)
            if found is None:
                columns += [0.0] * member.width
                continue
            for column in found.columns:
                is_view = isinstance(column, View)
                columns.append(column.broadcast((*batch, n)).at(at).column() if is_view else column)
        return columns


class DeviceGiven(Given):
    """The arguments of a law that a GPU computes."""

    def __init__(self, call: Call, law: Law, arrays: dict[str, Any]) -> None:
        self.call = call
        for name, value in arrays.items():
            # one axis may be the numbers of a member or of a parameter
            call.check(value, name, 1)
        super().__init__(law, arrays)

    def _side(self, side: str, members: list[Member], reads: list[bool]) -> Side:
        return DeviceSide(self.call, side, members, reads)

    def paired(self, of: Law) -> Given:
        # its sides are made by a method that reads the call
        other = super().paired(of)
        assert isinstance(other, DeviceGiven)
        other.call = self.call
        return other

    def numbers(self) -> list[float]:
        """The numbers of the parameters; those on a GPU come to the host."""
        for name, value in self.values.items():
            if ordinal_of(value) is not None:
                self.values[name] = value.tolist()
        return super().numbers()

    def evaluate(self, how: Any) -> Results:
        """The results by name, as arrays of the package on the GPU."""
        how, numbers = settings_on(self.call.place, how), self.numbers()
        made = {name: self.call.empty(shape, kind) for name, (shape, kind) in self.results().items()}
        views = {name: view for name, (_, view) in made.items()}
        try:
            for at in np.ndindex(*self.batch):
                self._evaluate(at, numbers, how, self._places(at, views))
        except (InputError, ComputationError) as error:
            raise type(error)(f"{error}{self._advice()}") from None
        return Results({name: self.call.given(array) for name, (array, _) in made.items()})

    def _evaluate(self, at: tuple[int, ...], numbers: list[float], how: Any, places: list[Any]) -> None:
        i = self.i.columns(self.lens[0], at, self.batch)
        j = i if self.same and self.law._has_one_kind else self.j.columns(self.lens[1], at, self.batch)
        law, queue = self.law._native, self.call.queue
        _native.evaluate_on_device(queue, law, i, j, numbers, self.lens, self.same, self.single, how, places)

    def _places(self, at: tuple[int, ...], views: dict[str, View]) -> list[Any]:
        """Where the columns of the results go, in the order of the library."""
        places = []
        for name, width, cell, _ in self.law._results:
            names = [name, f"{name}_id"] if cell in ("argmin", "argmax") else [name]
            for k in range(width):
                for one in names:
                    view = views[one].at(at)
                    places.append((view if width == 1 else view.last(k)).column())
        return places

    def _advice(self) -> str:
        if self.same or not self.law._native.excludes_self:
            return ""
        twice = [name for name, one in self.i.arrays.items() if one == self.j.arrays.get(name)]
        if not twice:
            return ""
        one = ", ".join(f"{name}={name}" for name in twice)
        return (
            f"; {twice[0]}_i and {twice[0]}_j are the same array, but two sets of bodies, so that each body acts on "
            f"itself: give one set, {one}, to which `self exclude` applies"
        )


def _ahead(view: View) -> View:
    """A number on a GPU as an array of one."""
    return view.inserted(0) if view.ndim == 0 else view


def _holds_for_all(value: Any, width: int) -> bool:
    """Whether this is a number of the host, or one for each of the numbers of a member."""
    shape = np.shape(value)
    return shape == () or (width > 1 and shape == (width,))


def _computed(kind: Any) -> Any:
    """The number type that numbers are computed in."""
    return np.dtype(np.float32 if kind in (np.float32, np.float16) else np.float64)


def _numbers(value: Any, width: int, name: str) -> Columns:
    if value.dtype.kind not in "iubf":
        raise InputError(f"{name}: an array of {value.dtype} with shape {value.shape}; must be numbers: float32 or float64")
    columns = np.broadcast_to(value, (width,)).astype(np.float64).tolist()
    return Columns((1, width), _computed(value.dtype), tuple(columns))
