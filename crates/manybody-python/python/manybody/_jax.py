"""Laws on arrays of JAX, with gradients; they can be traced, by `jit` and others. Arrays in the memory of a GPU stay there
where nothing is traced; what is traced is computed by a callback, which JAX gives arrays in the memory of the CPU."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy
import numpy as np

from ._device import place_of
from ._device_law import on_device
from ._gradient import gradients
from ._law import Given, Law, Results


def law_of_arrays(law: Law, arrays: dict[str, Any], how: Any) -> Results:
    """The results of a law as arrays of JAX; those of sums have gradients by the arrays of JAX."""
    place = None if any(isinstance(value, jax.core.Tracer) for value in arrays.values()) else place_of(arrays)
    if place is not None:
        return on_device(law, arrays, how, place)
    names = [name for name, value in arrays.items() if isinstance(value, jax.Array)]
    others = {name: value for name, value in arrays.items() if name not in names}
    # numbers of no meaning in the shapes of the arrays, which may not be known yet
    blank = {name: np.broadcast_to(np.zeros((), arrays[name].dtype), arrays[name].shape) for name in names}
    found = Given(law, {**others, **blank}).results()
    like = {name: _like(shape, kind) for name, (shape, kind) in found.items()}
    call = jax.custom_vjp(lambda *values: _call(law, others, names, how, like, values))
    call.defvjp(
        lambda *values: (_call(law, others, names, how, like, values), values),
        lambda values, weights: _backward(law, others, names, how, like, values, weights),
    )
    return Results(call(*(arrays[name] for name in names)))


def _like(shape: tuple[int, ...], kind: Any) -> Any:
    return jax.ShapeDtypeStruct(shape, jax.dtypes.canonicalize_dtype(kind))


def _call(law: Law, others: Any, names: list[str], how: Any, like: dict[str, Any], values: Any) -> dict[str, Any]:
    def compute(*values: Any) -> dict[str, Any]:
        arrays = {**others, **{name: np.asarray(value) for name, value in zip(names, values)}}
        results = Given(law, arrays).evaluate(how)
        return {name: np.asarray(value, dtype=like[name].dtype) for name, value in results.items()}

    return dict(jax.pure_callback(compute, like, *values, vmap_method="sequential"))


def _backward(
    law: Law, others: Any, names: list[str], how: Any, like: dict[str, Any], values: Any, weights: dict[str, Any]
) -> tuple[Any, ...]:
    def compute(values: Any, weights: dict[str, Any]) -> tuple[Any, ...]:
        arrays = {**others, **{name: np.asarray(value) for name, value in zip(names, values)}}
        found = gradients(law, arrays, {name: np.asarray(value) for name, value in weights.items()}, how)
        return tuple(np.asarray(found[name], dtype=value.dtype) for name, value in zip(names, values))

    # counts have no derivative, and so no weights
    given = {
        name: weights[name] if jax.numpy.issubdtype(one.dtype, jax.numpy.floating) else np.zeros(one.shape, np.float32)
        for name, one in like.items()
    }
    shapes = tuple(jax.ShapeDtypeStruct(value.shape, value.dtype) for value in values)
    return tuple(jax.pure_callback(compute, shapes, values, given, vmap_method="sequential"))


def joined(parts: tuple[Any, ...]) -> Any:
    """Columns as one array, through which gradients come; those on a GPU that are not traced stay as they are."""
    is_traced = any(isinstance(part, jax.core.Tracer) for part in parts)
    if not is_traced and place_of({str(k): part for k, part in enumerate(parts)}) is not None:
        return parts
    return jax.numpy.stack(jax.numpy.broadcast_arrays(*parts), axis=-1)
