"""Diagnoses by a function of the target: squared, rounded, one softmax too many, turned round."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from anatomy_utils.exercises.diagnosis.values import is_bool, say
from anatomy_utils.exercises.diagnosis.wrong import Diagnosis, Wrong
from anatomy_utils.exercises.judging.tensors import close


def function_of_target(wrong: Wrong) -> tuple[str, str] | None:
    for words, change in (*(() if is_bool(wrong) else (*CELLWISE, *_sums_and_scales(wrong))), *_moves(wrong)):
        if wrong.holds(change) and not all(close(y, t) for y, t in wrong.pairs()):
            return "function", f"{wrong.this_is} {words}."
    return None


CELLWISE: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("the target without its signs", torch.abs),
    ("the target with every negative number set to 0", torch.relu),
    ("the target squared", torch.square),
    ("the root of the target", torch.sqrt),
    ("e to the power of the target", torch.exp),
    ("the logarithm of the target", torch.log),
    ("the target rounded down to whole numbers", torch.floor),
    ("the target rounded up to whole numbers", torch.ceil),
    ("the target without what stands behind the point", torch.trunc),
    ("the target rounded to whole numbers", torch.round),
    ("the target rounded to one digit", lambda t: torch.round(t, decimals=1)),
    ("the target rounded to two digits", lambda t: torch.round(t, decimals=2)),
    ("the target squeezed by tanh", torch.tanh),
    ("the target squeezed by a sigmoid", torch.sigmoid),
    ("1 divided by the target", torch.reciprocal),
)


def _sums_and_scales(wrong: Wrong) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    for axis in range(-1, -1 - min(t.dim() for t in wrong.targets), -1):
        name = wrong.axis(axis, wrong.targets[0])
        yield (
            f"softmax of the target, over the {name} axis: one softmax too many",
            _along(lambda t, a: t.softmax(a), axis),
        )
        yield (
            f"the logarithm of softmax of the target, over the {name} axis",
            _along(lambda t, a: t.log_softmax(a), axis),
        )
        yield (
            f"the target minus its average over the {name} axis",
            _along(lambda t, a: t - t.mean(a, keepdim=True), axis),
        )
        yield (
            f"the target minus its largest number over the {name} axis",
            _along(lambda t, a: t - t.amax(a, keepdim=True), axis),
        )
        yield (
            f"the target divided by its sum over the {name} axis",
            _along(lambda t, a: t / t.sum(a, keepdim=True), axis),
        )
        yield (
            f"the target divided by its length over the {name} axis",
            _along(lambda t, a: t / t.norm(dim=a, keepdim=True), axis),
        )
        yield f"the running sum of the target over the {name} axis", _along(lambda t, a: t.cumsum(a), axis)
        yield f"the target sorted along the {name} axis", _along(lambda t, a: t.sort(a).values, axis)


def _moves(wrong: Wrong) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    if min(t.dim() for t in wrong.targets) >= 2:
        yield "the target lying on its side: rows and columns have changed places", lambda t: t.transpose(-2, -1)
    for axis in range(-1, -1 - min(t.dim() for t in wrong.targets), -1):
        name = wrong.axis(axis, wrong.targets[0])
        yield f"the target turned round along the {name} axis: last first", _along(lambda t, a: t.flip(a), axis)
        yield f"the target moved on by one place along the {name} axis", _along(lambda t, a: t.roll(1, a), axis)
        yield f"the target moved back by one place along the {name} axis", _along(lambda t, a: t.roll(-1, a), axis)


def _along(way: Callable[[Tensor, int], Tensor], axis: int) -> Callable[[Tensor], Tensor]:
    return lambda tensor: way(tensor, axis)


def cut_off(wrong: Wrong) -> tuple[str, str] | None:
    """The target, with everything beyond a lower and an upper end brought to it."""
    if is_bool(wrong) or not all(bool(y.isfinite().all()) and y.numel() > 1 for y, _ in wrong.pairs()):
        return None
    low, high = min(float(y.min()) for y, _ in wrong.pairs()), max(float(y.max()) for y, _ in wrong.pairs())
    if low == high or not wrong.holds(lambda t: t.clamp(low, high)):
        return None
    ends = []
    if any(bool((t > high + 1e-3).any()) for _, t in wrong.pairs()):
        ends.append(f"above {say(high)}")
    if any(bool((t < low - 1e-3).any()) for _, t in wrong.pairs()):
        ends.append(f"below {say(low)}")
    return "cut_off", f"{wrong.this_is} the target, but what lies {' or '.join(ends)} is cut off."


ALL: tuple[Diagnosis, ...] = (function_of_target, cut_off)
