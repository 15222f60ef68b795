"""Inputs harder than an exercise's cases, made from them: other numbers, other lengths, empty axes, other masks.

Nobody lists what a task allows. Its right programs say it: an input counts where the reference, the solution and every
alternative return the same, and no number hangs on rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.tensors import changed, fresh_arguments, parts, same_result
from anatomy_course.judge.definition import Case, Exercise

Arguments = Mapping[str, Any]
Input = tuple[Arguments, Any]
"""What a function is given, and what it should return."""
SEEDS = (0, 3)
FACTORS = (-1.0, 0.01, 30.0)
FEATURES = ("d_", "vocab_size", "labels", "key", "text", "step")
"""Starts of the names of axes that are never one long: one feature tells nothing apart, one key gets all weight, and a
result of one number does not show by what it is off."""


def harder_inputs(exercise: Exercise, right: Sequence[Callable[..., Any]], seeds: Sequence[int] = SEEDS) -> list[Input]:
    """Inputs on which all right programs agree, each with what they return."""
    found = []
    for seed in seeds:
        for case in AnswerKey(exercise, seed).cases:
            for arguments in _variants(case):
                target = agreed(right, arguments) if _is_asked(arguments, case.arguments) else None
                if target is not None:
                    found.append((arguments, target))
    return found


def _is_asked(arguments: Arguments, plain: Arguments) -> bool:
    """Whether numbers keep to their range, what had one shape still has one, and a head is wider than one feature."""
    if "num_heads" in arguments and _d_model(arguments) == arguments["num_heads"]:
        return False
    if {"table", "length"} == set(arguments) and arguments["table"].shape[1] not in range(3, 100, 2):
        return False  # a column for offset 0, and as many before as behind it
    if "next_logits" in arguments and arguments["memory"].abs().max() > plain["memory"].abs().max():
        return False  # it holds a step's number, which means nothing to the model when it is another one
    if arguments.get("temperature") == 0 and "logits" not in arguments:
        return False  # nothing is drawn: it only divides
    if arguments.get("temperature") == 0 and (arguments["logits"].sort().values.diff()[-1:] < 1e-5).any():
        return False  # whoever adds to them first, or divides, cannot tell the two largest apart any more
    names = [name for name, value in plain.items() if isinstance(value, Tensor)]
    alike = [pair for pair in combinations(names, 2) if plain[pair[0]].shape == plain[pair[1]].shape]
    if any(arguments[one].shape != arguments[other].shape for one, other in alike):
        return False
    return all(_in_range(value, plain[name]) for name, value in arguments.items())


def _d_model(arguments: Arguments) -> int:
    """Of the vectors that come first; of a module, what its constructor takes."""
    first = next(iter(arguments.values()))
    return int(first.shape[-1] if isinstance(first, Tensor) else arguments["d_model"])


def _in_range(value: Any, plain: Any) -> bool:
    if isinstance(plain, list):
        return len(value) > 0
    if isinstance(plain, bool) or not isinstance(plain, int | float | Tensor):
        return True
    values, before = torch.as_tensor(value).double().flatten(), torch.as_tensor(plain).double().flatten()
    if not len(values) or not len(before):
        return True
    if not isinstance(plain, Tensor):
        return value >= min(plain, 0) if plain <= 0 else value > 0 and (value < 1 or plain >= 1)
    if plain.is_floating_point():
        if before.abs().max() > 1:
            return True
        return bool(values.min() >= (0 if before.min() >= 0 else -1) and values.max() <= 1)
    least = before[before >= 0].min().clamp(max=1) if (before >= 0).any() else torch.tensor(0)
    return bool(((values >= least) | torch.isin(values, before[before < 0])).all())


def agreed(right: Sequence[Callable[..., Any]], arguments: Arguments) -> Any:
    """What all right programs return; None where one of them stops, or returns something else, or not a number."""
    results = []
    for function in right:
        given = fresh_arguments(arguments)
        try:
            results.append(function(*given.values()))
        except Exception:
            return None
        if not same_result(results[0], results[-1]) or changed(arguments, given):
            return None
    numbers = parts(results[0]) or ()
    if any(part.isnan().any() for part in numbers) or _hangs_on_rounding(right[0], arguments, numbers):
        return None
    return results[0]


def only_rounding(function: Callable[..., Any], right: Callable[..., Any], arguments: Arguments) -> bool:
    """Whether two functions return the same when they are given more digits, and nearly the same without."""
    try:
        rough = [parts(each(*fresh_arguments(arguments).values())) or () for each in (function, right)]
        fine = [each(*fresh_arguments(_with_more_digits(arguments)).values()) for each in (function, right)]
    except Exception:
        return False
    return same_result(*fine) and all(
        a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a.double(), b.double(), 1e-2, 1e-2)
        for a, b in zip(*rough, strict=True)
    )


def _with_more_digits(arguments: Arguments) -> Arguments:
    return {n: v.double() if isinstance(v, Tensor) and v.is_floating_point() else v for n, v in arguments.items()}


def _hangs_on_rounding(function: Callable[..., Any], arguments: Arguments, numbers: Sequence[Tensor]) -> bool:
    """Whether more digits give another result."""
    try:
        results = parts(function(*fresh_arguments(_with_more_digits(arguments)).values())) or ()
    except Exception:  # its functions have weights of fewer digits
        return False
    if len(results) != len(numbers):
        return False
    return any(
        a.shape == b.shape and not torch.allclose(a.double(), b.double(), rtol=1e-5, atol=5e-6)
        for a, b in zip(numbers, results, strict=True)
    )


def _variants(case: Case) -> Iterator[Arguments]:
    arguments = dict(case.arguments)
    floats = [name for name, value in arguments.items() if isinstance(value, Tensor) and value.is_floating_point()]
    for name, value in arguments.items():
        for other in [*_other_numbers(value), *_other_shapes(value, set(case.sizes.values()))]:
            yield {**arguments, name: other}
    for factor in FACTORS:
        yield {**arguments, **{name: arguments[name] * factor for name in floats}}
    named = {length: name for name, length in case.sizes.items()}
    for length in sorted({length for value in arguments.values() for length in _lengths(value)}):
        features = length not in named or named[length].startswith(FEATURES)
        for wanted in (1, 2, length - 1, 2 * length):
            if wanted > 1 or (wanted == 1 and not features):
                yield {name: _resized(value, length, wanted) for name, value in arguments.items()}


def _other_numbers(value: Any) -> Iterator[Any]:
    """Other values of one argument, of the same shape."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value - 2, value - 1, value + 1, value + 2, 2 * value, 0, 1, 2, 3, 50)
    elif isinstance(value, float):
        yield from (0.0, 1.0, 0.5, 2.0, value / 10, value * 10)
    elif isinstance(value, list):
        yield from ([], value[:1], value[:-1], value[::-1], value + value)
    elif isinstance(value, Tensor) and value.is_floating_point() and value.numel():
        yield from (value * factor for factor in FACTORS)
        yield from (value + 100, value - 100, torch.ones_like(value), value.abs(), value.flip(-1))
        yield from (value.flip(0), value.sort(-1).values)
    elif isinstance(value, Tensor) and value.dim() and value.numel():
        generator = torch.Generator().manual_seed(0)
        few = [int(each) for each in value.unique()[:6]]
        yield from (torch.full_like(value, each) for each in few)
        yield value.flatten()[torch.randint(value.numel(), value.shape, generator=generator)]
        yield from (value.flip(0), value.flip(-1))
        if set(few) <= {0, 1}:
            for share in (0.0, 0.2, 0.5, 0.8, 1.0):
                yield (torch.rand(value.shape, generator=generator) < share).to(value.dtype)
        else:
            yield from (value + 1, value - 1, value * 7)


def _other_shapes(value: Any, shared: set[int]) -> Iterator[Tensor]:
    """One axis of one argument longer or shorter, unless others have it as well."""
    if isinstance(value, Tensor):
        for axis, length in enumerate(value.shape):
            if length > 2 and length not in shared:
                yield value.narrow(axis, 0, length - 1)
                yield torch.cat([value, value.flip(axis)], axis)


def _lengths(value: Any) -> set[int]:
    if isinstance(value, Tensor):
        return {length for length in value.shape if length}
    return {value} if type(value) is int and value > 1 else set()


def _resized(value: Any, length: int, wanted: int) -> Any:
    """With every axis of that length, and a number that says it, changed to the wanted length."""
    if type(value) is int and value == length:
        return wanted
    if isinstance(value, Tensor):
        for axis, now in enumerate(value.shape):
            if now == length:
                value = torch.cat([value, value.flip(axis)], axis).narrow(axis, 0, wanted)
    return value
