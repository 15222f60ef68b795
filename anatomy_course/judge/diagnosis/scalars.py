"""Diagnoses of single numbers: what yours and the target have in common is looked for over all cases together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from anatomy_course.judge.attempt.tensors import plain
from anatomy_course.judge.diagnosis.values import STEADY, is_bool, named, one_number, size_words
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput
from anatomy_utils.training.losses import IGNORE

ENOUGH = 3
"""From so many different targets on, that whole numbers are all equally far off is no accident."""


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
            return _one_factor(wrong, number)
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


def _one_factor(wrong: WrongOutput, number: float) -> tuple[str, str]:
    if abs(number + 1) < STEADY:
        return "sign", f"{wrong.this_is} the target with its sign flipped."
    return "factor", f"{wrong.this_is} the target times {named(number)}."


def _alike(measured: Sequence[float], amounts: Sequence[float]) -> bool:
    return all(abs(m - a) <= STEADY * abs(a) for m, a in zip(measured, amounts, strict=True)) and any(amounts)


def _amounts(wrong: WrongOutput) -> Iterator[tuple[str, list[float]]]:
    """What changes from case to case: sizes, numbers among the arguments, and how many entries of a mask count."""
    for words, amounts in _all_amounts(wrong):
        if max(amounts) - min(amounts) > STEADY * max(map(abs, amounts)):
            yield words, amounts


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


ALL: tuple[Diagnosis, ...] = (one_relation,)
