"""Laws between bodies, on arrays."""

from __future__ import annotations

import errno
import os
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import package, plain
from ._device import place_of
from ._errors import ComputationError, InputError
from ._settings import ForceSettings, given, unknown

_WHOLE = {"count"}
_OF_JAX = {"jax", "jaxlib"}


def _joined(value: Any) -> Any:
    """Columns of PyTorch or JAX that may have a gradient as one array; others as they are."""
    if type(value) is not tuple:
        return value
    packages = set(map(package, value))
    if "torch" in packages:
        from ._torch import joined

        return joined(value)
    if packages & _OF_JAX:
        from ._jax import joined

        return joined(value)
    return value


class Results(dict[str, Any]):
    """What a law makes of bodies: arrays by the names of its results, also as attributes.

    >>> import manybody
    >>> manybody.Results(pot=3.0).pot
    3.0
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no result {name!r}; there are: {', '.join(self)}") from None


class Member(NamedTuple):
    """A member of the bodies of a law."""

    #: Its name in the law: what arrays are given under.
    name: str
    #: How many numbers it has: 3 for a position.
    width: int
    #: "number", or "id" for whole numbers that are only compared.
    kind: str
    #: The columns of bodies that it is read from.
    columns: list[str]


class Law:
    """A law between bodies: by name (`manybody.laws()`), as text, or from a file with a text (docs/laws.md).

    Called with arrays by the names of its members and parameters, it returns its results by name: what all bodies do to
    each. With names that end in _i and _j, the bodies j act on the bodies i, as many as there are of each.

    - A member of one number is an array [n], one of w numbers an array [n, w] or a tuple of w arrays [n]. A number, or
      w of them, holds for all bodies.
    - Leading dimensions are computed one by one, and broadcast as NumPy's: x_i of [5, n, 3] and x_j of [m, 3] give
      results of [5, n].
    - Arrays of float32 alone are computed in f32, else in f64, whatever numbers stand beside them; `precision` chooses
      another one. Results have the number type of the arrays; counts and labels are int64.
    - `device`, `gpus` and `simd` are those of `accelerations`.
    - Arrays of PyTorch, CuPy, JAX and others in the memory of an NVIDIA GPU are read in place; that GPU computes, and results are
      arrays of the same package there: `law(x=torch.randn(1000, 3, device="cuda"), w=1.0).s` is a tensor [1000] on it.
    - `solver="fmm"` computes a law of the distance by fast multipoles, on the CPU, with the error `rtol` that 99 of 100 bodies
      stay below (1e-3 by default), relative to the result or to the median of all, where that is larger; it is checked at
      512 bodies (docs/laws.md says which laws fit).
    - A member that the results do not depend on need not be given; one that bodies of one side alone have needs no
      ending.

    Examples
    --------
    >>> import numpy as np
    >>> from manybody import Law
    >>> coulomb = Law("body x[3], q; d = j.x - i.x; sum p = j.q / norm(d); self exclude")
    >>> coulomb(x=np.array([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]), q=np.array([1.0, -2.0])).p
    array([-0.4,  0.2])
    >>> gaussian = Law("gaussian")
    >>> out = gaussian(x_i=np.zeros((1, 3)), x_j=np.eye(3), w_j=1.0, h=1.0)
    >>> sorted(out)
    ['s']
    """

    def __init__(self, law: Union[str, os.PathLike[str]]) -> None:
        word = law_word(law, "law")
        self._set(_native.Law(word))
        self._source = self.text if os.path.isfile(word) else word

    def _set(self, native: _native.Law) -> None:
        self._native = native
        self._targets = [Member(*member) for member in native.targets]
        self._sources = [Member(*member) for member in native.sources]
        self._parameters = native.parameters
        self._results = native.results
        self._reads = native.reads
        self._has_one_kind = native.has_one_kind
        self._gradient: Optional[tuple[Law, Law]] = None

    @classmethod
    def _of(cls, native: _native.Law) -> Law:
        law = cls.__new__(cls)
        law._set(native)
        law._source = law.text
        return law

    @property
    def name(self) -> str:
        """The name of the law; "law" if it was given no name."""
        return self._native.name

    @property
    def text(self) -> str:
        """The law as a text, which `Law` reads again."""
        return self._native.text

    @property
    def latex(self) -> str:
        """Its formulas in LaTeX."""
        return self._native.latex

    @property
    def targets(self) -> list[Member]:
        """The members of the bodies acted on."""
        return list(self._targets)

    @property
    def sources(self) -> list[Member]:
        """The members of the bodies that act."""
        return list(self._sources)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with their defaults; `None` for a parameter without a default."""
        return {name: defaults[0] if width == 1 else defaults for name, width, defaults in self._parameters}

    @property
    def results(self) -> dict[str, int]:
        """The results, each with how many numbers it has."""
        return {name: width for name, width, _, _ in self._results}

    @property
    def cost(self) -> tuple[int, int]:
        """Operations, and roots or functions, of a pair."""
        return self._native.cost

    def __repr__(self) -> str:
        return f"Law({self.name!r})" if self.name != "law" else f"Law({self.text!r})"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    def __reduce__(self) -> tuple[type[Law], tuple[str]]:
        return Law, (self._source,)

    def __call__(
        self,
        *,
        device: Optional[str] = None,
        precision: Optional[str] = None,
        simd: Optional[str] = None,
        gpus: Union[int, str, None] = None,
        solver: Optional[str] = None,
        rtol: Optional[float] = None,
        **arrays: Any,
    ) -> Results:
        # members of laws may have the names of other settings
        of_forces = ForceSettings(
            device=device, precision=precision, simd=simd, gpus=gpus, solver=solver, rtol=rtol
        )
        how = given(of_forces)
        arrays = {name: _joined(value) for name, value in arrays.items()}
        packages = {package(part) for value in arrays.values() for part in (value if type(value) is tuple else (value,))}
        if "torch" in packages:
            from ._torch import law_of_tensors

            return law_of_tensors(self, arrays, how)
        if packages & _OF_JAX:
            from ._jax import law_of_arrays

            return law_of_arrays(self, arrays, how)
        place = place_of(arrays)
        if place is not None:
            from ._device_law import on_device

            return on_device(self, arrays, how, place)
        return Given(self, arrays).evaluate(how)

    def gradient(self) -> tuple[Law, Law]:
        """The derivatives of the weighted sum L = sum_i g_i . r_i of the law's sums r, as two laws.

        The first gives dL/di for the bodies acted on, and dL/dp for the parameters, which must be summed over the
        bodies; it reads the weights as `g_NAME` of the bodies acted on. The second gives dL/dj for the bodies that act;
        there the bodies with weights act. The results are `d_NAME`.

        >>> import numpy as np
        >>> from manybody import Law
        >>> law = Law("body x; sum s = (j.x - i.x)^2")
        >>> by_i, by_j = law.gradient()
        >>> by_i(x_i=np.array([1.0]), g_s_i=np.array([1.0]), x_j=np.array([4.0])).d_x
        array([-6.])
        """
        if self._gradient is None:
            by_i, by_j = self._native.gradient()
            self._gradient = Law._of(by_i), Law._of(by_j)
        return self._gradient


#: The settings of a law that is called.
SETTINGS = ("device", "precision", "simd", "gpus", "solver", "rtol")


class Side:
    """The bodies on one side, as arrays by the names of members."""

    def __init__(self, side: str, members: list[Member], reads: list[bool]) -> None:
        self.side, self.members = side, members
        first = np.cumsum([0, *(member.width for member in members)])
        self.reads = {m.name: any(reads[a : a + m.width]) for m, a in zip(members, first)}
        self.arrays: dict[str, Any] = {}
        #: The arguments that gave the members, and the members given as numbers, whose type does not count.
        self.names: dict[str, str] = {}
        self.numbers: set[str] = set()
        self.shared = True

    def note(self, member: Member, name: str, value: Any) -> None:
        """Notes by which argument a member is given, and whether it is a number."""
        self.names[member.name] = name
        if type(value) in (int, float, bool) or (type(value) is tuple and {type(part) for part in value} <= {int, float}):
            self.numbers.add(member.name)

    def take(self, member: Member, name: str, value: Any, is_own: bool) -> None:
        """An array [..., n, w] of a member, or [..., 1, w] of what holds for all bodies."""
        self.note(member, name, value)
        if type(value) is tuple and member.width > 1 and len(value) == member.width:
            parts = [plain(part, f"{name}[{k}]") for k, part in enumerate(value)]
            array = np.moveaxis(np.stack(np.broadcast_arrays(*parts)), 0, -1)
            if array.ndim == 1:
                array = array[None]
        else:
            array = plain(value, name)
            if member.width == 1:
                array = array[..., None] if array.ndim else array.reshape(1, 1)
            elif array.ndim == 0:
                array = np.broadcast_to(array, (1, member.width))
            elif array.ndim == 1:
                array = array[None]
        if array.shape[-1] != member.width:
            width = f"(n, {member.width})"
            raise InputError(f"{name}: an array of {array.dtype} with shape {np.shape(value)}; must have shape {width}")
        self.arrays[member.name] = array
        self.shared &= not is_own

    def put(self, member: Member, array: Any) -> None:
        """Weights of a member [..., n] or [..., n, w], in the form of results."""
        self.arrays[member.name] = array if member.width > 1 else array[..., None]

    def count(self) -> tuple[Optional[int], Optional[str]]:
        """The number of bodies, and the member that gives it; `None` if no member does."""
        given = {self.names.get(name, name): array for name, array in self.arrays.items()}
        known = {name: array.shape[-2] for name, array in given.items() if array.shape[-2] != 1}
        ones = [name for name, array in given.items() if array.shape[-2] == 1]
        for name, n in known.items():
            first = next(iter(known))
            if n != known[first]:
                raise InputError(f"{name}: {n} bodies {self.side}; must be {known[first]}, as many as of {first}")
        if known:
            name = next(iter(known))
            # [n, 1] of a member of one number is n times one number for all bodies, and meant by some as n bodies
            for other, array in given.items():
                if array.shape[-2:] == (1, 1) and array.shape[:-2] == (known[name],) and given[name].ndim == 2:
                    n = known[name]
                    raise InputError(
                        f"{other}: an array with shape ({n}, 1), which is {n} batches of one number for all bodies; must "
                        f"be ({n},) for the {n} bodies of {name}, as {other}[:, 0] is, or ({n}, 1, 1) for batches"
                    )
            return known[name], name
        return (1, ones[0]) if ones else (None, None)

    def columns(self, n: int, at: tuple[int, ...], batch: tuple[int, ...]) -> list[Any]:
        """One contiguous column [n] of float64 a number."""
        columns: list[Any] = []
        for member in self.members:
            array = self.arrays.get(member.name)
            if array is None:
                columns += [np.zeros(n)] * member.width
                continue
            whole = np.broadcast_to(array, (*batch, n, member.width))[at]
            columns += [np.ascontiguousarray(whole[:, k], dtype=np.float64) for k in range(member.width)]
        return columns


class Given:
    """The arguments of a law, completed."""

    def __init__(self, law: Law, arrays: dict[str, Any]) -> None:
        self.law = law
        self.i = self._side("i", law._targets, law._reads[0])
        self.j = self._side("j", law._sources, law._reads[1])
        self.values: dict[str, Any] = {}
        for name, value in arrays.items():
            self._take(name, value)
        self._complete()

    def _side(self, side: str, members: list[Member], reads: list[bool]) -> Side:
        return Side(side, members, reads)

    def paired(self, of: Law) -> Given:
        """Another law of the same parameters, whose sides have no arrays yet."""
        other = object.__new__(type(self))
        other.law, other.values, other.same = of, dict(self.values), self.same
        other.i = self._side("i", of._targets, of._reads[0])
        other.j = self._side("j", of._sources, of._reads[1])
        other.lens, other.batch, other.single = self.lens, self.batch, self.single
        return other

    def _take(self, name: str, value: Any) -> None:
        targets, sources = ({m.name: m for m in side.members} for side in (self.i, self.j))
        if name in targets or name in sources:
            for side, members in ((self.i, targets), (self.j, sources)):
                if name in members:
                    side.take(members[name], name, value, False)
        elif name[-2:] == "_i" and name[:-2] in targets:
            # a member of one side alone does not make two sets of bodies
            self.i.take(targets[name[:-2]], name, value, name[:-2] in sources)
        elif name[-2:] == "_j" and name[:-2] in sources:
            self.j.take(sources[name[:-2]], name, value, name[:-2] in targets)
        elif name in {parameter for parameter, _, _ in self.law._parameters}:
            self.values[name] = value
        else:
            raise unknown(name, self._names(), self.law)

    def _names(self) -> list[str]:
        members = dict.fromkeys(m.name for side in (self.i, self.j) for m in side.members)
        both = [f"{m.name}_{side.side}" for side in (self.i, self.j) for m in side.members]
        return [*members, *both, *(name for name, _, _ in self.law._parameters), *SETTINGS]

    def _complete(self) -> None:
        self.same = self.i.shared and self.j.shared
        for side in (self.i, self.j):
            for member in side.members:
                if member.name not in side.arrays and side.reads[member.name]:
                    name = member.name if self.same else f"{member.name}_{side.side}"
                    raise TypeError(f"{name} is missing: {self.law!r} reads it")
        (ni, of_i), (nj, of_j) = self.i.count(), self.j.count()
        if self.same:
            if 1 in (ni, nj) or None in (ni, nj):
                ni = nj = max(ni or 0, nj or 0)
            if ni != nj:
                raise InputError(f"{of_j}: {nj} bodies; must be {ni}, as many as of {of_i}")
        if ni is None or nj is None:
            one, other = ("i", "j") if ni is None else ("j", "i")
            raise InputError(f"{one}: no array is given of these bodies; must be given as those of {other}")
        self.lens = (ni, nj)
        arrays = [*self.i.arrays.values(), *self.j.arrays.values()]
        try:
            self.batch = np.broadcast_shapes(*(array.shape[:-2] for array in arrays))
        except ValueError:
            shapes = {f"{n}_{s.side}": a.shape[:-2] for s in (self.i, self.j) for n, a in s.arrays.items()}
            raise InputError(f"leading dimensions of the arrays do not broadcast: {shapes}") from None
        typed = [
            array for side in (self.i, self.j) for name, array in side.arrays.items() if name not in side.numbers
        ]
        self.single = bool(typed) and all(array.dtype == np.float32 for array in typed)

    def numbers(self) -> list[float]:
        """The numbers of the parameters."""
        numbers: list[float] = []
        for name, width, defaults in self.law._parameters:
            if name not in self.values:
                if None in defaults:
                    raise TypeError(f"{name} is missing: {self.law!r} has no default for this parameter")
                numbers += [float(value) for value in defaults if value is not None]
                continue
            value = np.asarray(plain(self.values[name], name), dtype=np.float64)
            if value.shape not in ((), (1,), (width,)):
                raise InputError(f"{name}: an array with shape {value.shape}; must be a number, or {width} of them")
            numbers += np.broadcast_to(value, (width,)).tolist()
        return numbers

    def evaluate(self, how: Any) -> Results:
        """The results by name."""
        numbers = self.numbers()
        try:
            parts = [self._columns(at, numbers, how) for at in np.ndindex(*self.batch)]
        except (InputError, ComputationError) as error:
            raise type(error)(f"{error}{self._advice()}") from None
        columns = [np.stack(part).reshape(*self.batch, self.lens[0]) for part in zip(*parts)]
        if not parts:
            columns = [np.zeros((*self.batch, self.lens[0]))] * len(self._shapes())
        return self._named(columns)

    def _advice(self) -> str:
        """What to do where the same bodies are given twice, as two sets: then each acts on itself, too."""
        if self.same or not self.law._native.excludes_self:
            return ""
        of_j = self.j.arrays
        twice = [name for name, array in self.i.arrays.items() if name in of_j and np.array_equal(array, of_j[name])]
        if not twice:
            return ""
        one = ", ".join(f"{name}={name}" for name in twice)
        return (
            f"; {twice[0]}_i and {twice[0]}_j are the same numbers, but two sets of bodies, so that each body acts on "
            f"itself: give one set, {one}, to which `self exclude` applies"
        )

    def results(self) -> dict[str, tuple[tuple[int, ...], Any]]:
        """The shapes and number types of the results."""
        number, found = np.float32 if self.single else np.float64, {}
        for name, width, cell, _ in self.law._results:
            shape = (*self.batch, self.lens[0]) if width == 1 else (*self.batch, self.lens[0], width)
            found[name] = (shape, np.int64 if cell in _WHOLE else number)
            if cell in ("argmin", "argmax"):
                found[f"{name}_id"] = (shape, np.int64)
        return found

    def _columns(self, at: tuple[int, ...], numbers: list[float], how: Any) -> list[npt.NDArray[np.float64]]:
        i = self.i.columns(self.lens[0], at, self.batch)
        j = i if self.same and self.law._has_one_kind else self.j.columns(self.lens[1], at, self.batch)
        return self.law._native.evaluate(i, j, numbers, self.lens, self.same, self.single, how)

    def _shapes(self) -> list[tuple[str, int]]:
        shapes = []
        for name, width, cell, _ in self.law._results:
            two = cell in ("argmin", "argmax")
            shapes += [(name, width), (f"{name}_id", width)] if two else [(name, width)]
        return shapes

    def _named(self, columns: list[npt.NDArray[Any]]) -> Results:
        number = np.float32 if self.single else np.float64
        results, k = Results(), 0
        for name, width, cell, _ in self.law._results:
            two = cell in ("argmin", "argmax")
            step = 2 if two else 1
            own = columns[k : k + width * step]
            k += width * step
            parts = {name: own[::step], f"{name}_id": own[1::step]} if two else {name: own}
            for key, part in parts.items():
                array = part[0] if width == 1 else np.stack(part, axis=-1)
                kind = np.int64 if cell in _WHOLE or key != name else number
                with np.errstate(over="ignore"):
                    results[key] = array.astype(kind, copy=False)
                if kind == np.float32 and not (np.isfinite(results[key]) | ~np.isfinite(array)).all():
                    raise ComputationError(f"{key}: a result is beyond the range of float32; float64 has more")
        return results


def law_word(law: Any, argument: str) -> str:
    """A text, a name or a path of a law as the library takes it; a path must be one of a file."""
    if isinstance(law, str):
        return law
    if not isinstance(law, os.PathLike):
        expected = "must be the text of a law, its name, or the path of a file with its text"
        raise TypeError(f"{argument}: {law!r}; {expected}")
    word: str = os.fspath(law)
    if not os.path.isfile(word):
        raise FileNotFoundError(errno.ENOENT, f"{argument}: there is no such file", word)
    return word


def laws() -> dict[str, str]:
    """The laws that have a name, each with what it is.

    >>> import manybody
    >>> manybody.laws()["overlap"]
    'how many spheres a sphere overlaps'
    """
    return dict(_native.laws())
