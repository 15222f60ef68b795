"""Diagnoses of size: the target times a number, plus a number, row by row or as a whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from anatomy_course.figures import canvas
from anatomy_course.judge.attempt.tensors import close
from anatomy_course.judge.definition import Case
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput

STEADY = 1e-3
"""How far a factor or an offset may wander between cells and cases and still be called one number."""
KNOWN = {
    "log 2": math.log(2), "log 10": math.log(10), "1/log 2": 1 / math.log(2), "1/log 10": 1 / math.log(10),
    "√2": 2**0.5, "1/√2": 0.5**0.5, "√3": 3**0.5, "1/√3": 3**-0.5, "1/3": 1 / 3, "e": math.e, "1/e": 1 / math.e,
    "π": math.pi,
}  # fmt: skip
"""Numbers that are told by name."""


def all_one_number(wrong: WrongOutput) -> tuple[str, str] | None:
    """The same number, or the same truth value, in every cell."""
    firsts = [yours.flatten()[:1] for yours, _ in wrong.pairs()]
    if any(y.numel() < 2 or not close(y, f.expand(y.shape)) for (y, _), f in zip(wrong.pairs(), firsts, strict=True)):
        return None
    if wrong.yours[0].dtype == torch.bool:
        values = {bool(first) for first in firsts}
        return ("constant", f"Every cell of your {wrong.name} is {values.pop()}.") if len(values) == 1 else None
    number = one_number([float(first) for first in firsts])
    what = f"is {say(number)}" if number is not None else "holds the same number"
    always = ", whatever comes in" if len(wrong.cases) == len(wrong.trial.cases) > 1 else ""
    return "constant", f"Every cell of your {wrong.name} {what}{always}."


def one_factor(wrong: WrongOutput) -> tuple[str, str] | None:
    """y = c · t, with the same c everywhere or with a c that is made of one size."""
    known = _factors(wrong)
    if known is None:
        return None
    number = one_number(known)
    if number is not None and abs(number - 1) < STEADY:
        return None
    if number is not None and abs(number + 1) < STEADY:
        said = f"In your {wrong.name} every sign is flipped: where the target has +, you have −, and vice versa."
        return "sign", said
    if number is not None:
        return "factor", f"In your {wrong.name} every number is the target's times {named(number)}."
    words = size_in_words(known, wrong.cases)
    if words:
        return "size_factor", f"In your {wrong.name} every number is the target's {words}."
    return None


def factor_per_case(wrong: WrongOutput) -> tuple[str, str] | None:
    """y = c · t, with a c that changes from case to case and is made of no single size."""
    known = _factors(wrong)
    if known is None or len(known) < 2 or one_number(known) is not None:
        return None
    return "case_factor", (
        f"In your {wrong.name} every number is the target's times one number, but another one in each case "
        f"({two_cases(known, wrong.cases)})."
    )


def two_cases(factors: list[float], cases: Sequence[Case]) -> str:
    """Two different factors, each with the sizes in which their cases differ."""
    other = max(range(len(factors)), key=lambda i: abs(factors[i] - factors[0]))
    sizes, others = cases[0].sizes, cases[other].sizes
    differing = [name for name in sizes if sizes[name] != others.get(name)]
    return " and ".join(
        f"{say(factors[i])} with {', '.join(f'{name} {cases[i].sizes[name]}' for name in differing)}"
        for i in (0, other)
    )


def one_offset(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target plus one number."""
    offsets = []
    for yours, target in wrong.pairs():
        finite = target.isfinite()
        if yours.numel() < 2 or not bool(finite.any()) or not torch.equal(yours.isfinite(), finite):
            return None
        difference = (yours - target)[finite]
        offset = difference.mean()
        whole = bool((difference == difference.round()).all())
        if not close(yours, target + offset) or (whole and bool((difference != difference[0]).any())):
            return None
        offsets.append(float(offset))
    if is_bool(wrong):
        return None
    number = one_number(offsets)
    much = (
        f"{say(abs(number))} too {'large' if number > 0 else 'small'}"
        if number is not None
        else ("too large or too small by one and the same amount within a case")
    )
    return "offset", f"In your {wrong.name} every number is {much}."


def scaled_rows(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target with each row, or each column, times a number of its own."""
    for axis, words in ((-1, "row"), (-2, "column")):
        if each_line(wrong, axis, proportional):
            return "row_factor", f"In your {wrong.name} each {words} is the target's {words} times a number of its own."
    return None


def shifted_rows(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target with each row, or each column, plus a number of its own."""
    for axis, words in ((-1, "row"), (-2, "column")):
        if each_line(wrong, axis, lambda y, t: close(y, t + (y - t).mean()) and not close(y, t)):
            return "row_offset", f"In your {wrong.name} each {words} is the target's {words} plus a number of its own."
    return None


def proportional(yours: Tensor, target: Tensor) -> bool:
    """Whether yours is the target times one number."""
    return _factor(yours, target) is not None


def each_line(wrong: WrongOutput, axis: int, same: Callable[[Tensor, Tensor], bool]) -> bool:
    """Whether `same` holds for each row (or column) of at least two cells, and there are several of them."""
    if is_bool(wrong):
        return False
    for yours, target in wrong.pairs():
        if target.dim() < 2 or target.shape[axis] < 3 or not bool((yours.isfinite() & target.isfinite()).all()):
            return False
        lines = zip(yours.movedim(axis, -1).flatten(0, -2), target.movedim(axis, -1).flatten(0, -2), strict=True)
        if not all(same(y, t) for y, t in lines):
            return False
    return True


def _factor(yours: Tensor, target: Tensor) -> float | None:
    """c with yours = c · target; None when there is no such number or it cannot be told from few cells."""
    inside = target.isfinite() & (target.abs() > 1e-6)
    if int(inside.sum()) < 2 or not torch.equal(yours.isfinite(), target.isfinite()):
        return None
    here, there = yours[inside], target[inside]
    factor = float((here * there).sum()) / float(there.square().sum())
    return factor if close(yours, factor * target) else None


def _factors(wrong: WrongOutput) -> list[float] | None:
    """One factor per case. A case of a single number only has one if a case with more numbers has one, too."""
    factors = [_factor(y, t) for y, t in wrong.pairs()]
    if is_bool(wrong) or all(factor is None for factor in factors):
        return None
    for i, (yours, target) in enumerate(wrong.pairs()):
        if factors[i] is None and yours.numel() == 1 and bool(target.abs() > 1e-6):
            factors[i] = float(yours / target)
    known = [factor for factor in factors if factor is not None]
    return known if len(known) == len(factors) and not all(abs(f) < 1e-9 for f in known) else None


def one_number(numbers: list[float]) -> float | None:
    """The number that all of them are, or None."""
    middle = sum(numbers) / len(numbers)
    return middle if all(abs(n - middle) <= STEADY * max(abs(middle), 1e-6) for n in numbers) else None


def size_in_words(factors: list[float], known: Sequence[Case]) -> str | None:
    """The size that some factors are made of: `"divided by √d_head"`; None when there is no such size."""
    names = [name for name in known[0].sizes if all(name in case.sizes for case in known)]
    if len({tuple(case.sizes[n] for n in names) for case in known}) < 2:
        return None
    ways: tuple[tuple[str, Callable[[float], float], bool], ...] = (
        ("times {}", math.sqrt, True),
        ("divided by {}", lambda s: 1 / math.sqrt(s), True),
        ("times {}", float, False),
        ("divided by {}", lambda s: 1 / s, False),
    )
    for name in names:
        if len({case.sizes[name] for case in known}) < 2:
            continue
        for words, way, root in ways:
            if all(abs(f / way(case.sizes[name]) - 1) < 2 * STEADY for f, case in zip(factors, known, strict=True)):
                return words.format(size_words(name, root=root))
    return None


def size_words(name: str, *, root: bool = False) -> str:
    """A size in words: `"the number of keys"`, `"√d_head"`."""
    counted = {
        "query": "queries", "key": "keys", "position": "positions", "batch": "sentences",
        "heads": "heads", "kv_heads": "key heads", "group": "heads in a group",
    }  # fmt: skip
    if name in counted:
        return f"{'the root of ' if root else ''}the number of {counted[name]}"
    return f"√{name}" if root else name


def one_of(name: str) -> str:
    """What one entry of an axis is called: `"head"` for `"heads"`, `"sentence"` for `"batch"`."""
    return "sentence" if name == "batch" else name.removesuffix("s")


def is_bool(wrong: WrongOutput) -> bool:
    """Whether the target is a mask."""
    return wrong.targets[0].dtype == torch.bool


def say(value: float) -> str:
    """A number in at most three digits, with a true minus sign."""
    whole = round(value)
    return canvas.number(value, 0) if abs(value - whole) < 1e-4 * abs(whole) else canvas.number(value, 3, "g")


def named(number: float) -> str:
    """A number, and what it is known as: `"0.693 (log 2)"`."""
    known = (name for name, value in KNOWN.items() if abs(abs(number) / value - 1) < STEADY)
    return f"{say(number)}{''.join(f' ({name})' for name in known)}"


FIRST: tuple[Diagnosis, ...] = (all_one_number, one_factor, one_offset)
REST: tuple[Diagnosis, ...] = (factor_per_case, scaled_rows, shifted_rows)
