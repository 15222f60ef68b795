"""Likenesses in the numbers of an answer that has the right shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from anatomy_utils.exercises.exercise import Case
from anatomy_utils.exercises.likeness import Likeness, Wrong
from anatomy_utils.exercises.tensors import close

STEADY = 1e-3
"""How far a factor or an offset may wander between cells and cases and still be called one number."""


def all_one_number(wrong: Wrong) -> tuple[str, str] | None:
    firsts = [yours.flatten()[:1] for yours, _ in wrong.pairs()]
    if any(y.numel() < 2 or not close(y, f.expand(y.shape)) for (y, _), f in zip(wrong.pairs(), firsts, strict=True)):
        return None
    if wrong.yours[0].dtype == torch.bool:
        values = {bool(first) for first in firsts}
        return ("constant", f"Every cell of your {wrong.name} is {values.pop()}.") if len(values) == 1 else None
    number = _one_number([float(first) for first in firsts])
    what = f"is {_say(number)}" if number is not None else "holds the same number"
    return "constant", f"Every cell of your {wrong.name} {what}, whatever comes in."


def opposite(wrong: Wrong) -> tuple[str, str] | None:
    if all(y.dtype == t.dtype == torch.bool and torch.equal(y, ~t) for y, t in zip(wrong.yours, wrong.targets, strict=True)):
        return "opposite", "Every cell is the opposite of the target: True and False have changed places."
    return None


def one_factor(wrong: Wrong) -> tuple[str, str] | None:
    """y = c · t, with the same c everywhere or with a c that is made of one size."""
    factors = [_factor(y, t) for y, t in wrong.pairs()]
    known = [factor for factor in factors if factor is not None]
    if len(known) < len(factors) or _is_bool(wrong) or all(abs(f) < 1e-9 for f in known):
        return None
    number = _one_number(known)
    if number is not None and abs(number + 1) < STEADY:
        return "sign", f"In your {wrong.name} every sign is turned round: where the target has +, you have −, and the other way."
    if number is not None:
        return "factor", f"Your {wrong.name}: every number is the target's times {_say(number)}."
    words = _size_in_words(known, wrong.cases)
    if words:
        return "size_factor", f"Your {wrong.name}: every number is the target's {words}."
    return None


def one_offset(wrong: Wrong) -> tuple[str, str] | None:
    offsets = []
    for yours, target in wrong.pairs():
        if yours.numel() < 2 or not bool((yours.isfinite() & target.isfinite()).all()):
            return None
        offset = (yours - target).mean()
        if not close(yours, target + offset):
            return None
        offsets.append(float(offset))
    if _is_bool(wrong):
        return None
    number = _one_number(offsets)
    much = f"{_say(abs(number))} too {'large' if number > 0 else 'small'}" if number is not None else (
        "too large or too small by one and the same amount within a case"
    )
    return "offset", f"Your {wrong.name}: every number is {much}."


def opposite_sums(wrong: Wrong) -> tuple[str, str] | None:
    """The target sums to 1 along its last axis, yours along another: a softmax over the wrong axis."""
    if not _all_sum_to_one(wrong.targets, -1) or _all_sum_to_one(wrong.yours, -1):
        return None
    target = wrong.targets[0]
    rows = wrong.axis(-1, target)
    for axis in (-2, -3, -4):
        if min(t.dim() for t in wrong.targets) >= -axis and _all_sum_to_one(wrong.yours, axis):
            return "sum_axis", (
                f"Your {wrong.name} sum to 1 over the {wrong.axis(axis, target)} axis; "
                f"they should sum to 1 over the {rows} axis."
            )
    if all(close(y.sum(), torch.tensor(1.0, dtype=torch.float64)) and t.dim() > 1 for y, t in wrong.pairs()):
        return "sum_all", f"All your {wrong.name} together sum to 1; each row by itself should, over the {rows} axis."
    return None


def temperature(wrong: Wrong) -> tuple[str, str] | None:
    """Weights that come from the right scores times one number: too sharp or too flat."""
    if not _all_sum_to_one(wrong.targets, -1) or not _all_sum_to_one(wrong.yours, -1):
        return None
    powers = [_power(y, t) for y, t in wrong.pairs()]
    known = [power for power in powers if power is not None]
    if len(known) < len(powers):
        return None
    number = _one_number(known)
    words = f"times {_say(number)}" if number is not None else _size_in_words(known, wrong.cases)
    if words is None or any(abs(p - 1) < STEADY for p in known):
        return None
    if all(p > 1 for p in known):
        look = "too sharp"
    elif all(0 < p < 1 for p in known):
        look = "too flat"
    else:
        look = "not those of the target"
    return "temperature", (
        f"Each row of your {wrong.name} sums to 1, but the weights are {look}: "
        f"they belong to scores that are the right ones {words}."
    )


def scaled_rows(wrong: Wrong) -> tuple[str, str] | None:
    for axis, words in ((-1, "row"), (-2, "column")):
        if not _each_line(wrong, axis, lambda y, t: _factor(y, t) is not None):
            continue
        if _all_sum_to_one(wrong.targets, -1) and axis == -1:
            return "row_factor", (
                f"Within each row the proportions of your {wrong.name} are right, but the rows do not sum to 1: "
                f"they sum to {_sums(wrong)}."
            )
        return "row_factor", f"Your {wrong.name}: each {words} is the target's {words} times a number of its own."
    return None


def shifted_rows(wrong: Wrong) -> tuple[str, str] | None:
    for axis, words in ((-1, "row"), (-2, "column")):
        if _each_line(wrong, axis, lambda y, t: close(y, t + (y - t).mean())):
            return "row_offset", f"Your {wrong.name}: each {words} is the target's {words} plus a number of its own."
    return None


def function_of_target(wrong: Wrong) -> tuple[str, str] | None:
    if _is_bool(wrong):
        return None
    whole = [(words, change) for words, change in _whole(wrong)]
    for words, change in (*CELLWISE, *whole):
        if wrong.holds(change) and not all(close(y, t) for y, t in wrong.pairs()):
            return "function", f"Your {wrong.name}: this is {words}."
    return None


CELLWISE: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("the target without its signs", torch.abs),
    ("the target with every negative number set to 0", torch.relu),
    ("the target squared", torch.square),
    ("the root of the target", torch.sqrt),
    ("e to the power of the target", torch.exp),
    ("the logarithm of the target", torch.log),
    ("the target cut down to whole numbers", torch.trunc),
    ("the target rounded to whole numbers", torch.round),
    ("the target rounded to one digit", lambda t: torch.round(t, decimals=1)),
    ("the target rounded to two digits", lambda t: torch.round(t, decimals=2)),
    ("the target squeezed by tanh", torch.tanh),
    ("the target squeezed by a sigmoid", torch.sigmoid),
    ("1 divided by the target", torch.reciprocal),
)


def _whole(wrong: Wrong) -> Iterator[tuple[str, Callable[[Tensor], Tensor]]]:
    for axis in range(-1, -1 - min(t.dim() for t in wrong.targets), -1):
        name = wrong.axis(axis, wrong.targets[0])
        yield f"softmax of the target, over the {name} axis: one softmax too many", lambda t, a=axis: t.softmax(a)
        yield f"the logarithm of softmax of the target, over the {name} axis", lambda t, a=axis: t.log_softmax(a)
        yield f"the target minus its average over the {name} axis", lambda t, a=axis: t - t.mean(a, keepdim=True)
        yield f"the target minus its largest number over the {name} axis", lambda t, a=axis: t - t.amax(a, keepdim=True)
        yield f"the target divided by its sum over the {name} axis", lambda t, a=axis: t / t.sum(a, keepdim=True)
        yield f"the target divided by its length over the {name} axis", lambda t, a=axis: t / t.norm(dim=a, keepdim=True)
        yield f"the running sum of the target over the {name} axis", lambda t, a=axis: t.cumsum(a)
        yield f"the target turned round along the {name} axis: last first", lambda t, a=axis: t.flip(a)
        yield f"the target moved on by one place along the {name} axis", lambda t, a=axis: t.roll(1, a)
        yield f"the target moved back by one place along the {name} axis", lambda t, a=axis: t.roll(-1, a)
        yield f"the target sorted along the {name} axis", lambda t, a=axis: t.sort(a).values


def wrong_sums(wrong: Wrong) -> tuple[str, str] | None:
    if not _all_sum_to_one(wrong.targets, -1):
        return None
    if any(bool((y < -1e-6).any()) for y, _ in wrong.pairs()) and all(bool((y < -1e-6).any()) for y, _ in wrong.pairs()):
        return "negative_weights", f"Some of your {wrong.name} are below 0; a weight is 0 or more."
    if all(_no_row_sums_to_one(y) for y, _ in wrong.pairs()):
        return "sums", f"The rows of your {wrong.name} should each sum to 1; they sum to {_sums(wrong)}."
    return None


def _no_row_sums_to_one(yours: Tensor) -> bool:
    sums = yours.sum(-1)
    return bool(((sums - 1).abs() > 1e-3).all())


def _sums(wrong: Wrong) -> str:
    sums = torch.cat([y.sum(-1).flatten() for y, _ in wrong.pairs()])
    low, high = float(sums.min()), float(sums.max())
    return _say(low) if abs(high - low) < STEADY else f"numbers from {_say(low)} to {_say(high)}"


def _each_line(wrong: Wrong, axis: int, same: Callable[[Tensor, Tensor], bool]) -> bool:
    """Whether `same` holds for each row (or column) of at least two cells, and there are several of them."""
    if _is_bool(wrong):
        return False
    for yours, target in wrong.pairs():
        if target.dim() < 2 or target.shape[axis] < 3 or not bool((yours.isfinite() & target.isfinite()).all()):
            return False
        lines = zip(
            yours.movedim(axis, -1).flatten(0, -2), target.movedim(axis, -1).flatten(0, -2), strict=True
        )
        if not all(same(y, t) for y, t in lines):
            return False
    return True


def _factor(yours: Tensor, target: Tensor) -> float | None:
    """c with yours = c · target; None when there is no such number or it cannot be told from few cells."""
    if target.numel() < 2 or not bool((yours.isfinite() & target.isfinite()).all()):
        return None
    length = float(target.square().sum())
    if length == 0 or int((target.abs() > 1e-6).sum()) < 2:
        return None
    factor = float((yours * target).sum()) / length
    return factor if close(yours, factor * target) else None


def _power(yours: Tensor, target: Tensor) -> float | None:
    """p with yours ∝ target ** p in every row."""
    if bool(((yours > 1e-30) != (target > 1e-30)).any()):
        return None
    inside = target > 1e-30
    log_yours, log_target = (torch.where(inside, x.clamp_min(1e-30).log(), 0.0) for x in (yours, target))
    count = inside.sum(-1, keepdim=True).clamp_min(1)
    log_yours, log_target = (
        torch.where(inside, x - x.sum(-1, keepdim=True) / count, 0.0) for x in (log_yours, log_target)
    )
    length = float(log_target.square().sum())
    if length < 1e-9 or inside.shape[-1] < 3:
        return None
    power = float((log_yours * log_target).sum()) / length
    return power if torch.allclose(log_yours, power * log_target, 2e-3, 2e-3) else None


def _one_number(numbers: list[float]) -> float | None:
    """The number that all of them are, or None."""
    middle = sum(numbers) / len(numbers)
    return middle if all(abs(n - middle) <= STEADY * max(abs(middle), 1e-6) for n in numbers) else None


def _size_in_words(factors: list[float], cases: object) -> str | None:
    known: list[Case] = list(cases)  # type: ignore[call-overload]
    names = [name for name in known[0].sizes if all(name in case.sizes for case in known)]
    if len({tuple(case.sizes[n] for n in names) for case in known}) < 2:
        return None
    ways: tuple[tuple[str, Callable[[float], float]], ...] = (
        ("times √{}", math.sqrt),
        ("divided by √{}", lambda s: 1 / math.sqrt(s)),
        ("times {}", float),
        ("divided by {}", lambda s: 1 / s),
    )
    for name in names:
        if len({case.sizes[name] for case in known}) < 2:
            continue
        for words, way in ways:
            if all(abs(f / way(case.sizes[name]) - 1) < 2 * STEADY for f, case in zip(factors, known, strict=True)):
                return words.format(name)
    return None


def _all_sum_to_one(tensors: object, axis: int) -> bool:
    for tensor in tensors:  # type: ignore[attr-defined]
        if not tensor.is_floating_point() or tensor.dim() < -axis or tensor.numel() == 0:
            return False
        sums = tensor.to(torch.float64).sum(axis)
        if not bool((((sums - 1).abs() < 1e-4) | (sums.abs() < 1e-9)).all()) or bool((sums.abs() < 1e-9).all()):
            return False
        if bool((tensor < -1e-6).any()):
            return False
    return True


def _is_bool(wrong: Wrong) -> bool:
    return wrong.targets[0].dtype == torch.bool


def _say(number: float) -> str:
    nearest = round(number)
    if abs(number - nearest) < 1e-4:
        return str(nearest).replace("-", "−")
    return f"{number:.3g}".replace("-", "−")


FIRST: tuple[Likeness, ...] = (all_one_number, opposite, one_factor, one_offset, opposite_sums, temperature)
REST: tuple[Likeness, ...] = (scaled_rows, shifted_rows, function_of_target, wrong_sums)
