"""Gradients of laws by their arguments, for automatic differentiation."""

from __future__ import annotations

import math
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ._law import Given, Law, Side


def gradients(law: Law, arrays: dict[str, Any], weights: dict[str, Any], how: Any) -> dict[str, Any]:
    """The derivatives of the weighted sum of a law's results by each of its arguments, in the shapes of these.

    `weights` are arrays in the shapes of the results; those of counts are ignored.
    """
    return of_given(Given(law, arrays), arrays, weights, how)


def of_given(given: Given, arrays: dict[str, Any], weights: dict[str, Any], how: Any) -> dict[str, Any]:
    """The same for arguments that are complete, by those of `arrays`."""
    law = given.law
    by_i, by_j = law.gradient()
    of_weights = {f"g_{name}": weights[name] for name in law.results}
    one, two = _of_targets(given, by_i, of_weights, how), _of_sources(given, by_j, of_weights, how)
    found: dict[str, Any] = {}
    for name, value in arrays.items():
        shape = np.shape(value)
        if name in given.values:
            total = one[f"d_{name}"]
            width = total.shape[-1] if total.ndim > len(given.batch) + 1 else 1
            found[name] = _onto(total.reshape(-1, width).sum(0).reshape(width), shape)
            continue
        parts = []
        for side, results, end in ((given.i, one, "_i"), (given.j, two, "_j")):
            member = name if name in side.reads else name[:-2] if name.endswith(end) else ""
            if member in side.arrays and (name == member or name.endswith(end)) and f"d_{member}" in results:
                array = results[f"d_{member}"]
                width = next(m.width for m in side.members if m.name == member)
                full = array if width > 1 else array[..., None]
                parts.append(_onto_member(full, side.arrays[member].shape).reshape(shape))
        found[name] = reduce(add, parts) if parts else np.zeros(shape)
    return found


def _pair(given: Given, of: Law, first: Side, second: Side, weights: dict[str, Any], how: Any, weighted: str) -> Any:
    """A gradient on the bodies of both sides, with the weights on that of `weighted`."""
    call = given.paired(of)
    for side, from_ in ((call.i, first), (call.j, second)):
        side.arrays = dict(from_.arrays)
        if side.side == weighted:
            for member in side.members:
                if member.name in weights and member.name not in from_.reads:
                    side.put(member, weights[member.name])
    ni, nj = given.lens if weighted == "i" else given.lens[::-1]
    call.lens = (ni, nj)
    return call.evaluate(how)


def _of_targets(given: Given, by_i: Law, weights: dict[str, Any], how: Any) -> Any:
    return _pair(given, by_i, given.i, given.j, weights, how, "i")


def _of_sources(given: Given, by_j: Law, weights: dict[str, Any], how: Any) -> Any:
    return _pair(given, by_j, given.j, given.i, weights, how, "j")


def _onto(array: Any, shape: tuple[int, ...]) -> Any:
    """A derivative summed over what was broadcast."""
    if math.prod(array.shape) == math.prod(shape):
        return array.reshape(shape)
    return array.sum().reshape(shape)


def _onto_member(array: Any, shape: tuple[int, ...]) -> Any:
    """The derivative by an array [..., n, w] of one that was broadcast to a larger shape."""
    extra = array.ndim - len(shape)
    # no axes at all are all of them for some packages
    array = array.sum(axis=tuple(range(extra))) if extra else array
    along = tuple(k for k, n in enumerate(shape) if n == 1 and array.shape[k] != 1)
    return array.sum(axis=along, keepdims=True) if along else array
