"""Diagnoses of size: the target times a number, plus a number, row by row or as a whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from anatomy_course.figures import canvas
from anatomy_course.judge.attempt.tensors import close, plain
from anatomy_course.judge.definition import Case
from anatomy_course.judge.diagnosis.wrong_answer import WrongOutput
from anatomy_utils.training.losses import IGNORE

STEADY = 1e-3  # how far a factor or an offset may wander between cells and cases and still be called one number
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
    if number is None:
        words = size_in_words(known, wrong.cases)
        return ("size_factor", f"In your {wrong.name} every number is the target's {words}.") if words else None
    if abs(number - 1) < STEADY:
        return None
    if abs(number + 1) < STEADY:
        said = f"In your {wrong.name} every sign is flipped: where the target has +, you have −, and vice versa."
        return "sign", said
    return "factor", f"In your {wrong.name} every number is the target's times {named(number)}."


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
    much = "too large or too small by one and the same amount within a case"
    if number is not None:
        much = f"{say(abs(number))} too {'large' if number > 0 else 'small'}"
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
    return wrong.targets[0].dtype == torch.bool


def say(value: float) -> str:
    """A number in at most three digits, with a true minus sign."""
    whole = round(value)
    return canvas.number(value, 0) if abs(value - whole) < 1e-4 * abs(whole) else canvas.number(value, 3, "g")


def named(number: float) -> str:
    """A number, and what it is known as: `"0.693 (log 2)"`."""
    known = (name for name, value in KNOWN.items() if abs(abs(number) / value - 1) < STEADY)
    return f"{say(number)}{''.join(f' ({name})' for name in known)}"


def opposite_sums(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target sums to 1 along its last axis, yours along another: a softmax over the wrong axis."""
    if not _all_sum_to_one(wrong.targets, -1) or _all_sum_to_one(wrong.yours, -1):
        return None
    rows = wrong.axis(-1)
    for axis in (-2, -3, -4):
        if min(t.dim() for t in wrong.targets) >= -axis and _all_sum_to_one(wrong.yours, axis):
            return "sum_axis", (
                f"Your {wrong.name} sum to 1 over the {wrong.axis(axis)} axis; "
                f"they should sum to 1 over the {rows} axis."
            )
    if _all_sum_to_one(wrong.yours, 0):
        said = f"Your {wrong.name} sum to 1 over axis 0, the first one; they should sum to 1 over the {rows} axis."
        return "sum_axis", said
    if all(close(y.sum(), torch.tensor(1.0, dtype=torch.float64)) and t.dim() > 1 for y, t in wrong.pairs()):
        return "sum_all", f"All your {wrong.name} together sum to 1; each row by itself should, over the {rows} axis."
    return None


def temperature(wrong: WrongOutput) -> tuple[str, str] | None:
    """Weights that come from the right scores times one number: too sharp or too flat."""
    if not _all_sum_to_one(wrong.targets, -1) or not _all_sum_to_one(wrong.yours, -1):
        return None
    powers = [_power(y, t) for y, t in wrong.pairs()]
    known = [power for power in powers if power is not None]
    enough = any(int(((t > 1e-30).sum(-1) - 1).clamp_min(0).sum()) > 1 for _, t in wrong.pairs())
    if len(known) < len(powers) or not enough:  # two weights in one row always fit some power
        return None
    number = one_number(known)
    if any(abs(p - 1) < STEADY for p in known):
        return None
    words = f"times {say(number)}" if number is not None else size_in_words(known, wrong.cases)
    words = words or f"times one number, but another one in each case ({two_cases(known, wrong.cases)})"
    if all(p > 1 for p in known):
        look = "too sharp"
    elif all(0 < p < 1 for p in known):
        look = "too flat"
    else:
        look = "not those of the target"
    return "temperature", (
        f"Each row of your {wrong.name} sums to 1, but the weights are {look}: they come from the right scores {words}."
    )


def proportions_right(wrong: WrongOutput) -> tuple[str, str] | None:
    """Rows in the right proportions, which do not sum to 1."""
    if not _all_sum_to_one(wrong.targets, -1) or not each_line(wrong, -1, proportional):
        return None
    return "row_factor", (
        f"Within each row the proportions of your {wrong.name} are right, but the rows do not sum to 1: "
        f"they sum to {_sums(wrong)}."
    )


def wrong_sums(wrong: WrongOutput) -> tuple[str, str] | None:
    """Weights below 0, or rows of which none sums to 1."""
    if not _all_sum_to_one(wrong.targets, -1):
        return None
    if all(bool((y < -1e-6).any()) for y, _ in wrong.pairs()):
        return "negative_weights", f"Some of your {wrong.name} are below 0; a weight is never negative."
    if all(bool(((y.sum(-1) - 1).abs() > 1e-3).all()) for y, _ in wrong.pairs()):
        return "sums", f"The rows of your {wrong.name} should each sum to 1; they sum to {_sums(wrong)}."
    return None


def _sums(wrong: WrongOutput) -> str:
    sums = torch.cat([y.sum(-1).flatten() for y, _ in wrong.pairs()])
    low, high = float(sums.min()), float(sums.max())
    return say(low) if abs(high - low) < STEADY else f"numbers from {say(low)} to {say(high)}"


def _power(yours: Tensor, target: Tensor) -> float | None:
    """p with yours ∝ target ** p in every row."""
    inside = (target > 1e-30) & (yours > 1e-30)
    if bool((torch.maximum(yours, target)[~inside] > 1e-8).any()):
        return None
    log_yours, log_target = (torch.where(inside, x.clamp_min(1e-30).log(), 0.0) for x in (yours, target))
    count = inside.sum(-1, keepdim=True).clamp_min(1)
    log_yours, log_target = (
        torch.where(inside, x - x.sum(-1, keepdim=True) / count, 0.0) for x in (log_yours, log_target)
    )
    length = float(log_target.square().sum())
    if length < 1e-9:
        return None
    power = float((log_yours * log_target).sum()) / length
    return power if torch.allclose(log_yours, power * log_target, 2e-3, 2e-3) else None


def _all_sum_to_one(tensors: Sequence[Tensor], axis: int) -> bool:
    for tensor in tensors:
        if not tensor.is_floating_point() or tensor.dim() < max(1, -axis) or tensor.numel() == 0:
            return False
        sums = tensor.to(torch.float64).sum(axis)
        if not bool((((sums - 1).abs() < 1e-4) | (sums.abs() < 1e-9)).all()) or bool((sums.abs() < 1e-9).all()):
            return False
        if bool((tensor < -1e-6).any()):
            return False
    return True


def function_of_target(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target, changed cell by cell or along one axis."""
    for words, change in _changes(wrong):
        if wrong.holds(change) and not all(close(y, t) for y, t in wrong.pairs()):
            return "function", f"{wrong.this_is} {words}."
    return None


FEWEST = 3  # different numbers in the target from which on a function of it is told
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


ENOUGH = 3  # from so many different targets on, that whole numbers are all equally far off is no accident


def one_relation(wrong: WrongOutput) -> tuple[str, str] | None:
    """Each case has one number, and the same relation turns the target into it: times, plus, or to the power of."""
    pairs = wrong.pairs()
    if len(pairs) < 2 or is_bool(wrong) or any(y.numel() != 1 or t.shape != y.shape for y, t in pairs):
        return None
    yours, targets = [float(y) for y, _ in pairs], [float(t) for _, t in pairs]
    if not all(map(math.isfinite, [*yours, *targets])) or one_number(targets) is not None:
        return None
    if all(yours) and all(targets):
        ratios = [y / t for y, t in zip(yours, targets, strict=True)]
        if (number := one_number(ratios)) is not None:
            if abs(number + 1) < STEADY:
                return "sign", f"{wrong.this_is} the target with its sign flipped."
            return "factor", f"{wrong.this_is} the target times {named(number)}."
        for words, amounts in _amounts(wrong):
            if _alike(ratios, amounts):
                return "amount_factor", f"{wrong.this_is} the target times {words}."
            if all(amounts) and _alike(ratios, [1 / amount for amount in amounts]):
                return "amount_factor", f"{wrong.this_is} the target divided by {words}."
    differences = [y - t for y, t in zip(yours, targets, strict=True)]
    whole = not wrong.targets[0].is_floating_point()  # few whole numbers are often equally far apart
    if (number := one_number(differences)) is not None and not (whole and len(set(targets)) < ENOUGH):
        much = f"{named(abs(number))} too {'large' if number > 0 else 'small'}"
        return "offset", f"{wrong.this_is} {much}, in each of these cases."
    for words, amounts in _amounts(wrong):
        if _alike(differences, amounts):
            return "amount_offset", f"{wrong.this_is} the target plus {words}."
        if _alike(differences, [-amount for amount in amounts]):
            return "amount_offset", f"{wrong.this_is} the target minus {words}."
    if min(yours) > 0 and min(targets) > 0 and all(abs(t - 1) > STEADY for t in targets):
        power = one_number([math.log(y) / math.log(t) for y, t in zip(yours, targets, strict=True)])
        if power is not None:
            return "power", f"{wrong.this_is} the target to the power of {named(power)}."
    return None


def _alike(measured: Sequence[float], amounts: Sequence[float]) -> bool:
    return all(abs(m - a) <= STEADY * abs(a) for m, a in zip(measured, amounts, strict=True)) and any(amounts)


def _amounts(wrong: WrongOutput) -> list[tuple[str, list[float]]]:
    """What changes from case to case: sizes, numbers among the arguments, and how many entries of a mask count."""
    most = [(words, amounts, STEADY * max(map(abs, amounts))) for words, amounts in _all_amounts(wrong)]
    return [(words, amounts) for words, amounts, least in most if max(amounts) - min(amounts) > least]


def _all_amounts(wrong: WrongOutput) -> Iterator[tuple[str, list[float]]]:
    cases = wrong.cases
    for name in (n for n in cases[0].sizes if all(n in case.sizes for case in cases)):
        sizes = [float(case.sizes[name]) for case in cases]
        yield size_words(name), sizes
        yield size_words(name, root=True), [math.sqrt(size) for size in sizes]
    for name in cases[0].arguments:
        values = [case.arguments.get(name) for case in cases]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            given = [float(value) for value in values if value is not None]
            yield f"`{name}`", given
            yield f"1 − `{name}`", [1 - value for value in given]
        counted = [_counted(plain(value)) for value in values if isinstance(value, Tensor)]
        tells = [pair for pair in counted if pair is not None]
        if len(tells) == len(cases):
            real, places = [float(count) for count, _ in tells], [float(count) for _, count in tells]
            yield f"the number of entries that count in `{name}`", real
            yield f"the number of all entries in `{name}`", places
            yield f"the share of entries that count in `{name}`", [r / p for r, p in zip(real, places, strict=True)]


def _counted(tensor: Tensor) -> tuple[int, int] | None:
    """How many entries of a mask, or of labels, count, and how many there are; None for any other tensor."""
    if tensor.is_floating_point() or tensor.numel() == 0:
        return None
    if tensor.dtype == torch.bool or bool(((tensor == 0) | (tensor == 1)).all()):
        return int(tensor.sum()), tensor.numel()
    counts = (tensor != IGNORE) if bool((tensor == IGNORE).any()) else torch.ones_like(tensor)
    return int(counts.sum()), tensor.numel()


def another_order(wrong: WrongOutput) -> tuple[str, str] | None:
    """The same rows, columns, heads or sentences, at other places."""
    for axis in wrong.axes:
        if all(_is_reordering(y, t, axis) for y, t in wrong.pairs()):
            name = wrong.axis(axis)
            return "order", f"In your {wrong.name} everything is there, but in another order along the {name} axis."
    return None


def _is_reordering(yours: Tensor, target: Tensor, axis: int) -> bool:
    mine, theirs = _lines(yours, axis), _lines(target, axis)
    if len(mine) < 2 or mine.shape[1] < 2:
        return False
    left = list(range(len(theirs)))
    for row in mine:
        match = next((i for i in left if close(row, theirs[i])), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _lines(tensor: Tensor, axis: int) -> Tensor:
    """One row per entry of the axis, everything else behind each other."""
    return tensor.movedim(axis, 0).reshape(tensor.shape[axis], -1)


def heads_scrambled(wrong: WrongOutput) -> tuple[str, str] | None:
    """The same numbers in the same order, but cut differently: a view where a transpose was needed."""
    for yours, target in wrong.pairs():
        if target.dim() < 2 or min(target.shape[-2:]) < 2:
            return None
        if not close(yours, target.transpose(-2, -1).reshape(target.shape)):
            return None
    return "layout", (
        f"In your {wrong.name} the target's numbers are all there, but read along the other axis; "
        "a view or reshape is used where two axes should be swapped."
    )


def same_for_all(wrong: WrongOutput) -> tuple[str, str] | None:
    """Every entry along one axis equals the first, which is the target's first."""
    for axis in wrong.axes:
        holds = all(
            t.shape[axis] > 1
            and y.select(axis, 0).numel() > 1
            and close(y, y.narrow(axis, 0, 1).expand(y.shape))
            and not close(t, t.narrow(axis, 0, 1).expand(t.shape))
            for y, t in wrong.pairs()
        )
        if holds:
            name = wrong.axis(axis)
            right = all(close(y.select(axis, 0), t.select(axis, 0)) for y, t in wrong.pairs())
            more = f"; the first is right, and it is repeated for every {one_of(name)}" if right else ""
            return "same", f"In your {wrong.name} every entry along the {name} axis is the same{more}."
    return None


def only_some_entries(wrong: WrongOutput) -> tuple[str, str] | None:
    """Right except in the first, the last, or all but the first entry along one axis."""
    marks = wrong.marks()
    for axis in wrong.axes:
        if any(m.shape[axis] < 2 for m in marks):
            continue
        lines = [_lines(m, axis).any(1) for m in marks]
        name = one_of(wrong.axis(axis))
        for words, wanted in (
            (f"right except in the last {name}", lambda n: [False] * (n - 1) + [True]),
            (f"right except in the first {name}", lambda n: [True] + [False] * (n - 1)),
            (f"right in the first {name}, and wrong in the others", lambda n: [False] + [True] * (n - 1)),
        ):
            if all(line.tolist() == wanted(len(line)) for line in lines) and any(len(line) > 2 for line in lines):
                return "entry", f"{wrong.this_is} {words}."
    return None


def parts_of_a_square(wrong: WrongOutput) -> tuple[str, str] | None:
    """Right on one side of the diagonal."""
    marks = wrong.marks()
    if any(m.dim() < 2 or m.shape[-1] != m.shape[-2] for m in marks):
        return None
    query, key = (wrong.axis(axis) for axis in (-2, -1))
    for words, side in (("after", lambda m: m.triu(1)), ("before", lambda m: m.tril(-1))):
        if all(torch.equal(m, side(m)) for m in marks):
            return "side", f"Only cells in which the {key} comes {words} the {query} are wrong; the others are right."
    return None


def zero_in_wrong_places(wrong: WrongOutput) -> tuple[str, str] | None:
    """Weights where the target has none, or none where it has some."""
    if is_bool(wrong) or not all(bool((y.isfinite() & t.isfinite()).all()) for y, t in wrong.pairs()):
        return None
    too_many = [(y.abs() > 1e-6) & (t == 0) for y, t in wrong.pairs()]
    if all(bool(m.any()) for m in too_many):
        count, cells = sum(int(m.sum()) for m in too_many), sum(int((t == 0).sum()) for _, t in wrong.pairs())
        where = "in none of these cells it is" if count == cells else f"in {count} of these {cells} cells it is not"
        return "not_zero", f"Where the target is 0, yours should be 0 too; {where}."
    too_few = [(y == 0) & (t.abs() > 1e-6) for y, t in wrong.pairs()]
    if not all(bool(m.any()) for m in too_few):
        return None
    counted = [t.abs() > 1e-6 for _, t in wrong.pairs()]
    pairs = zip(too_few, counted, strict=True)
    if all(m.dim() >= 2 and torch.equal(m, c & torch.ones_like(m).triu(1)) for m, c in pairs):
        after = f"wherever the {wrong.axis(-1)} comes after the {wrong.axis(-2)}"
        return "causal", f"{wrong.this_is} 0 {after}, as under a causal mask; there is none here."
    count, cells = sum(int(m.sum()) for m in too_few), sum(m.numel() for m in too_few)
    where = "everywhere" if count == cells else f"in {count} of {cells} cells"
    return "zero", f"{wrong.this_is} exactly 0 {where}; where the target is not 0, yours should not be either."
