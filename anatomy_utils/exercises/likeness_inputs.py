"""Likenesses to what the reference makes of other arguments: swapped, left out, turned round, cut short."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from anatomy_utils.exercises.attempt import try_once
from anatomy_utils.exercises.exercise import Case
from anatomy_utils.exercises.likeness import Likeness, Wrong
from anatomy_utils.exercises.tensors import close, fresh_arguments, numbers, plain

Change = Callable[[dict[str, Any], Case], dict[str, Any] | None]


def an_argument_itself(wrong: Wrong) -> tuple[str, str] | None:
    for name in _tensor_names(wrong):
        given = [plain(case.arguments[name]) for case in wrong.cases]
        if all(g.shape == y.shape and close(numbers(y), numbers(g)) for g, y in zip(given, wrong.yours, strict=True)):
            return "argument", f"You return `{name}` just as it came in."
    return None


def a_stage(wrong: Wrong) -> tuple[str, str] | None:
    """The answer stops at one of the tensors that lie on the way."""
    if wrong.exercise.stages is None:
        return None
    passed = [wrong.exercise.stages(*fresh_arguments(case.arguments).values()) for case in wrong.cases]
    for name in passed[0]:
        if all(close(y, plain(stages[name])) for y, stages in zip(wrong.yours, passed, strict=True)):
            return "stage", f"What you return as {wrong.name} is only the {name}: up to there it is right."
    return None


def other_arguments(wrong: Wrong) -> tuple[str, str] | None:
    for words, change in _changes(wrong):
        if wrong.holds_for_arguments(change):
            return "inputs", f"Your {wrong.name}: exactly what comes out {words}."
    return None


def _changes(wrong: Wrong) -> Iterator[tuple[str, Change]]:
    names = _tensor_names(wrong)
    for one, other in combinations(names, 2):
        yield f"when `{one}` and `{other}` change places", _swap(one, other)
        yield f"when `{one}` is used in place of `{other}`", _set(other, lambda a, one=one: a[one])
        yield f"when `{other}` is used in place of `{one}`", _set(one, lambda a, other=other: a[other])
    for name in _optional_names(wrong):
        yield f"when `{name}` is left out", _set(name, lambda a: None)
    for name in names:
        if all(case.arguments[name].dtype == torch.bool for case in wrong.cases):
            yield f"when True and False change places in `{name}`", _set(name, lambda a, n=name: ~a[n])
            yield f"when `{name}` is True everywhere", _set(name, lambda a, n=name: torch.ones_like(a[n]))
    for name in names:
        yield from _changes_of_one(wrong, name)


def _changes_of_one(wrong: Wrong, name: str) -> Iterator[tuple[str, Change]]:
    if all(case.arguments[name].is_floating_point() for case in wrong.cases):
        yield f"when the signs in `{name}` are turned round", _set(name, lambda a: -a[name])
        yield f"when `{name}` is all 0", _set(name, lambda a: torch.zeros_like(a[name]))
        sizes = [s for s in wrong.cases[0].sizes if all(s in case.sizes for case in wrong.cases)]
        for size in sizes:
            if len({case.sizes[size] for case in wrong.cases}) > 1:
                yield f"when `{name}` is multiplied by √{size}", _scale(name, size, 0.5)
                yield f"when `{name}` is divided by √{size}", _scale(name, size, -0.5)
                yield f"when `{name}` is multiplied by {size}", _scale(name, size, 1.0)
                yield f"when `{name}` is divided by {size}", _scale(name, size, -1.0)
        yield f"when softmax is taken of `{name}` first", _set(name, lambda a: a[name].softmax(-1))
        yield f"when each vector in `{name}` is first brought to length 1", _set(name, lambda a: _unit(a[name]))
    for axis in (-1, -2):
        words = "last axis" if axis == -1 else "last axis but one"
        yield f"when `{name}` is turned round along its {words} (last first)", _set(name, lambda a, x=axis: a[name].flip(x))
        yield f"when everything in `{name}` moves on by one along its {words}", _set(name, lambda a, x=axis: a[name].roll(1, x))
        yield f"when everything in `{name}` moves back by one along its {words}", _set(name, lambda a, x=axis: a[name].roll(-1, x))
    yield f"when the numbers in `{name}` are laid out as if its last two axes were the other way round", _set(
        name, lambda a: a[name].transpose(-2, -1).reshape(a[name].shape)
    )


def missing_entries(wrong: Wrong) -> tuple[str, str] | None:
    """The first or last entry of an axis that arguments share is not used."""
    names = _tensor_names(wrong)
    shared = sorted({size for case in wrong.cases for size in case.sizes})
    for size in shared:
        for words, start in (("last", 0), ("first", 1)):
            def cut(arguments: dict[str, Any], case: Case, size: str = size, start: int = start) -> dict[str, Any] | None:
                length = case.sizes.get(size, 0)
                if length < 2:
                    return None
                for name in names:
                    for axis, extent in enumerate(arguments[name].shape):
                        if extent == length:
                            arguments[name] = arguments[name].narrow(axis, start, length - 1)
                return arguments

            if wrong.holds_for_arguments(cut):
                return "cut", f"Your {wrong.name}: exactly what comes out when the {words} {size} is left out."
    return None


def argument_without_effect(wrong: Wrong) -> tuple[str, str] | None:
    """Run the learner's function again with other numbers in one argument: nothing changes, though it should."""
    for name in _tensor_names(wrong):
        if all(_unmoved(wrong, name, case, yours) for case, yours in zip(wrong.cases, wrong.yours, strict=True)):
            return "unused", f"Your {wrong.name}: nothing changes when other numbers stand in `{name}`, but it should."
    return None


def _unmoved(wrong: Wrong, name: str, case: Case, yours: Tensor) -> bool:
    arguments = fresh_arguments(case.arguments)
    tensor = arguments[name]
    if tensor.numel() < 2:
        return False
    arguments[name] = ~tensor if tensor.dtype == torch.bool else tensor.flip(0).roll(1, -1)
    reference = wrong.reference(fresh_arguments(arguments))
    again = try_once(wrong.function, arguments, wrong.seconds)
    target = wrong.targets[[c is case for c in wrong.cases].index(True)]
    return (
        again is not None and reference is not None and not close(reference, target) and len(again) > wrong.index
        and close(again[wrong.index], yours)
    )


def _set(name: str, value: Callable[[dict[str, Any]], Any]) -> Change:
    return lambda arguments, case: {**arguments, name: value(arguments)}


def _swap(one: str, other: str) -> Change:
    return lambda arguments, case: {**arguments, one: arguments[other], other: arguments[one]}


def _scale(name: str, size: str, power: float) -> Change:
    return lambda arguments, case: {**arguments, name: arguments[name] * math.pow(case.sizes[size], power)}


def _unit(tensor: Tensor) -> Tensor:
    return tensor / tensor.norm(dim=-1, keepdim=True)


def _tensor_names(wrong: Wrong) -> list[str]:
    return [n for n in wrong.cases[0].arguments if all(isinstance(c.arguments.get(n), Tensor) for c in wrong.cases)]


def _optional_names(wrong: Wrong) -> list[str]:
    parameters = inspect.signature(wrong.exercise.resolve()).parameters.values()
    given = list(wrong.cases[0].arguments)
    optional = [g for g, p in zip(given, parameters, strict=False) if p.default is None]
    return [name for name in optional if all(case.arguments[name] is not None for case in wrong.cases)]


ALL: tuple[Likeness, ...] = (an_argument_itself, a_stage, other_arguments, missing_entries)
LAST: tuple[Likeness, ...] = (argument_without_effect,)
