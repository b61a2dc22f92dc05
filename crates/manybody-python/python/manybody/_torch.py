"""Laws on tensors of PyTorch, with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._arrays import plain
from ._law import Given, Law, Results


def law_of_tensors(law: Law, arrays: dict[str, Any], how: Any) -> Results:
    """The results of a law as tensors; those of sums have gradients by the tensors that require them."""
    names = [name for name, value in arrays.items() if isinstance(value, torch.Tensor)]
    others = {name: value for name, value in arrays.items() if name not in names}
    keys: list[str] = []
    values = _OfLaw.apply(law, others, how, keys, names, *(arrays[name] for name in names))
    return Results(dict(zip(keys, values)))


class _OfLaw(torch.autograd.Function):
    """A law whose gradient is a law."""

    @staticmethod
    def forward(ctx: Any, law: Law, others: Any, how: Any, keys: list[str], names: list[str], *tensors: Any) -> Any:
        arrays = {**others, **{name: plain(tensor, name) for name, tensor in zip(names, tensors)}}
        results = Given(law, arrays).evaluate(how)
        ctx.law, ctx.others, ctx.how, ctx.names, ctx.keys = law, others, how, names, list(results)
        ctx.save_for_backward(*tensors)
        keys += results
        out = tuple(torch.from_numpy(np.ascontiguousarray(value)) for value in results.values())
        ctx.mark_non_differentiable(*(value for value in out if not value.is_floating_point()))
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *weights: Any) -> Any:
        arrays = {**ctx.others, **{n: plain(t, n) for n, t in zip(ctx.names, ctx.saved_tensors)}}
        found = gradients(ctx.law, arrays, dict(zip(ctx.keys, weights)), ctx.how)
        tensors = [
            torch.from_numpy(np.array(found[name], dtype=plain(t, name).dtype)) if need else None
            for name, t, need in zip(ctx.names, ctx.saved_tensors, ctx.needs_input_grad[5:])
        ]
        return (None, None, None, None, None, *tensors)


def gradients(law: Law, arrays: dict[str, Any], weights: dict[str, Any], how: Any) -> dict[str, Any]:
    from ._gradient import gradients as of_arrays

    return of_arrays(law, arrays, {name: plain(value, name) for name, value in weights.items()}, how)
