"""Diagnoses by the arguments: what the reference makes of them swapped, left out, turned round or cut short."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.attempt.run import try_once
from anatomy_course.judge.attempt.tensors import close, fresh_arguments, numbers, plain
from anatomy_course.judge.definition import Case
from anatomy_course.judge.diagnosis.values import one_of, say, size_words
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, WrongOutput, same_shapes

LONGEST = 0.5
"""Seconds of work: a module with a dozen weights, which is built and trained anew each time, would take ten."""

Change = Callable[[dict[str, Any], Case], dict[str, Any] | None]


def an_argument_itself(wrong: WrongOutput) -> tuple[str, str] | None:
    """One of the arguments, unchanged."""
    for name in _tensor_names(wrong):
        given = [numbers(plain(case.arguments[name])) for case in wrong.cases]
        if all(map(close, map(numbers, wrong.yours), given)):
            return "argument", f"You return `{name}` just as it came in."
    return None


def a_stage(wrong: WrongOutput) -> tuple[str, str] | None:
    """The answer stops at one of the tensors that lie on the way."""
    for name, tensors in wrong.stages.items():
        if all(map(close, wrong.yours, tensors)):
            return "stage", f"What you return as {wrong.name} is only the {name}: up to there it is right."
    for name, tensors in wrong.stages.items():
        if (factor := _stage_factor(wrong, tensors)) is not None:
            words = "with every sign flipped" if abs(factor + 1) < 1e-3 else f"times {say(factor)}, whatever the sizes"
            return "stage_factor", f"{wrong.this_is} the {name} {words}."
    return None


def _stage_factor(wrong: WrongOutput, stages: list[Tensor]) -> float | None:
    """c with yours = c · stage on all cases (two at least)."""
    if len(stages) < 2 or not same_shapes(wrong.yours, stages) or not all(bool(s.isfinite().all()) for s in stages):
        return None
    length = sum(float(s.double().square().sum()) for s in stages)
    product = sum(float((y.double() * s.double()).sum()) for y, s in zip(wrong.yours, stages, strict=True))
    factor = product / length if length else 0.0
    alike = all(close(numbers(y), factor * numbers(s)) for y, s in zip(wrong.yours, stages, strict=True))
    return factor if alike and abs(factor) > 1e-9 else None


def other_arguments(wrong: WrongOutput) -> tuple[str, str] | None:
    """What the reference makes of arguments that are swapped, left out or changed."""
    if _always_one_number(wrong):
        return None
    begun = time.thread_time()
    for words, change in _changes(wrong):
        if wrong.holds_for_arguments(change):
            return "inputs", f"{wrong.this_is} exactly what comes out {words}."
        if time.thread_time() - begun > LONGEST:
            break
    return None


def _always_one_number(wrong: WrongOutput) -> bool:
    """Whether it is one number, whatever comes in: that can come from many things."""
    numbers = {float(y) for y in wrong.yours if y.numel() == 1}
    return len(wrong.cases) > 1 and len(numbers) == 1 and all(y.numel() == 1 for y in wrong.yours)


def _changes(wrong: WrongOutput) -> Iterator[tuple[str, Change]]:
    names = _tensor_names(wrong)
    for one, other in combinations(names, 2):
        yield f"when `{one}` and `{other}` are swapped", _swap(one, other)
        yield f"when `{one}` is used in place of `{other}`", _put(one, other)
        yield f"when `{other}` is used in place of `{one}`", _put(other, one)
    for name in _optional_names(wrong):
        yield f"when `{name}` is left out", _map(name, lambda value: None)
    for name in names:
        if all(case.arguments[name].dtype == torch.bool for case in wrong.cases):
            yield f"when True and False are swapped in `{name}`", _map(name, torch.logical_not)
            yield f"when `{name}` is True everywhere", _map(name, torch.ones_like)
    for name in names:
        yield from _changes_of_one(wrong, name)


def _changes_of_one(wrong: WrongOutput, name: str) -> Iterator[tuple[str, Change]]:
    if all(case.arguments[name].is_floating_point() for case in wrong.cases):
        yield f"when the signs in `{name}` are flipped", _map(name, torch.neg)
        yield f"when `{name}` is all 0", _map(name, torch.zeros_like)
        for size in (s for s in wrong.cases[0].sizes if all(s in case.sizes for case in wrong.cases)):
            if len({case.sizes[size] for case in wrong.cases}) > 1:
                root, itself = size_words(size, root=True), size_words(size)
                yield f"when `{name}` is multiplied by {root}", _scale(name, size, 0.5)
                yield f"when `{name}` is divided by {root}", _scale(name, size, -0.5)
                yield f"when `{name}` is multiplied by {itself}", _scale(name, size, 1.0)
                yield f"when `{name}` is divided by {itself}", _scale(name, size, -1.0)
        for words, way in OF_NUMBERS:
            yield f"when {words.format(name)}", _map(name, way)
    for axis, which in ((-1, "last axis"), (-2, "second-to-last axis")):
        for words, along in ALONG:
            yield f"when {words.format(name, which)}", _map(name, partial(along, a=axis))  # type: ignore[call-arg]
    for words, way in LAID_OUT:
        yield f"when {words.format(name)}", _map(name, way)


OF_NUMBERS: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("`{}` counts twice", lambda t: 2 * t),
    ("`{}` counts half", lambda t: t / 2),
    ("every number in `{}` is squared", torch.square),
    ("every number in `{}` loses its sign", torch.abs),
    ("1 − `{0}` is used in place of `{0}`", lambda t: 1 - t),
    ("its average is subtracted from each vector in `{}`", lambda t: t - t.mean(-1, keepdim=True)),
    ("`{}` is sorted along its last axis", lambda t: t.sort(-1).values),
    ("softmax is taken of `{}` first", lambda t: t.softmax(-1)),
    ("each vector in `{}` is first scaled to length 1", lambda t: t / t.norm(dim=-1, keepdim=True)),
)
ALONG: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...] = (
    ("`{}` is reversed along its {}", lambda t, a: t.flip(a)),
    ("everything in `{}` is shifted forward by one along its {}", lambda t, a: t.roll(1, a)),
    ("everything in `{}` is shifted back by one along its {}", lambda t, a: t.roll(-1, a)),
)
LAID_OUT: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    (
        "the numbers in `{}` are arranged as if its last two axes were swapped",
        lambda t: t.transpose(-2, -1).reshape(t.shape),
    ),
    (
        "the last two axes of `{}` are not swapped, but its numbers are re-cut (reshape or view)",
        lambda t: t.reshape(*t.shape[:-2], t.shape[-1], t.shape[-2]).transpose(-2, -1),
    ),
)


def missing_entries(wrong: WrongOutput) -> tuple[str, str] | None:
    """Along an axis that arguments share, the first or last entry is not used, or only that one is."""
    if _always_one_number(wrong):
        return None
    for size in sorted({size for case in wrong.cases for size in case.sizes}):
        for words, start, keep in (
            ("the last {} is left out", 0, None),
            ("the first {} is left out", 1, None),
            ("only the last {} counts", -1, 1),
            ("only the first {} counts", 0, 1),
        ):
            if wrong.holds_for_arguments(_cut(_tensor_names(wrong), size, start, keep)):
                return "cut", f"{wrong.this_is} exactly what comes out when {words.format(one_of(size))}."
    return None


def _cut(names: list[str], size: str, start: int, keep: int | None) -> Change:
    def cut(arguments: dict[str, Any], case: Case) -> dict[str, Any] | None:
        length = case.sizes.get(size, 0)
        if length < 2:
            return None
        kept = keep or length - 1
        first = start if start >= 0 else length + start
        for name in names:
            for axis, extent in enumerate(arguments[name].shape):
                if extent == length:
                    arguments[name] = arguments[name].narrow(axis, first, kept)
        return arguments

    return cut


def of_one_argument(wrong: WrongOutput) -> tuple[str, str] | None:
    """The answer is a plain sum, average, median … of one argument."""
    ways: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...] = (
        ("the first entry of `{}` along its axis {}", lambda t, a: t.select(a, 0)),
        ("the last entry of `{}` along its axis {}", lambda t, a: t.select(a, -1)),
        ("the sum of `{}` over its axis {}", lambda t, a: t.sum(a)),
        ("the plain average of `{}` over its axis {}", lambda t, a: t.mean(a)),
        ("the median of `{}` over its axis {}", lambda t, a: t.median(a).values),
        ("the largest numbers of `{}` over its axis {}", lambda t, a: t.amax(a)),
        ("the smallest numbers of `{}` over its axis {}", lambda t, a: t.amin(a)),
        ("the product of `{}` over its axis {}", lambda t, a: t.prod(a)),
        ("softmax of `{}` over its axis {}", lambda t, a: t.softmax(a)),
    )
    for name in _tensor_names(wrong):
        given = [numbers(plain(case.arguments[name])) for case in wrong.cases]
        for axis in range(min(g.dim() for g in given)):
            for words, way in ways:
                pairs = zip(given, wrong.yours, strict=True)
                if all(g.numel() > 1 and close(numbers(y), way(g, axis)) for g, y in pairs):
                    return "of_argument", f"{wrong.this_is} {words.format(name, axis)}."
    return None


def argument_without_effect(wrong: WrongOutput) -> tuple[str, str] | None:
    """Run the learner's function again with other numbers in one argument: nothing changes, though it should."""
    for name in _tensor_names(wrong):
        triples = zip(wrong.cases, wrong.yours, wrong.targets, strict=True)
        if all(_unmoved(wrong, name, case, yours, target) for case, yours, target in triples):
            said = f"Nothing in your {wrong.name} changes when the numbers in `{name}` change, but something should."
            return "unused", said
    return None


def _unmoved(wrong: WrongOutput, name: str, case: Case, yours: Tensor, target: Tensor) -> bool:
    arguments = fresh_arguments(case.arguments)
    tensor = arguments[name]
    if tensor.numel() < 2:
        return False
    arguments[name] = ~tensor if tensor.dtype == torch.bool else tensor.flip(0).roll(1, -1)
    if tensor.is_floating_point():  # another sum, another average and other ratios too
        arguments[name] += torch.linspace(-1, 1, tensor.numel(), dtype=tensor.dtype).square().reshape(tensor.shape)
    reference = wrong.reference(fresh_arguments(arguments))
    if reference is None or close(reference[wrong.index], target):
        return False
    again = try_once(wrong.trial.call_again, arguments, SECONDS)
    return again is not None and len(again) > wrong.index and close(again[wrong.index], yours)


def _map(name: str, way: Callable[[Any], Any]) -> Change:
    return lambda arguments, case: {**arguments, name: way(arguments[name])}


def _put(one: str, other: str) -> Change:
    return lambda arguments, case: {**arguments, other: arguments[one]}


def _swap(one: str, other: str) -> Change:
    return lambda arguments, case: {**arguments, one: arguments[other], other: arguments[one]}


def _scale(name: str, size: str, power: float) -> Change:
    return lambda arguments, case: {**arguments, name: arguments[name] * math.pow(case.sizes[size], power)}


def _tensor_names(wrong: WrongOutput) -> list[str]:
    return [n for n in wrong.cases[0].arguments if all(isinstance(c.arguments.get(n), Tensor) for c in wrong.cases)]


def _optional_names(wrong: WrongOutput) -> list[str]:
    parameters = inspect.signature(wrong.right).parameters.values()
    optional = [given for given, p in zip(wrong.cases[0].arguments, parameters, strict=False) if p.default is None]
    return [name for name in optional if all(case.arguments[name] is not None for case in wrong.cases)]
