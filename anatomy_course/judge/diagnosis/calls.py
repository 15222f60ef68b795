"""Diagnoses of exercises that take functions: the first call that receives something else than in a right solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple

import torch
from torch import Tensor

from anatomy_course.judge.attempt.calls import Call, alike, recorded, takes_functions, under_own_names
from anatomy_course.judge.attempt.tensors import close, plain
from anatomy_course.judge.definition import Case, Exercise
from anatomy_course.judge.diagnosis.wrong_answer import SECONDS, WrongOutput

Arguments = Mapping[str, Any]
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
TIMES = ("never", "once", "twice")
MOST_NUMBERS = 9  # how many whole numbers are shown one by one


class _Compared(NamedTuple):
    """The calls of an answer beside those of the right solution to which they stay alike for longest."""

    yours: list[Call]
    right: list[Call]
    off: int | None  # which of the answer's calls is the first without a counterpart; None when each has one
    left: list[Call]  # the right solution's calls that have none up to there


def first_other_call(exercise: Exercise, function: Callable[..., Any], case: Case, *, ended: bool = True) -> str | None:
    """A sentence about the first call that is not as in any right solution; None when there is none. Where the answer
    has not `ended`, after a crash, a call that is missing means nothing."""
    arguments = under_own_names(function, case.arguments)
    compared = _compared(exercise, function, arguments)
    if compared is None:
        return None
    if compared.off is None:
        return _missing(compared, arguments) if compared.left and ended else None
    return _other(compared, compared.off, arguments)


def _compared(exercise: Exercise, function: Callable[..., Any], arguments: Arguments) -> _Compared | None:
    if not takes_functions(arguments):
        return None
    yours = recorded(function, arguments, SECONDS)
    solutions = (exercise.resolve(), *exercise.also_right.values())
    return max((_compare(yours, recorded(solution, arguments, SECONDS)) for solution in solutions), key=_goodness)


def _goodness(compared: _Compared) -> tuple[int, int]:
    return len(compared.yours) if compared.off is None else compared.off, -len(compared.left)


def _compare(yours: list[Call], right: list[Call]) -> _Compared:
    left = list(right)
    for number, call in enumerate(yours):
        partner = next((r for r in left if _same(call, r)), None)
        if partner is not None:
            left.remove(partner)
        elif not any(_same(call, r) for r in right):  # the same call once more does no harm
            return _Compared(yours, right, number, left)
    return _Compared(yours, right, None, left)


def _same(one: Call, other: Call) -> bool:
    return one.name == other.name and alike(one.given, other.given)


def _other(compared: _Compared, number: int, arguments: Arguments) -> str | None:
    call = compared.yours[number]
    partner = next((r for r in compared.left if r.name == call.name), None)
    before, same = compared.yours[:number], [i for i, each in enumerate(compared.yours) if each.name == call.name]
    nth = f"{_ordinal(same.index(number))} " if len(same) > 1 else ""
    which = f"Your {nth}call of `{call.name}`"
    if partner is None:
        count = sum(r.name == call.name for r in compared.right)
        if not count:
            return f"Your function calls `{call.name}`, and a right solution never does."
        what = _described(call.given[0], before, arguments) if len(call.given) == 1 else None
        receives = f" (it receives {what})" if what else ""
        return f"{which}{receives} is one too many: a right solution calls it {_times(count)}."
    if len(call.given) != len(partner.given):
        many = f"{len(call.given)} argument{'s' * (len(call.given) != 1)}"
        return f"{which} receives {many}, where a right solution gives it {len(partner.given)}."
    place = next(i for i, (a, b) in enumerate(zip(call.given, partner.given, strict=True)) if not alike(a, b))
    yours, wanted = call.given[place], partner.given[place]
    if call.returned is not None and _in_portions(yours, wanted):
        return None
    known = compared.right[: next(i for i, r in enumerate(compared.right) if r is partner)]
    have, want = _described(yours, before, arguments), _described(wanted, known, arguments)
    if have == want or (have is None and want is None):
        have, want = _shape(yours), _shape(wanted)
    as_what = f" as its {_ordinal(place)} argument" if len(call.given) > 1 else ""
    if have == want:
        change = _change(yours, wanted)
        return f"{which} receives{as_what} {change} what a right solution gives it." if change else None
    if have is None:
        return f"{which} does not receive{as_what} what it does in a right solution: {want}."
    if want is None:
        return f"{which} receives{as_what} {have}, and a right solution gives it something else."
    return f"{which} receives{as_what} {have}, where a right solution gives it {want}."


def _missing(compared: _Compared, arguments: Arguments) -> str | None:
    call = compared.left[0]
    have, want = (sum(c.name == call.name for c in calls) for calls in (compared.yours, compared.right))
    if have >= want:
        return None
    known = compared.right[: next(i for i, r in enumerate(compared.right) if r is call)]
    what = _described(call.given[0], known, arguments) if len(call.given) == 1 else None
    gives = f", {'with ' if want == 1 else f'the {_ordinal(have)} time with '}{what}" if what else ""
    if not have:
        return f"Your function never calls `{call.name}`; a right solution does{gives}."
    return f"Your function calls `{call.name}` {_times(have)}, a right solution {_times(want)}{gives}."


def _in_portions(yours: Any, wanted: Any) -> bool:
    """Whether one is made of some of the rows of the other: a right solution may go row by row, or take more."""
    if not isinstance(yours, Tensor) or not isinstance(wanted, Tensor) or min(yours.dim(), wanted.dim()) < 2:
        return False
    if yours.shape[-1] != wanted.shape[-1]:
        return False
    if yours.numel() > wanted.numel():
        yours, wanted = wanted, yours
    if yours.numel() == wanted.numel():
        return close(yours.reshape(wanted.shape), wanted)
    rows = wanted.reshape(-1, wanted.shape[-1])
    return all(any(close(row, other) for other in rows) for row in yours.reshape(-1, yours.shape[-1]))


def _described(value: Any, before: Sequence[Call], arguments: Arguments) -> str | None:
    """Where something comes from: an argument, what an earlier call returned, or two of these together."""
    known = list(_known(before, arguments))
    for words, thing in known:
        if alike(value, thing):
            return words
    if not isinstance(value, Tensor):
        return f"`{value!r}`" if isinstance(value, bool | int | float | str | None) else None
    tensors = [(words, t) for words, t in known if isinstance(t, Tensor) and t.is_floating_point()]
    for words, thing in tensors:
        if thing.dim() >= 2 and close(value, thing.mT):
            return f"{words} with the last two axes swapped"
    alike_in_shape = [(words, t) for words, t in tensors if t.shape == value.shape]
    for count in (2, 3):
        for parts in combinations(alike_in_shape, count):
            if close(value, torch.stack([t for _, t in parts]).sum(0)):
                return " plus ".join(words for words, _ in parts)
    for (one, a), (other, b) in permutations(alike_in_shape, 2):
        if close(value, 2 * a + b):
            return f"twice {one} plus {other}"
    if not value.is_floating_point() and 0 < value.numel() <= MOST_NUMBERS:
        return f"`{value.tolist()}`"
    return None


def _known(before: Sequence[Call], arguments: Arguments) -> Iterator[tuple[str, Any]]:
    for name, value in arguments.items():
        if not callable(value) or isinstance(value, Tensor):
            yield f"`{name}`", plain(value) if isinstance(value, Tensor) else value
    for number, call in enumerate(before):
        count = sum(other.name == call.name for other in before)
        nth = sum(other.name == call.name for other in before[:number])
        when = f" the {_ordinal(nth)} time" if count > 1 else ""
        if isinstance(call.returned, tuple):
            for part, value in enumerate(call.returned):
                yield f"the {_ordinal(part)} thing that `{call.name}` returned{when}", value
        elif call.returned is not None:
            yield f"what `{call.name}` returned{when}", call.returned


def _change(yours: Any, wanted: Any) -> str | None:
    """`"half of"`: how one comes from the other, where neither can be named."""
    if not isinstance(yours, Tensor) or not isinstance(wanted, Tensor) or not wanted.is_floating_point():
        return None
    if yours.dtype != wanted.dtype or wanted.norm() == 0:
        return None
    factor = float((yours * wanted).sum() / wanted.square().sum())
    if not close(yours, factor * wanted):
        return None
    return "the negative of" if abs(factor + 1) < 1e-3 else f"{factor:.3g} times"


def _shape(value: Any) -> str | None:
    return f"a tensor of shape {tuple(value.shape)}" if isinstance(value, Tensor) else None


def _ordinal(index: int) -> str:
    return ORDINALS[index] if index < len(ORDINALS) else f"{index + 1}th"


def _times(count: int) -> str:
    return TIMES[count] if count < len(TIMES) else f"{count} times"


def another_call(wrong: WrongOutput) -> tuple[str, str] | None:
    """A function that is given something else, called too often or not often enough."""
    if not wrong.trial.may_run_again:
        return None
    said = [first_other_call(wrong.trial.exercise, wrong.trial.again, case) for case in wrong.cases]
    if said[0] is None:
        return None
    always = all(words == said[0] for words in said)
    return "calls", said[0] if always else f"In the case shown: {_lower(said[0])}"


def put_together_otherwise(wrong: WrongOutput) -> tuple[str, str] | None:
    """Each function receives what it should, and how the output is put together can be told."""
    if not _all_calls_right(wrong):
        return None
    said = []
    for case, yours in zip(wrong.cases, wrong.yours, strict=True):
        arguments = under_own_names(wrong.trial.function, case.arguments)
        said.append(_described(yours, recorded(wrong.trial.again, arguments, SECONDS), arguments))
    if said[0] is None or any(words != said[0] for words in said):
        return None
    words = f"Every function receives what it does in a right solution, but {_lower(wrong.this_is)} {said[0]}."
    return "put_together", words


def _all_calls_right(wrong: WrongOutput) -> bool:
    if not wrong.trial.may_run_again:
        return False
    for case in wrong.cases:
        arguments = under_own_names(wrong.trial.function, case.arguments)
        compared = _compared(wrong.trial.exercise, wrong.trial.again, arguments)
        if compared is None or not compared.yours or compared.off is not None or compared.left:
            return False
    return True


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
