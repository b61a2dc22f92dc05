"""Arrays of other packages as NumPy's, and results as theirs."""

from __future__ import annotations

import operator
from typing import Any, Callable, Union

import numpy as np
import numpy.typing as npt

from ._errors import InputError
from ._units import is_quantity

#: Numbers in NumPy's form: an array, or three of one shape.
Plain = Union[npt.NDArray[Any], "tuple[npt.NDArray[Any], ...]"]

#: A device of DLPack whose memory is that of the CPU: plain, or page-locked for CUDA.
_ON_CPU = (1, 3)


def plain(value: Any, name: str) -> npt.NDArray[Any]:
    """An array of float32 or float64 from anything that is one: an array of another package that shares its memory
    through DLPack or NumPy's protocols, a list, whole numbers. Copies only where the number type differs."""
    array = _shared(value, name)
    if array.dtype == np.float32 or array.dtype == np.float64:
        # NumPy's own byte order is all that the native half reads
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind in "iub" or array.dtype == np.float16:
        return array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    if array.ndim == 0:
        raise InputError(f"{name}: {value!r}; must be an array of numbers: float32 or float64")
    raise InputError(f"{name}: an array of {array.dtype} with shape {array.shape}; must be numbers: float32 or float64")


def _shared(value: Any, name: str) -> npt.NDArray[Any]:
    if is_quantity(value):
        unit = value.unit
        raise InputError(f"{name}: in {unit or 'no unit'}; must be numbers without a unit, as of {name}.to_value(...)")
    unmasked(value, name)
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        value = without_gradient(value, name)
        try:
            kind, number = value.__dlpack_device__()
        except _FAILURES as error:
            raise _unreadable(value, name, error) from None
        if kind not in _ON_CPU:
            raise InputError(
                f"{name}: an array on the device {kind}:{number} of DLPack; must be in the memory of the CPU: "
                "memory of a GPU is read in place by forces and laws, on NVIDIA's GPUs"
            )
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError):
            # what DLPack cannot express, as a conjugated view, the package converts itself
            try:
                return np.asarray(value)
            except _FAILURES as error:
                raise _unreadable(value, name, error) from None
    try:
        return np.asarray(value)
    except ValueError as error:
        raise InputError(f"{name}: {type(value).__name__}; must be an array of numbers: {error}") from None


#: What packages raise for arrays that have no numbers that NumPy could read.
_FAILURES = (AttributeError, BufferError, NotImplementedError, RuntimeError, TypeError, ValueError)


def _unreadable(value: Any, name: str, error: Exception) -> InputError:
    """The error for an array of another package that cannot be read: one that is traced, sparse, without numbers."""
    kind = f"{package(value)}.{type(value).__name__}"
    if package(value) in ("jax", "jaxlib"):
        return InputError(
            f"{name}: an array that JAX traces ({kind}), as in jit, grad and vmap; must be an array with numbers: call this "
            "outside of them, or by jax.pure_callback; laws can be traced"
        )
    dtype = f" of {value.dtype}" if hasattr(value, "dtype") else ""
    expected = "must be a dense array of float32 or float64 in the memory of the CPU or of an NVIDIA GPU"
    return InputError(f"{name}: an array{dtype} ({kind}); {expected} ({str(error).splitlines()[0] if str(error) else kind})")


def unmasked(value: Any, name: str) -> None:
    """Refuses an array with masked elements, or a list of some: what is under a mask is not meant."""
    for part in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(part, np.ndarray) and type(part) is not np.ndarray:
            count = np.count_nonzero(getattr(part, "mask", False))
            if count:
                expected = f"must have no masked elements: fill them, as {name}.filled(...), or leave the bodies out"
                raise InputError(f"{name}: an array with shape {part.shape}, of which {count} elements are masked; {expected}")


def without_gradient(value: Any, name: str) -> Any:
    """A tensor for what has no gradient; one that is asked for is refused, and not lost."""
    if not getattr(value, "requires_grad", False):
        return value
    import torch

    if torch.is_grad_enabled():
        raise InputError(
            f"{name}: a tensor that requires a gradient, which is not computed here; must be {name}.detach(), or an "
            "argument of a Law, which has gradients"
        )
    return value.detach()


def on_host(value: Any) -> Any:
    """An array in the memory of the CPU, or a tuple of some; copied there from a GPU's."""
    if isinstance(value, tuple):
        return tuple(map(on_host, value))
    device = getattr(value, "__dlpack_device__", None)
    if device is None or device()[0] in _ON_CPU:
        return value
    # PyTorch's and CuPy's way; others convert themselves
    way = getattr(value, "cpu", None) or getattr(value, "get", None)
    return np.asarray(value) if way is None else way()


def package(value: Any) -> str:
    """The name of the package that a value's type is of."""
    return type(value).__module__.partition(".")[0]


def is_parts(value: Any) -> bool:
    """Whether vectors are given as three arrays, x, y and z, and not as rows."""
    return type(value) is tuple and len(value) == 3 and all(getattr(part, "ndim", None) == 1 for part in value)


def vectors(value: Any, name: str) -> Plain:
    """An array [n, 3], or a tuple of three arrays [n]."""
    if is_parts(value):
        return tuple(plain(part, f"{name}[{k}]") for k, part in enumerate(value))
    return plain(value, name)


def number_or_array(value: Any, name: str) -> Any:
    """A number as it is, or an array."""
    if isinstance(value, (float, int, np.number)):
        return float(value)
    if value is None or isinstance(value, (str, bytes, dict)):
        raise InputError(f"{name}: {value!r}; must be a number, or an array [n] of them")
    array = plain(value, name)
    return float(array) if array.ndim == 0 else array


def number(value: Any, name: str) -> float:
    """One number."""
    if value is None or isinstance(value, (str, bytes, dict)):
        raise InputError(f"{name}: {value!r}; must be a number")
    found = number_or_array(value, name)
    if not isinstance(found, float):
        raise InputError(f"{name}: an array with shape {found.shape}; must be one number")
    return found


def whole_number(value: Any, name: str) -> int:
    """A whole number of 0 or more."""
    try:
        found = operator.index(value)
    except TypeError:
        raise InputError(f"{name}: {value!r}; must be a whole number") from None
    if not 0 <= found < 2**64:
        raise InputError(f"{name}: {found}; must be a whole number of 0 or more, below 2^64")
    return found


def whole_numbers(value: Any, name: str) -> list[int]:
    """Whole numbers of 0 or more."""
    unmasked(value, name)
    array = np.asarray(value)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{name}: an array of {array.dtype} with shape {array.shape}; must be whole numbers")
    found: list[int] = array.ravel().tolist()
    if found and min(found) < 0:
        raise InputError(f"{name}: {min(found)}; must be whole numbers of 0 or more")
    return found


def package_of(value: Any) -> Callable[[Any], Any]:
    """What gives results to the package that an array is of; NumPy's stay as they are."""
    if is_parts(value):
        value = value[0]
    give = _PACKAGES.get(package(value))
    if give is None or isinstance(value, np.ndarray):
        return lambda result: result
    return lambda result: tuple(map(give, result)) if isinstance(result, tuple) else give(result)


def _torch(result: Any) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(result))


def _jax(result: Any) -> Any:
    import jax.numpy

    return jax.numpy.asarray(result)


_PACKAGES = {"torch": _torch, "jax": _jax, "jaxlib": _jax}
