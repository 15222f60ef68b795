"""An edited answer, tried: is it right, does it equal a catalogued mistake, or does it come nearer?"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.surroundings import restored_globals
from anatomy_course.judge.attempt.tensors import changed, close, differing, fresh_arguments, parts, plain, same_result
from anatomy_course.judge.attempt.time_limit import interruptible, run_limited
from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.definition import Exercise, Mistake, Objection

LONGEST = 0.2  # seconds that one edited answer may take on one case
FARTHER = 2.0
"""So many times as far off, a mistake is no part of an answer: one of two slips alone lies hardly farther off than
both."""
FEW = 4  # numbers by which no direction can be told
SEEDS = (1, 2)  # further cases on which an edit must hold


@dataclass(frozen=True)
class EditOutcome:
    """How near an edited answer comes."""

    nearness: tuple[float, ...] = ()  # the larger, the nearer; see `EditRunner.nearness`
    mistake: Mistake | None = None  # the catalogued mistake that it equals on every case; None for none
    right: bool = False  # whether it is right on every case

    @property
    def form(self) -> tuple[float, float]:
        """Whether it ran and returned so many things, and how many of them have the right shape."""
        return self.nearness[1], self.nearness[3] if len(self.nearness) > 3 else 0.0


@dataclass
class EditRunner:
    """Where edited answers are tried: the cases, the one that tells most first.

    Args:
        right: (case, output) that the learner's answer has right; a mistake that spoils one of them is not part of it.
        wrong: the cases in which the learner's answer is wrong; those after a crash are not known.
        objections: what was objected to in the answer; a mistake with another objection only comes before it.
    """

    exercise: Exercise  # what was asked
    answer_key: AnswerKey  # the cases and their targets
    order: Sequence[int]  # the cases' numbers, the one on which the answer was wrong first
    untouched: bool = False  # whether the arguments must be left as they are, which the learner's answer did not do
    right: Sequence[tuple[int, int]] = ()
    wrong: frozenset[int] = frozenset()
    results: Sequence[Any] = ()  # what it returns on the cases, up to a crash
    partly_right: bool = False  # whether it is right on some case
    objections: frozenset[str] = frozenset()
    keys: dict[int, AnswerKey] = field(default_factory=dict)

    @classmethod
    def of(cls, trial: Attempt) -> EditRunner:
        """The bench for an answer that did not pass: its first wrong case comes first."""
        first = min(trial.wrong_cases, default=0)
        others = [i for i in range(len(trial.cases)) if i != first]
        return cls(
            trial.exercise,
            trial.answer_key,
            [first, *others],
            untouched=bool(trial.run.changed),
            right=_right(trial),
            wrong=frozenset(trial.wrong_cases),
            results=trial.results,
            partly_right=len(trial.wrong_cases) < len(trial.results),
            objections=_objections(trial.results),
        )

    @cached_property
    def possible(self) -> list[int]:
        """The numbers of the mistakes that leave right what the learner's answer has right."""
        return [
            number
            for number, (_, results) in enumerate(self.answer_key.mistaken)
            if all(_same_part(results[case], self.answer_key.targets[case], output) for case, output in self.right)
            and (not self.objections or _objections(results) <= self.objections)
        ]

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """While answers are tried, what they print is held back and what they change is put back."""
        with restored_globals(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield

    def result(self, function: Callable[..., Any], case: int, key: AnswerKey | None = None) -> Any:
        """What it returns on one case; an exception where it stops."""
        before = (key or self.answer_key).cases[case].arguments
        given = fresh_arguments(before)
        call = self.exercise.as_function(function)
        try:
            result = run_limited(lambda: interruptible(call, *given.values()), LONGEST)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return error.with_traceback(None)
        return None if self.untouched and changed(before, given) else result

    def outcome(self, function: Callable[..., Any]) -> EditOutcome:
        """Try it on the cases, and no longer than it can still be right or equal to a mistake."""
        targets, mistaken = self.answer_key.targets, self.answer_key.mistaken
        right, alike = True, self.possible
        nearness: tuple[float, ...] = ()
        for done, case in enumerate(self.order):
            result = self.result(function, case)
            right = right and same_result(result, targets[case])
            if not (right or nearness):  # the first case in which it is wrong
                nearness = (float(done), *self.nearness(result, targets[case]))
            alike = [i for i in alike if same_result(result, mistaken[i][1][case])]
            if not right and not alike:
                return EditOutcome(nearness)
        if right:
            return EditOutcome((float(len(self.order)), 2.0, 0.0, 0.0, 0.0), right=True)
        return EditOutcome(nearness, mistaken[alike[0]][0])

    def shows_beside(self, mistake: Mistake) -> bool:
        """Whether the answer is wrong in a case that the mistake leaves right, so that something else is off as well.

        Where the mistake is wrong in every case there is none to tell by, and it may be.
        """
        targets, results = self.answer_key.targets, dict(self.answer_key.mistaken)[mistake]
        untouched = {i for i, target in enumerate(targets) if same_result(results[i], target)}
        return not untouched or bool(untouched & self.wrong)

    def is_farther(self, mistake: Mistake) -> bool:
        """Whether a mistake's results lie much farther from the targets than the answer's own: then an edit that leads
        to it has spoiled something."""
        ours, theirs = 0.0, 0.0
        mistaken = dict(self.answer_key.mistaken)[mistake]
        for yours, its, target in zip(self.results, mistaken, self.answer_key.targets, strict=False):
            one, other = _apart(yours, target), _apart(its, target)
            if one is not None and other is not None:
                ours, theirs = ours + one, theirs + other
        return theirs > FARTHER * ours

    def nearness(self, result: Any, target: Any) -> tuple[float, ...]:
        """Ran, returned so many things, of the right shapes, with so many right, and how alike the likest other is."""
        yours, wanted = parts(result), parts(target) or ()
        if isinstance(result, BaseException):
            return (0.0,)
        if yours is None or len(yours) != len(wanted):
            return (1.0,)
        shaped = sum(y.shape == t.shape for y, t in zip(yours, wanted, strict=True))
        right = sum(close(y, t) for y, t in zip(yours, wanted, strict=True))
        alike = max(map(_likeness, yours, wanted), default=0.0) if shaped == len(wanted) else 0.0
        return (2.0, float(right), float(shaped), round(alike, 2))

    def confirms(self, function: Callable[..., Any], mistake: Mistake | None) -> bool:
        """Whether it is right, or equal to the mistake, on cases of further seeds as well."""
        for seed in SEEDS:
            if seed not in self.keys:
                self.keys[seed] = AnswerKey(self.exercise, seed)
            key = self.keys[seed]
            wanted = key.targets if mistake is None else dict(key.mistaken)[mistake]
            if not all(same_result(self.result(function, i, key), wanted[i]) for i in range(len(key.cases))):
                return False
        return True


def _right(trial: Attempt) -> list[tuple[int, int]]:
    """(case, output) that an answer has right."""
    return [
        (case, output)
        for case, result in enumerate(trial.results)
        for output in range(len(parts(trial.answer_key.targets[case]) or ()))
        if _same_part(result, trial.answer_key.targets[case], output)
    ]


def _objections(results: Sequence[Any]) -> frozenset[str]:
    return frozenset(result.name for result in results if isinstance(result, Objection))


def _same_part(result: Any, target: Any, output: int) -> bool:
    yours, wanted = parts(result) or (), parts(target) or ()
    return len(yours) == len(wanted) and close(yours[output], wanted[output])


def _apart(result: Any, target: Any) -> float | None:
    """How far the outputs lie from the target's, each relative to its size; None where they cannot be compared."""
    yours, wanted = parts(result), parts(target) or ()
    if yours is None or [y.shape for y in yours] != [t.shape for t in wanted]:
        return None
    return sum(map(_distance, yours, wanted))


def _distance(yours: Tensor, target: Tensor) -> float:
    if not target.is_floating_point() or not bool((yours.isfinite() & target.isfinite()).all()):
        return float(differing(plain(yours), plain(target)).double().mean()) if target.numel() else 0.0
    length = float(target.detach().double().norm())
    return float((yours.detach().double() - target.detach().double()).norm()) / (length or 1.0)


def _likeness(yours: Tensor, target: Tensor) -> float:
    """How alike two tensors of one shape are, from 0 to 1, by direction and by distance: of two slips one alone leaves
    more in common with the target than both."""
    if close(yours, target):
        return 0.0  # counted already
    flat, wanted = (plain(each).double().flatten().nan_to_num(0.0, 0.0, 0.0) for each in (yours, target))
    same = 1.0 - float(differing(plain(yours), plain(target)).double().mean())
    near = 1.0 / (1.0 + float((flat - wanted).norm() / (wanted.norm() + 1e-9)))
    if target.numel() < FEW:
        return (same + near) / 2
    means = ((0.0, 0.0), (flat.mean(), wanted.mean()))
    turned = (float(torch.cosine_similarity(flat - one, wanted - other, dim=0).abs()) for one, other in means)
    return (max(same, *turned) + near) / 2
