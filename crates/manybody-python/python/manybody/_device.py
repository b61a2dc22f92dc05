"""Arrays in the memory of a GPU: what they are, read where they lie, and results that stay there."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from . import _native
from ._arrays import without_gradient
from ._errors import InputError

#: Devices of DLPack in the memory of an NVIDIA GPU: plain, and managed.
_CUDA = (2, 13)

#: Kinds of numbers by what they are computed in: NumPy's names, and bfloat16.
_SINGLE = frozenset(["f4", "f2", "bf16"])

#: Where numbers are, for the native half: address, stride in bytes and kind.
Where = tuple[int, int, str]
#: A column of bodies: a number for all, or where their numbers are.
Column = Union[float, Where]


class View(NamedTuple):
    """Numbers in the memory of a GPU, in a form that can be broadcast and sliced without a copy."""

    address: int
    shape: tuple[int, ...]
    #: In bytes.
    strides: tuple[int, ...]
    kind: str

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def name(self) -> str:
        """What it is, for a message."""
        kind = "bfloat16" if self.kind == "bf16" else np.dtype(self.kind).name
        return f"an array of {kind} with shape {self.shape}"

    @property
    def dtype(self) -> Any:
        """The number type that it is computed in."""
        return np.dtype(np.float32 if self.kind in _SINGLE else np.float64)

    def inserted(self, axis: int) -> View:
        """With an axis of length 1 before `axis`, which may be the number of axes."""
        shape = (*self.shape[:axis], 1, *self.shape[axis:])
        return self._replace(shape=shape, strides=(*self.strides[:axis], 0, *self.strides[axis:]))

    def broadcast(self, shape: tuple[int, ...]) -> View:
        """As `numpy.broadcast_to`."""
        missing = len(shape) - self.ndim
        strides = [0] * missing
        for n, m, stride in zip(self.shape, shape[missing:], self.strides):
            if n not in (1, m):
                raise ValueError(f"shape {self.shape} does not broadcast to {shape}")
            strides.append(stride if n == m else 0)
        return self._replace(shape=tuple(shape), strides=tuple(strides))

    def at(self, index: tuple[int, ...]) -> View:
        """The part of these first indices."""
        address = self.address + sum(k * stride for k, stride in zip(index, self.strides))
        return View(address, self.shape[len(index) :], self.strides[len(index) :], self.kind)

    def last(self, k: int) -> View:
        """Element k along the last axis."""
        return View(self.address + k * self.strides[-1], self.shape[:-1], self.strides[:-1], self.kind)

    def column(self) -> tuple[int, int, str]:
        """The one axis that is left, as a column."""
        return (self.address, self.strides[0], self.kind)


class Place(NamedTuple):
    """A GPU, and the array that says that it computes."""

    ordinal: int
    argument: str
    example: Any

    def __str__(self) -> str:
        return f"cuda:{self.ordinal}"


#: What cannot be on a GPU: known without an exception, which takes a microsecond.
_OF_THE_HOST = (np.ndarray, float, int, list, str, type(None))


def ordinal_of(value: Any) -> Optional[int]:
    """The number of the GPU in whose memory an array is; `None` for all else."""
    if isinstance(value, _OF_THE_HOST):
        return None
    try:
        kind, number = value.__dlpack_device__()
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
        # no array; or one without a place, as that of a function that is traced, or with several
        kind, number = None, None
    if kind is not None:
        return int(number) if int(kind) in _CUDA else None
    interface = getattr(value, "__cuda_array_interface__", None) if _has_interface(value) else None
    if interface is None:
        return None
    address = int(interface["data"][0])
    found = _native.ordinal_of(address)
    # no GPU is here to ask, or the array is empty: opening the first one says what is missing
    return found if found is not None else 0


def _has_interface(value: Any) -> bool:
    return hasattr(type(value), "__cuda_array_interface__") or "__cuda_array_interface__" in getattr(value, "__dict__", {})


def place_of(arguments: dict[str, Any]) -> Optional[Place]:
    """The GPU on which arguments are: that of the first one that is on any."""
    for name, value in arguments.items():
        parts = value if type(value) is tuple else (value,)
        for part in parts:
            ordinal = ordinal_of(part)
            if ordinal is not None:
                return Place(ordinal, name, part)
    return None


def settings_on(place: Place, how: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The settings of a computation on this GPU; InputError for those that ask for something else."""
    given = dict(how)
    device, gpus = given.pop("device", "cuda"), given.pop("gpus", 1)
    where = f"{place.argument} is in the memory of {place}, which computes"
    if device not in ("auto", "cuda"):
        raise InputError(f"device = {device}: {where}; must be cuda or not be given, or the arrays be copied")
    if gpus not in (1, "1", f"id:{place.ordinal}"):
        raise InputError(f"gpus = {gpus}: {where} alone; must be 1 or not be given")
    if given.get("solver") in ("fmm", "tree"):
        all_pairs = "for all pairs; must be auto, symmetric or direct, or the arrays be in the memory of the CPU"
        raise InputError(f"solver = {given['solver']}: {where} {all_pairs}")
    for name in ("rtol", "order", "tolerance", "theta"):
        if name in given:
            needs = "must not be given, or the arrays be in the memory of the CPU"
            raise InputError(f"{name} = {given[name]}: {where} for all pairs, without expansions; {needs}")
    return [*given.items(), ("device", "cuda")]


class Call:
    """One computation on a GPU: its stream, and the arrays that it reads and writes, which it keeps."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._queue: Optional[_native.Queue] = None
        self._kept: list[Any] = []
        self._views: dict[int, View] = {}

    @property
    def queue(self) -> _native.Queue:
        """The device with its stream, opened when it is first needed; DeviceError where it cannot be."""
        if self._queue is None:
            self._queue = _native.Queue(self.place.ordinal)
        return self._queue

    def check(self, value: Any, name: str, most: int = 0) -> None:
        """Refuses an array of another device, but for one of the CPU with at most so many axes: before anything is done."""
        parts = value if type(value) is tuple else (value,)
        for part in parts:
            ordinal = ordinal_of(part)
            if ordinal is not None and ordinal != self.place.ordinal:
                raise self._on_another(name, ordinal)
            if ordinal is None and np.ndim(part) > most:
                raise self._elsewhere(part, name)

    def view(self, value: Any, name: str) -> View:
        """An array of this GPU, once what writes it is done or ahead of our work."""
        if id(value) in self._views:
            return self._views[id(value)]  # what is kept has its id to itself
        ordinal = ordinal_of(value)
        if ordinal is None:
            raise self._elsewhere(value, name)
        if ordinal != self.place.ordinal:
            raise self._on_another(name, ordinal)
        view = self._of_dlpack(value, name) if hasattr(value, "__dlpack__") else self._of_interface(value, name)
        self._kept.append(value)
        self._views[id(value)] = view
        return view

    def number_or_view(self, value: Any, name: str) -> Union[float, View]:
        """A plain number, or an array of this GPU."""
        if isinstance(value, (float, int, np.number)):
            return float(value)
        if value is None or isinstance(value, (str, bytes)):
            where = f"or an array in the memory of {self.place}, as {self.place.argument} is"
            raise InputError(f"{name}: {value!r}; must be a number, {where}")
        if ordinal_of(value) is None and np.ndim(value) == 0:
            return float(value)
        return self.view(value, name)

    def _elsewhere(self, value: Any, name: str) -> InputError:
        shape = getattr(value, "shape", None)
        found = f"an array in the memory of the CPU with shape {tuple(shape)}" if shape else f"a {type(value).__name__}"
        where = f"in the memory of {self.place}, as {self.place.argument} is"
        return InputError(f"{name}: {found}; must be a number, or {where}: arrays are not copied between devices")

    def _on_another(self, name: str, ordinal: int) -> InputError:
        where = f"cuda:{self.place.ordinal}, as {self.place.argument} is"
        return InputError(f"{name}: an array in the memory of cuda:{ordinal}; must be in that of {where}")

    def _of_dlpack(self, value: Any, name: str) -> View:
        value = without_gradient(value, name)
        kind = _kind_of(value)
        if kind is not None and 0 in tuple(value.shape):
            # no memory, of which some packages have no capsule
            shape = tuple(int(n) for n in value.shape)
            return View(0, shape, _dense(shape, f"<{kind}"), kind)
        stream = self.queue.stream
        with on_device(value):
            try:
                capsule = value.__dlpack__(stream=stream)
            except (BufferError, RuntimeError, TypeError, ValueError) as error:
                raise InputError(f"{name}: {type(value).__name__}; must be an array that DLPack has: {error}") from None
        shared = _native.SharedArray.of_capsule(capsule, name)
        self._kept.append(shared)
        return View(shared.address, tuple(shared.shape), tuple(shared.strides), shared.kind)

    def _of_interface(self, value: Any, name: str) -> View:
        interface = value.__cuda_array_interface__
        kind = str(interface["typestr"])
        shape = tuple(int(n) for n in interface["shape"])
        if kind[0] == ">" or kind[1:] not in _KINDS:
            raise InputError(f"{name}: an array of {kind} with shape {shape}; must be numbers: float32 or float64")
        strides = interface.get("strides")
        if strides is None:
            strides = _dense(shape, kind)
        stream = interface.get("stream")
        if stream:
            self.queue.wait_for(int(stream))
        return View(int(interface["data"][0]), shape, tuple(strides), kind[1:])

    def empty(self, shape: tuple[int, ...], dtype: Any) -> tuple[Any, View]:
        """A new array of the package of the example, and where it is. What it gives is complete when our work is."""
        kind = np.dtype(dtype).str[1:]
        like = self.place.example
        make = _EMPTY.get(type(like).__module__.partition(".")[0])
        if make is None:
            array = _native.SharedArray.empty(self.queue, list(shape), kind)
            view = View(array.address, tuple(array.shape), tuple(array.strides), kind)
            return array, view
        array = make(like, shape, kind)
        return array, self.view(array, "the results")

    def given(self, array: Any) -> Any:
        """An array of `empty` as the package's own."""
        if not isinstance(array, _native.SharedArray):
            return array
        give = _GIVE.get(type(self.place.example).__module__.partition(".")[0])
        return give(array, self.place.example) if give else array


_KINDS = frozenset("f4 f8 f2 i1 i2 i4 i8 u1 u2 u4 u8 b1".split())


def _kind_of(value: Any) -> Optional[str]:
    """The kind of the numbers of an array of another package, where it says so in NumPy's names."""
    name = str(getattr(value, "dtype", "")).rpartition(".")[2]
    try:
        kind = np.dtype(name).str[1:] if name else ""
    except TypeError:
        return None
    return kind if kind in _KINDS else None


def _dense(shape: tuple[int, ...], kind: str) -> tuple[int, ...]:
    """Strides in bytes, row by row."""
    strides, step = [], int(kind[2:])
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def on_device(value: Any) -> Any:
    """A context in which the package's current device is that of an array: PyTorch orders the work of that one."""
    if type(value).__module__.partition(".")[0] == "torch" and ordinal_of(value) is not None:
        import torch

        return torch.cuda.device(value.device)
    if type(value).__module__.partition(".")[0] == "cupy":
        return value.device
    return nullcontext()


def _torch_empty(like: Any, shape: tuple[int, ...], kind: str) -> Any:
    import torch

    kinds = {"f4": torch.float32, "f8": torch.float64, "i8": torch.int64}
    return torch.empty(shape, dtype=kinds[kind], device=like.device)


def _cupy_empty(like: Any, shape: tuple[int, ...], kind: str) -> Any:
    import cupy

    with like.device:
        return cupy.empty(shape, dtype=kind)


def _to_jax(array: Any, like: Any) -> Any:
    import jax

    if 0 in array.shape:
        return jax.device_put(np.zeros(array.shape, array.kind), next(iter(like.devices())))
    # without 64 bits, JAX has no arrays of them: they become what JAX makes of any such number
    found = jax.dlpack.from_dlpack(array)
    kind = jax.dtypes.canonicalize_dtype(found.dtype)
    return found if found.dtype == kind else found.astype(kind)


def _to_numba(array: Any, like: Any) -> Any:
    from numba import cuda

    return cuda.as_cuda_array(array)


_EMPTY: dict[str, Callable[[Any, tuple[int, ...], str], Any]] = {"torch": _torch_empty, "cupy": _cupy_empty}
_GIVE: dict[str, Callable[[Any, Any], Any]] = {"jax": _to_jax, "jaxlib": _to_jax, "numba": _to_numba}
