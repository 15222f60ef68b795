"""Diagnoses by a function of the target: squared, rounded, one softmax too many, turned round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from anatomy_course.judge.attempt.tensors import close
from anatomy_course.judge.diagnosis.values import is_bool, say
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput


def function_of_target(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target, changed cell by cell or along one axis."""
    for words, change in _changes(wrong):
        if wrong.holds(change) and not all(close(y, t) for y, t in wrong.pairs()):
            return "function", f"{wrong.this_is} {words}."
    return None


FEWEST = 3
"""Different numbers in the target from which on a function of it is told."""
CELLWISE: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("the target without its signs", torch.abs),
    ("the target with every negative number set to 0", torch.relu),
    ("the target squared", torch.square),
    ("the root of the target", torch.sqrt),
    ("e to the power of the target", torch.exp),
    ("the logarithm of the target", torch.log),
    ("the target rounded down to whole numbers", torch.floor),
    ("the target rounded up to whole numbers", torch.ceil),
    ("the target without its decimals", torch.trunc),
    ("the target rounded to whole numbers", torch.round),
    ("the target rounded to one digit", lambda t: torch.round(t, decimals=1)),
    ("the target rounded to two digits", lambda t: torch.round(t, decimals=2)),
    ("the target squeezed by tanh", torch.tanh),
    ("the target squeezed by a sigmoid", torch.sigmoid),
    ("1 divided by the target", torch.reciprocal),
)


ALONG: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...] = (
    ("softmax of the target, over the {} axis: one softmax too many", lambda t, a: t.softmax(a)),
    ("the logarithm of softmax of the target, over the {} axis", lambda t, a: t.log_softmax(a)),
    ("the target minus its average over the {} axis", lambda t, a: t - t.mean(a, keepdim=True)),
    ("the target minus its largest number over the {} axis", lambda t, a: t - t.amax(a, keepdim=True)),
    ("the target divided by its sum over the {} axis", lambda t, a: t / t.sum(a, keepdim=True)),
    ("the target divided by its length over the {} axis", lambda t, a: t / t.norm(dim=a, keepdim=True)),
    ("the running sum of the target over the {} axis", lambda t, a: t.cumsum(a)),
    ("the target sorted along the {} axis", lambda t, a: t.sort(a).values),
)
MOVES: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...] = (
    ("the target reversed along the {} axis", lambda t, a: t.flip(a)),
    ("the target shifted forward by one place along the {} axis", lambda t, a: t.roll(1, a)),
    ("the target shifted back by one place along the {} axis", lambda t, a: t.roll(-1, a)),
)


def _changes(wrong: WrongOutput) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    if is_bool(wrong):
        yield "the opposite of the target: True and False are swapped", lambda t: 1 - t
    else:
        if len(torch.cat([target.flatten() for _, target in wrong.pairs()]).unique()) >= FEWEST:
            yield from CELLWISE
        yield from _along_each_axis(wrong, ALONG)
    if len(wrong.axes) >= 2:
        yield "the target transposed: its rows and columns are swapped", lambda t: t.transpose(-2, -1)
    yield from _along_each_axis(wrong, MOVES)


def _along_each_axis(
    wrong: WrongOutput, ways: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...]
) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    for axis in wrong.axes:
        for words, way in ways:
            yield words.format(wrong.axis(axis)), partial(way, a=axis)  # type: ignore[call-arg]


def cut_off(wrong: WrongOutput) -> tuple[str, str] | None:
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
    return "cut_off", f"{wrong.this_is} the target, but everything {' or '.join(ends)} is cut off."


ALL: tuple[Diagnosis, ...] = (function_of_target, cut_off)
