"""Laws on tensors of PyTorch, with gradients; those in the memory of a GPU stay there."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._arrays import plain
from ._device import Call, place_of
from ._device_law import DeviceGiven, on_device
from ._errors import InputError
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
        results = _results(law, others, dict(zip(names, tensors)), how)
        ctx.law, ctx.others, ctx.how, ctx.names, ctx.keys = law, others, how, names, list(results)
        ctx.save_for_backward(*tensors)
        keys += results
        out = tuple(_tensor(value) for value in results.values())
        ctx.mark_non_differentiable(*(value for value in out if not value.is_floating_point()))
        return out

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        needs = dict(zip(ctx.names, ctx.needs_input_grad[5:]))
        given = dict(zip(ctx.names, ctx.saved_tensors))
        with torch.no_grad():
            found = _gradients(ctx.law, ctx.others, given, dict(zip(ctx.keys, weights)), ctx.how)
            asked = {name: _like(found[name], tensor, name) for name, tensor in given.items() if needs[name]}
        if torch.is_grad_enabled():
            # create_graph=True
            one_by_one = _OfFirstOrder.apply(len(asked), *asked.values(), *ctx.saved_tensors, *weights)
            asked = dict(zip(asked, one_by_one))
        return (None, None, None, None, None, *(asked.get(name) for name in given))


class _OfFirstOrder(torch.autograd.Function):
    """Gradients as they are, whose own gradient is an error; without it, it would be 0."""

    @staticmethod
    def forward(ctx: Any, count: int, *tensors: Any) -> Any:
        return tuple(tensor.clone() for tensor in tensors[:count])

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> Any:
        raise InputError(
            "the second derivative of a law is not computed: gradients are of first order; the laws of law.gradient() have "
            "gradients of their own"
        )


def _results(law: Law, others: Any, tensors: dict[str, Any], how: Any) -> Results:
    place = place_of(tensors) or place_of(others)
    if place is not None:
        return on_device(law, {**others, **tensors}, how, place)
    return Given(law, {**others, **{name: plain(tensor, name) for name, tensor in tensors.items()}}).evaluate(how)


def _tensor(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value
    return torch.from_numpy(np.ascontiguousarray(value)) if isinstance(value, np.ndarray) else torch.utils.dlpack.from_dlpack(value)


def _like(found: Any, tensor: Any, name: str) -> Any:
    """A gradient with the number type and the device of what it is of."""
    if isinstance(found, torch.Tensor):
        return found.to(tensor.dtype)
    if tensor.is_cuda:
        return torch.as_tensor(found, dtype=tensor.dtype, device=tensor.device)
    return torch.from_numpy(np.array(found, dtype=plain(tensor, name).dtype))


def _gradients(
    law: Law, others: Any, tensors: dict[str, Any], weights: dict[str, Any], how: Any
) -> dict[str, Any]:
    from ._gradient import gradients, of_given

    place = place_of(tensors) or place_of(others)
    if place is not None:
        given = DeviceGiven(Call(place), law, {**others, **tensors})
        return of_given(given, tensors, weights, how)
    arrays = {**others, **{name: plain(tensor, name) for name, tensor in tensors.items()}}
    return gradients(law, arrays, {name: plain(value, name) for name, value in weights.items()}, how)


def joined(parts: tuple[Any, ...]) -> Any:
    """Columns as one tensor, through which gradients come; without gradients, those on a GPU stay as they are."""
    tensors = [part for part in parts if isinstance(part, torch.Tensor)]
    asked = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
    if not asked and any(tensor.is_cuda for tensor in tensors):
        return parts
    like = tensors[0]
    whole = [part if isinstance(part, torch.Tensor) else torch.as_tensor(part, dtype=like.dtype, device=like.device) for part in parts]
    return torch.stack(torch.broadcast_tensors(*whole), dim=-1)
